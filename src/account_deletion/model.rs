//! Obstacles of a deletion, and its effects.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{catalog::ProgramId, points::Points};

/// Obstacle to the deletion of an account.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Obstacle {
    /// Seats or places that are held.
    Hold {
        /// Id of the reservation.
        id: Uuid,
        /// Title of the program.
        title: String,
        /// End of the hold.
        until: DateTime<Utc>,
    },
    /// Paid reservation of a performance that is still to come.
    Tickets {
        /// Id of the reservation.
        id: Uuid,
        /// Title of the program.
        title: String,
        /// Start of the performance.
        starts_at: DateTime<Utc>,
        /// Time zone of the venue.
        time_zone: String,
    },
    /// Points offered to a person who has not answered.
    TransferSent {
        /// Id of the transfer.
        id: Uuid,
        /// Address that the points were offered to.
        name: String,
        /// Points offered.
        points: Points,
    },
    /// Points that another account offers, which are not answered.
    TransferReceived {
        /// Id of the transfer.
        id: Uuid,
        /// Name of the sender.
        name: String,
        /// Points offered.
        points: Points,
    },
    /// Ticket of another account's reservation, of a performance that is still to come.
    TicketReceived {
        /// Id of the hand-over by which it came.
        id: Uuid,
        /// Title of the program.
        title: String,
        /// Start of the performance.
        starts_at: DateTime<Utc>,
        /// Time zone of the venue.
        time_zone: String,
    },
    /// Ticket that the account paid for as a share of another account's reservation, of a performance
    /// that is still to come.
    TicketShared {
        /// Id of the share.
        id: Uuid,
        /// Title of the program.
        title: String,
        /// Start of the performance.
        starts_at: DateTime<Utc>,
        /// Time zone of the venue.
        time_zone: String,
    },
    /// Ticket that is on sale again.
    Return {
        /// Id of the return.
        id: Uuid,
        /// Title of the program.
        title: String,
    },
    /// Share of another account's hold that the account has paid, which waits for the other shares.
    SharePaid {
        /// Id of the share.
        id: Uuid,
        /// Title of the program.
        title: String,
        /// Points withheld.
        points: Points,
    },
    /// Ticket offered to a person who has not answered.
    HandOverSent {
        /// Id of the hand-over.
        id: Uuid,
        /// Title of the program.
        title: String,
    },
    /// Ticket that another account offers, which is not answered.
    HandOverReceived {
        /// Id of the hand-over.
        id: Uuid,
        /// Title of the program.
        title: String,
    },
    /// Wish that waits in the list of a performance.
    Wish {
        /// Id of the performance.
        id: Uuid,
        /// Title of the program.
        title: String,
    },
    /// Points bought at the payment provider whose payment may still arrive.
    Purchase {
        /// Id of the charge.
        id: Uuid,
        /// Points bought.
        points: Points,
    },
    /// The role of an administrator: the last one must not go.
    Admin,
}

impl Obstacle {
    /// Returns the path of the page on which the obstacle is ended.
    pub(crate) fn href(&self) -> String {
        match self {
            Self::Hold { id, .. } | Self::Tickets { id, .. } => format!("/reservations/{id}"),
            Self::TransferSent { id, .. } | Self::TransferReceived { id, .. } => {
                format!("/wallet/transfers/{id}")
            }
            Self::TicketReceived { id, .. }
            | Self::HandOverSent { id, .. }
            | Self::HandOverReceived { id, .. } => format!("/hand-overs/{id}"),
            Self::Return { id, .. } => format!("/returns/{id}"),
            Self::Wish { id, .. } => format!("/schedules/{id}/waiting-list"),
            Self::Purchase { id, .. } => format!("/wallet/charges/{id}"),
            Self::TicketShared { .. } => "/tickets".to_owned(),
            // Ends by itself, with the hold.
            Self::SharePaid { .. } => "/wallet".to_owned(),
            Self::Admin => "/admin/people".to_owned(),
        }
    }
}

/// Obstacles and effects of a deletion, as the page shows them beforehand.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Outlook {
    /// Obstacles to the deletion.
    pub obstacles: Vec<Obstacle>,
    /// Titles of the programs in whose lines the account waits, or to which it is admitted.
    pub lines: Vec<String>,
    /// Points to be given up.
    pub balance: Points,
    /// Points that the wallet owes.
    pub debt: Points,
}

/// Account that was deleted.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// Hashes of the sessions that ended.
    pub ended: Vec<Vec<u8>>,
    /// Programs whose lines the account left.
    pub left: Vec<ProgramId>,
}
