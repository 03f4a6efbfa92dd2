//! Check-ins, their counts, and the performances with an open door.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::{ScheduleId, SeatKind},
    reservation::ReservationNumber,
    tickets::model::{TicketId, TicketStatus},
};

/// Used ticket, as shown at the door.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckIn {
    /// Ticket that was checked in.
    pub ticket_id: TicketId,
    /// Time of the check-in.
    pub used_at: DateTime<Utc>,
    /// Name of the ticket's holder.
    pub holder: String,
    /// Section or zone.
    pub section: String,
    /// Row; `None` for a zone.
    pub row: Option<String>,
    /// Number of the seat; `None` for a zone.
    pub number: Option<i32>,
    /// Kind of the seat; `None` for an ordinary one, and for a zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SeatKind>,
    /// Price type, to be compared with the person; `None` at the ordinary price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_type: Option<String>,
    /// Note of the price type: what the buyer was asked to bring, such as a proof of age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_type_note: Option<String>,
    /// Whether the check-in may still be undone.
    #[serde(skip)]
    pub is_fresh: bool,
}

/// Number of admitted and expected holders of one section.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DoorCount {
    /// Section or zone.
    pub section: String,
    /// Number of used tickets.
    pub inside: i64,
    /// Number of valid and used tickets.
    pub expected: i64,
}

/// Performance that has a door page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Evening {
    pub schedule_id: ScheduleId,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub venue_name: String,
    #[serde(skip)]
    pub time_zone: String,
}

/// Search for a guest of a performance.
#[derive(Clone, Debug)]
pub(crate) struct GuestSearch {
    /// Part of a name, in any case.
    pub text: String,
    /// Number of a reservation, if the text is one.
    pub number: Option<ReservationNumber>,
    /// Last ticket of the page before.
    pub after: Option<TicketId>,
}

impl GuestSearch {
    /// Longest text of a search, in characters; the rest is cut off.
    const CHARS_MAX: usize = 80;

    /// Parses typed text; `None` if it is empty.
    pub(crate) fn parse(typed: &str, after: Option<TicketId>) -> Option<Self> {
        let text: String = typed.trim().chars().filter(|letter| !letter.is_control()).collect();
        let text: String = text.chars().take(Self::CHARS_MAX).collect();
        let number = text.parse().ok();
        (!text.is_empty()).then_some(Self { text, number, after })
    }
}

/// Valid or used ticket, as the door finds it by the name of its holder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Guest {
    /// Ticket.
    pub ticket_id: TicketId,
    /// Name of the ticket's holder.
    pub holder: String,
    /// Section or zone.
    pub section: String,
    /// Row; `None` for a zone.
    pub row: Option<String>,
    /// Number of the seat; `None` for a zone.
    pub number: Option<i32>,
    /// Kind of the seat; `None` for an ordinary one, and for a zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SeatKind>,
    /// Price type; `None` at the ordinary price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_type: Option<String>,
    /// Whether the ticket was used.
    pub status: TicketStatus,
    /// Time of the check-in; `None` before it.
    pub used_at: Option<DateTime<Utc>>,
}
