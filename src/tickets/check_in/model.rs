//! Check-ins and the window in which a door accepts tickets.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::tickets::model::TicketId;

/// Used ticket, as shown at the door.
#[derive(Clone, Debug, Serialize)]
pub struct CheckIn {
    /// Ticket that was checked in.
    pub ticket_id: TicketId,
    /// Time of the check-in.
    pub used_at: DateTime<Utc>,
    /// Name of the ticket's owner.
    pub holder: String,
    /// Section or zone.
    pub section: String,
    /// Row; `None` for a zone.
    pub row: Option<String>,
    /// Number of the seat; `None` for a zone.
    pub number: Option<i32>,
    /// Whether the check-in may still be undone.
    #[serde(skip)]
    pub is_fresh: bool,
}

/// Number of admitted and expected holders of one section.
#[derive(Clone, Debug, Serialize)]
pub struct DoorCount {
    /// Section or zone.
    pub section: String,
    /// Number of used tickets.
    pub inside: i64,
    /// Number of valid and used tickets.
    pub expected: i64,
}
