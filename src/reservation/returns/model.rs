//! Types of returns.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    config::Config,
    points::Points,
    reservation::model::{ExchangeId, ReservationId, ReservationItemId, ReturnId},
};

/// State of a return.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    JsonSchema,
)]
#[strum(serialize_all = "kebab-case")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReturnStatus {
    /// For sale; the ticket admits.
    Open,
    /// The place was sold to a buyer.
    Sold,
    /// The seller took it back.
    TakenBack,
    /// The seller was let in with the ticket.
    Admitted,
    /// The ticket was refunded, or its program cancelled.
    Voided,
    /// The place was not sold before the door opened.
    Expired,
}

/// Place of a ticket, which never changes.
#[derive(Clone, Copy, Debug)]
pub struct TicketPlace {
    pub ticket_id: Uuid,
    pub item_id: ReservationItemId,
    pub reservation_id: ReservationId,
    pub schedule_id: ScheduleId,
    /// Seat; `None` for a place of a zone.
    pub schedule_seat_id: Option<ScheduleSeatId>,
    /// Zone; `None` for a seat.
    pub zone_id: Option<ZoneId>,
}

/// Reason for which the house has a place back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HouseCause {
    /// Its ticket was refunded alone.
    Refund,
    /// Its ticket was given for other places.
    Exchange(ExchangeId),
}

/// Return to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewReturn {
    pub id: ReturnId,
    pub place: TicketPlace,
    pub seller_id: AccountId,
    /// Payment of the place.
    pub payment_id: Uuid,
    pub price: Points,
    /// The program's share, in percent (0-100).
    pub fee_percent: i32,
    pub payout: Points,
}

/// Returns the part of `price` that a seller gets; `None` for a share beyond 100 percent.
pub fn payout_of(price: Points, fee_percent: i32) -> Option<Points> {
    price.checked_sub(price.share(fee_percent)?)
}

/// Place of a zone that is on return and not held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeReturn {
    pub id: ReturnId,
    pub price: Points,
    pub seller_id: AccountId,
}

/// Open return whose seat or zone this transaction has locked.
#[derive(Clone, Debug)]
pub(crate) struct OpenReturn {
    pub id: ReturnId,
    pub ticket_id: Uuid,
    pub item_id: ReservationItemId,
    /// Reservation of the seller.
    pub reservation_id: ReservationId,
    pub schedule_id: ScheduleId,
    pub schedule_seat_id: Option<ScheduleSeatId>,
    pub zone_id: Option<ZoneId>,
    pub seller_id: AccountId,
    pub payout: Points,
    /// Whether the seller wants it back once the present hold has ended.
    pub(crate) is_wanted_back: bool,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Time of the database after the locks.
    pub locked_at: DateTime<Utc>,
    /// Hold of the place by a buyer; `None` if it is not held.
    pub buyer: Option<ReservationId>,
    /// End of that hold.
    pub held_until: Option<DateTime<Utc>>,
    /// Whether that hold has passed its end.
    pub(crate) is_buyer_lapsed: bool,
}

impl OpenReturn {
    /// Whether the door has opened, so that the place is no longer sold.
    pub(crate) fn is_closed(&self, config: &Config) -> bool {
        config.door_opens_at(self.starts_at) <= self.locked_at
    }

    /// Whether a hold has the place that has not passed its end.
    pub(crate) fn is_being_bought(&self) -> bool {
        self.buyer.is_some() && !self.is_buyer_lapsed
    }
}

/// Return whose place was bought in this transaction.
#[derive(Clone, Copy, Debug)]
pub struct SoldReturn {
    pub id: ReturnId,
    pub ticket_id: Uuid,
    pub seller_id: AccountId,
    pub payout: Points,
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_share_is_rounded_in_favour_of_the_seller() {
        let payout =
            |price, percent| payout_of(Points::new(price).unwrap(), percent).map(Points::get);
        assert_eq!(payout(100, 0), Some(100));
        assert_eq!(payout(101, 10), Some(91));
        assert_eq!(payout(99, 100), Some(0));
        assert_eq!(payout(i64::MAX, 1), Some(i64::MAX - i64::MAX / 100));
    }

    #[test]
    fn a_place_on_return_is_sold_until_the_door_opens() {
        let config = Config::of_servers();
        let closed = |after_door: TimeDelta| {
            let open = OpenReturn {
                id: ReturnId(Uuid::nil()),
                ticket_id: Uuid::nil(),
                item_id: ReservationItemId(Uuid::nil()),
                reservation_id: ReservationId(Uuid::nil()),
                schedule_id: ScheduleId(Uuid::nil()),
                schedule_seat_id: None,
                zone_id: None,
                seller_id: AccountId(Uuid::nil()),
                payout: Points::ONE,
                is_wanted_back: false,
                starts_at: DateTime::UNIX_EPOCH + config.door_opens_before() - after_door,
                locked_at: DateTime::UNIX_EPOCH,
                buyer: None,
                held_until: None,
                is_buyer_lapsed: false,
            };
            open.is_closed(&config)
        };
        let second = TimeDelta::seconds(1);
        assert_eq!([-second, TimeDelta::zero(), second].map(closed), [false, true, true]);
    }
}
