//! Types of access gates.

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use crate::{accounts::AccountId, catalog::ProgramId, infra::ids::ids};

ids! {
    /// Id of an access gate.
    pub AccessGateId(Uuid),
}

/// Terms of an access gate. None ever changes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NewAccessGate {
    /// Moment from which accounts that may use it can join and are admitted.
    pub opens_at: DateTime<Utc>,
    /// Accounts it admits that are inside at once, 1 or more.
    pub capacity: i32,
}

/// Access gate of a program.
#[derive(Clone, Copy, Debug)]
pub struct AccessGate {
    pub id: AccessGateId,
    pub opens_at: DateTime<Utc>,
    pub capacity: i32,
}

/// Gate that an account may use: of its gates the one that opens first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnGate {
    pub account_id: AccountId,
    pub id: AccessGateId,
    pub opens_at: DateTime<Utc>,
}

impl OwnGate {
    /// Whether it is open at `now`, as far as the sale is not over.
    pub(crate) fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.opens_at <= now
    }
}

/// Open access gate with waiting tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingGate {
    pub id: AccessGateId,
    pub program_id: ProgramId,
}
