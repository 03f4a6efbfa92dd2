//! Live tokens of several accounts.

use std::collections::HashSet;

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{TokenId, TokenStatus},
};

/// Live token and its owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedToken {
    /// Id of the token.
    pub id: TokenId,
    /// Program of the queue.
    pub program_id: ProgramId,
    /// Account that owns the token.
    pub account_id: AccountId,
    /// `WAITING` or `ACTIVE`.
    pub status: TokenStatus,
}

impl OwnedToken {
    /// Returns the program and the account of the token.
    pub(crate) fn owner(&self) -> (ProgramId, AccountId) {
        (self.program_id, self.account_id)
    }
}

/// Live tokens of several accounts, as one transaction found them.
#[derive(Debug)]
pub(crate) struct LiveTokens {
    /// Tokens that this transaction has locked.
    pub(crate) locked: Vec<OwnedToken>,
    /// Owners whose token another transaction holds.
    pub(crate) held: HashSet<(ProgramId, AccountId)>,
}
