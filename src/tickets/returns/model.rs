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
pub struct ReturnOrder {
    pub seller_id: AccountId,
    pub code: TicketCode,
    /// Payout as it was shown to the seller; `None` accepts any payout.
    pub payout: Option<Points>,
}

/// Return that was made; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReturnMade {
    pub return_id: ReturnId,
    /// Price that the buyer pays.
    pub price: Points,
    /// The program's share, in percent (0-100).
    pub fee_percent: i32,
    /// Points that the seller gets.
    pub payout: Points,
}

/// Facts that decide whether a ticket can be returned, and the payout.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a row, each asked for by itself")]
pub struct ReturnTerms {
    pub ticket_id: Uuid,
    pub item_id: ReservationItemId,
    pub reservation_id: ReservationId,
    pub schedule_id: ScheduleId,
    pub schedule_seat_id: Option<ScheduleSeatId>,
    pub zone_id: Option<ZoneId>,
    pub(crate) holder_id: AccountId,
    pub status: TicketStatus,
    /// Price that was paid for the place.
    pub price: Points,
    /// Payment of the place; `None` once it was refunded.
    pub payment_id: Option<Uuid>,
    /// Account that made the payment.
    pub payer_id: Option<AccountId>,
    /// The program's share, in percent (0-100).
    pub fee_percent: i32,
    /// Whether the place was bought at a price type or with a code.
    pub is_reduced: bool,
    pub is_cancelled: bool,
    /// Whether the program is on sale, by the time of the statement.
    pub is_on_sale: bool,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Time of the statement.
    pub now: DateTime<Utc>,
    /// Whether the order has other places, or another owner than the holder, so that the ticket may be refunded
    /// without all of it.
    pub is_of_several: bool,
    /// Whether a hand-over of the ticket is pending.
    pub is_offered: bool,
    /// Open return of the ticket.
    pub return_id: Option<ReturnId>,
    /// Points that the ticket is worth less in an exchange; `None` if staff alone exchange it.
    pub exchange_fee: Option<Points>,
    /// Until when other places may be paid with it.
    pub exchange_until: DateTime<Utc>,
    /// End of the sale, after which no other places are held.
    pub off_sale_at: DateTime<Utc>,
}

impl ReturnTerms {
    /// Returns until when an exchange of the ticket can be begun.
    pub fn exchange_begins_until(&self) -> DateTime<Utc> {
        self.exchange_until.min(self.off_sale_at)
    }

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

    /// Returns the points that the seller gets; `None` on overflow.
    pub(crate) fn payout(&self) -> Option<Points> {
        payout_of(self.price, self.fee_percent)
    }
}

/// Return of a ticket, as its seller sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownReturn {
    pub return_id: ReturnId,
    pub status: ReturnStatus,
    pub price: Points,
    pub fee_percent: i32,
    pub payout: Points,
    /// Whether the house took the place back, for what the terms of the order say.
    pub to_house: bool,
    /// Whether the ticket paid for other places.
    pub is_exchanged: bool,
    /// Until when a buyer holds the place and may pay for it; `None` without a hold.
    pub held_until: Option<DateTime<Utc>>,
    /// When the seller asked for the ticket while a buyer held the place: the return ends with that
    /// hold.
    pub wanted_back_at: Option<DateTime<Utc>>,
    pub settled_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

impl ShownReturn {
    /// Returns the locale key of the text about a ticket that was sold, or refunded by itself.
    pub(crate) fn note_key(&self) -> &'static str {
        match (self.to_house, self.is_exchanged) {
            (_, true) => "ticket-exchanged-note",
            (true, false) => "ticket-refunded-note",
            (false, false) => "return-sold-note",
        }
    }

    /// Returns the locale key of the text that is shown while a buyer holds the place.
    pub(crate) fn held_key(&self) -> &'static str {
        if self.wanted_back_at.is_some() { "return-held-wanted-back" } else { "return-held" }
    }
}
