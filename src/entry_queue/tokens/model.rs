//! Live tokens of several accounts.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueueNumber, Stay, TokenId, TokenStatus},
};

/// Live token and its owner.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct OwnedToken {
    /// Id of the token.
    pub id: TokenId,
    /// Program of the queue.
    pub program_id: ProgramId,
    /// Account that owns the token.
    pub account_id: AccountId,
    /// `WAITING` or `ACTIVE`.
    pub status: TokenStatus,
    /// Number in the queue.
    pub queue_number: QueueNumber,
    /// Moment until which holds may start; `None` while it waits.
    pub stay_ends_at: Option<DateTime<Utc>>,
    /// End of the stay; `None` while it waits.
    pub expires_at: Option<DateTime<Utc>>,
}

impl OwnedToken {
    /// Returns the program and the account of the token.
    pub fn owner(&self) -> (ProgramId, AccountId) {
        (self.program_id, self.account_id)
    }

    /// Returns the stay, also if it has run out by the clock; `None` while the token waits.
    pub fn stay(&self) -> Option<Stay> {
        let (Some(stay_ends_at), Some(expires_at), TokenStatus::Active) =
            (self.stay_ends_at, self.expires_at, self.status)
        else {
            return None;
        };
        Some(Stay {
            token_id: self.id,
            program_id: self.program_id,
            account_id: self.account_id,
            queue_number: self.queue_number,
            stay_ends_at,
            expires_at,
        })
    }
}
