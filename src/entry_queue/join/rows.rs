//! Columns of the rows that a batch of joins inserts.

use super::model::JoinRequest;
use crate::{
    accounts::AccountId,
    entry_queue::{
        access_gates::model::AccessGateId,
        guards::{judge::Judge, network::NetworkTag},
        model::TokenId,
    },
};

/// Columns of new tokens or entries, one row for each join that was accepted.
#[derive(Debug)]
pub(crate) struct NewRows {
    pub tokens: Vec<TokenId>,
    pub accounts: Vec<AccountId>,
    /// Entry of each token in the public log.
    pub(crate) commitments: Vec<Vec<u8>>,
    /// Networks of the accounts; `None` where they are not kept.
    pub networks: Option<Vec<NetworkTag>>,
    /// Access gate that each account may use; `None` where no account may use one.
    pub gates: Option<Vec<Option<AccessGateId>>>,
}

impl NewRows {
    pub(crate) fn of(joined: &[JoinRequest], judge: &Judge) -> Self {
        let networks = || joined.iter().map(|join| join.arrival.network).collect();
        Self {
            tokens: joined.iter().map(|join| join.token_id).collect(),
            accounts: joined.iter().map(|join| join.account_id).collect(),
            commitments: joined.iter().map(|join| join.commitment.bytes().to_vec()).collect(),
            networks: judge.keeps_networks().then(networks),
            gates: None,
        }
    }
}
