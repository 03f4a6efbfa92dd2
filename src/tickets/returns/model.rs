//! Types of tickets that are put back on sale.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    config::Config,
    points::Points,
    reservation::{
        ReservationId, ReservationItemId, ReturnId,
        returns::model::{ReturnStatus, TicketPlace, payout_of},
    },
    tickets::model::{TicketCode, TicketStatus},
};

/// Command to put a ticket back on sale.
#[derive(Clone, Debug)]
pub(crate) struct ReturnOrder {
    pub(crate) seller_id: AccountId,
    pub(crate) code: TicketCode,
    /// What goes back to the seller, as it was shown; `None` accepts whatever it is.
    pub(crate) payout: Option<Points>,
}

/// Return that was made; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReturnMade {
    pub(crate) return_id: ReturnId,
    /// What a buyer pays.
    pub(crate) price: Points,
    /// The program's share, in percent (0-100).
    pub(crate) fee_percent: i32,
    /// What goes back to the seller.
    pub(crate) payout: Points,
}

/// What decides whether a ticket is returned, and on which terms.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a row, each asked for by itself")]
pub(crate) struct ReturnTerms {
    pub(crate) ticket_id: Uuid,
    pub(crate) item_id: ReservationItemId,
    pub(crate) reservation_id: ReservationId,
    pub(crate) schedule_id: ScheduleId,
    pub(crate) schedule_seat_id: Option<ScheduleSeatId>,
    pub(crate) zone_id: Option<ZoneId>,
    pub(crate) holder_id: AccountId,
    pub(crate) status: TicketStatus,
    /// What was paid for the place.
    pub(crate) price: Points,
    /// Payment of the place; `None` once it was refunded.
    pub(crate) payment_id: Option<Uuid>,
    /// Who made it.
    pub(crate) payer_id: Option<AccountId>,
    /// The program's share, in percent (0-100).
    pub(crate) fee_percent: i32,
    /// Whether less than the ordinary price was paid: by a price type or with a code.
    pub(crate) is_reduced: bool,
    pub(crate) is_cancelled: bool,
    /// Whether the program is on sale, by the time of the statement.
    pub(crate) is_on_sale: bool,
    /// Start of the performance.
    pub(crate) starts_at: DateTime<Utc>,
    /// Time of the statement.
    pub(crate) now: DateTime<Utc>,
    /// Whether the ticket is offered to somebody.
    pub(crate) is_offered: bool,
    /// Open return of the ticket.
    pub(crate) return_id: Option<ReturnId>,
}

impl ReturnTerms {
    /// Whether the program is on sale and the door has not opened.
    pub(crate) fn is_open(&self, config: &Config) -> bool {
        self.is_on_sale && self.now < config.door_opens_at(self.starts_at)
    }

    pub(crate) fn place(&self) -> TicketPlace {
        TicketPlace {
            ticket_id: self.ticket_id,
            item_id: self.item_id,
            reservation_id: self.reservation_id,
            schedule_id: self.schedule_id,
            schedule_seat_id: self.schedule_seat_id,
            zone_id: self.zone_id,
        }
    }

    /// Returns what goes back to the seller; `None` on overflow.
    pub(crate) fn payout(&self) -> Option<Points> {
        payout_of(self.price, self.fee_percent)
    }
}

/// Return of a ticket, as its seller sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ShownReturn {
    pub(crate) return_id: ReturnId,
    pub(crate) status: ReturnStatus,
    pub(crate) price: Points,
    pub(crate) fee_percent: i32,
    pub(crate) payout: Points,
    /// Until when somebody holds the place and may pay for it; `None`: nobody does.
    pub(crate) held_until: Option<DateTime<Utc>>,
    /// When the seller asked for it while somebody held the place: it ends with that hold.
    pub(crate) wanted_back_at: Option<DateTime<Utc>>,
    pub(crate) settled_at: Option<DateTime<Utc>>,
    pub(crate) created_at: DateTime<Utc>,
}

impl ShownReturn {
    /// Returns the locale key of what is said while somebody holds the place.
    pub(crate) fn held_key(&self) -> &'static str {
        if self.wanted_back_at.is_some() { "return-held-wanted-back" } else { "return-held" }
    }
}
