//! Filter of the list.

use strum::VariantArray;

use crate::{
    accounts::{AccountId, Email},
    wallet::transfers::model::{TransferDirection, TransferId, TransferStatus},
};

/// The other person of the listed requests.
#[derive(Clone, Debug)]
pub(crate) enum Counterparty {
    /// Account that has this address now.
    Address(Email),
    /// Other side of a request of the account.
    OfTransfer(TransferId),
}

/// Filter of the list; `None` selects everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransferFilter {
    pub direction: Option<TransferDirection>,
    pub status: Option<TransferStatus>,
    pub counterparty: Option<Counterparty>,
}

impl TransferFilter {
    /// Returns the states of requests of `direction` that the filter selects: a planned request is
    /// its sender's alone.
    pub(super) fn shown(&self, direction: TransferDirection) -> Vec<TransferStatus> {
        let is_shown = |status: &TransferStatus| {
            self.status.is_none_or(|only| only == *status)
                && (direction == TransferDirection::Sent || *status != TransferStatus::Planned)
        };
        TransferStatus::VARIANTS.iter().copied().filter(is_shown).collect()
    }

    /// Returns the states that rows of the selected requests have. A request that ended by the
    /// clock may not be written yet, and a planned one is never stored as such.
    pub(super) fn stored(&self) -> &[TransferStatus] {
        use TransferStatus::{Accepted, Cancelled, Expired, Pending, Planned, Rejected};
        match self.status {
            None => &[Pending, Accepted, Rejected, Cancelled, Expired],
            Some(Planned | Pending) => &[Pending],
            Some(Expired) => &[Pending, Expired],
            Some(Accepted) => &[Accepted],
            Some(Rejected) => &[Rejected],
            Some(Cancelled) => &[Cancelled],
        }
    }

    /// Returns the account whose requests of `direction` are selected: `account_id`, or `None`.
    pub(super) fn of(
        &self,
        direction: TransferDirection,
        account_id: AccountId,
    ) -> Option<AccountId> {
        self.direction.is_none_or(|only| only == direction).then_some(account_id)
    }
}
