//! Reservations and what they consist of.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    points::Points,
};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
        )]
        #[sqlx(transparent)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// Names a reservation.
    ReservationId,
    /// Names one line of a reservation: a seat, or places in a zone.
    ReservationItemId,
}

/// Where a reservation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReservationStatus {
    /// Held until its end, not paid.
    Held,
    /// Paid.
    Confirmed,
    /// Given back by its owner before it was paid.
    Cancelled,
    /// Not paid in time.
    Expired,
    /// Paid, then given back.
    Refunded,
}

impl ReservationStatus {
    /// As the database and the contract write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "HELD",
            Self::Confirmed => "CONFIRMED",
            Self::Cancelled => "CANCELLED",
            Self::Expired => "EXPIRED",
            Self::Refunded => "REFUNDED",
        }
    }
}

/// A reservation as its owner sees it. A hold that has reached its end reads as
/// expired, whether or not anybody has written so yet.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// Its id.
    pub id: ReservationId,
    /// Whose it is.
    pub account_id: AccountId,
    /// For which performance.
    pub schedule_id: ScheduleId,
    /// Of which program.
    pub program_id: ProgramId,
    /// Where it stands.
    pub status: ReservationStatus,
    /// What all items cost together.
    pub total: Points,
    /// When the hold ends, or would have.
    pub expires_at: DateTime<Utc>,
    /// When it was renewed; once at most.
    pub renewed_at: Option<DateTime<Utc>>,
    /// Until when it can be given back after it was paid.
    pub refund_until: DateTime<Utc>,
    /// For how many percent.
    pub refund_percent: i32,
    /// When it was paid or ended.
    pub settled_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl Reservation {
    /// Points that go back when the reservation is given back in time.
    pub fn refund(&self) -> Option<Points> {
        self.total.share(self.refund_percent)
    }
}

/// One line of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: ReservationItemId,
    /// Which seat; `None` for places in a zone.
    #[serde(rename = "seat_id", skip_serializing_if = "Option::is_none")]
    pub schedule_seat_id: Option<ScheduleSeatId>,
    /// Which zone; `None` for a seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<ZoneId>,
    /// How many places; 1 for a seat.
    pub quantity: i32,
    /// What one of them costs.
    #[serde(rename = "price")]
    pub unit_price: Points,
}

/// A reservation whose row this transaction has locked.
#[derive(Clone, Debug)]
pub struct Locked {
    /// Its id.
    pub reservation_id: ReservationId,
    /// Of which program.
    pub program_id: ProgramId,
    /// For which performance.
    pub schedule_id: ScheduleId,
    /// What all items cost together.
    pub total: Points,
    /// When the hold ends, or would have.
    pub expires_at: DateTime<Utc>,
    /// When its row was ours, by the database's clock: the moment that decides what
    /// comes before its end.
    pub locked_at: DateTime<Utc>,
    /// When it was renewed; once at most.
    pub renewed_at: Option<DateTime<Utc>>,
    /// What it consists of.
    pub items: Vec<Item>,
}

impl Locked {
    /// Its seats.
    pub(crate) fn seat_ids(&self) -> Vec<ScheduleSeatId> {
        self.items.iter().filter_map(|item| item.schedule_seat_id).collect()
    }
}

/// A hold that this transaction has locked: not paid, not over, of a program that
/// takes place.
#[derive(Clone, Debug)]
pub struct Held(pub(crate) Locked);

impl std::ops::Deref for Held {
    type Target = Locked;

    fn deref(&self) -> &Locked {
        &self.0
    }
}

/// A paid reservation that this transaction has locked.
#[derive(Clone, Debug)]
pub struct Confirmed {
    pub(crate) locked: Locked,
    /// Whether the time for giving it back is not over; it is never over when the
    /// program was cancelled.
    pub is_refundable: bool,
    /// For how many percent; all of it when the program was cancelled.
    pub refund_percent: i32,
}

impl std::ops::Deref for Confirmed {
    type Target = Locked;

    fn deref(&self) -> &Locked {
        &self.locked
    }
}

/// Whether a seat can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SeatStatus {
    /// Free.
    Available,
    /// In somebody's hold.
    Held,
    /// Sold.
    Reserved,
    /// Not for sale.
    Blocked,
}

impl SeatStatus {
    /// As the database and the contract write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Available => "AVAILABLE",
            Self::Held => "HELD",
            Self::Reserved => "RESERVED",
            Self::Blocked => "BLOCKED",
        }
    }
}

/// What somebody wants to hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// These seats: at least one, sorted and distinct.
    Seats(Vec<ScheduleSeatId>),
    /// So many places of a zone.
    Places {
        /// Which zone.
        zone_id: ZoneId,
        /// How many; at least one.
        quantity: i32,
    },
    /// The best seats that are free together.
    Best(Wish),
}

/// Which seats would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wish {
    /// How many, side by side; at least one.
    pub n_seats: usize,
    /// In this section only.
    pub section: Option<String>,
    /// For this price only.
    pub price: Option<Points>,
}

impl Choice {
    /// How many seats or places.
    pub fn quantity(&self) -> i64 {
        match self {
            Self::Seats(ids) => i64::try_from(ids.len()).unwrap_or(i64::MAX),
            Self::Places { quantity, .. } => i64::from(*quantity),
            Self::Best(wish) => i64::try_from(wish.n_seats).unwrap_or(i64::MAX),
        }
    }
}

/// A hold as it is answered, the first time and whenever its request key comes again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Its id.
    pub reservation_id: ReservationId,
    /// Held.
    pub status: ReservationStatus,
    /// What all items cost together.
    pub total: Points,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
    /// What it consists of.
    pub items: Vec<Item>,
}
