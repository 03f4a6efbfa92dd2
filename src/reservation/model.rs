//! Types of reservations and their items.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use strum::AsRefStr;
use uuid::Uuid;

use super::codes::word::CodeWord;
use crate::{
    catalog::{PriceTypeId, ProgramId, ScheduleId, ScheduleSeatId, SeatKind, ToldNote, ZoneId},
    infra::{ids::ids, ids::new_id},
    points::Points,
    text::translated::Translated,
};

pub use super::choice::{Choice, Wish};
pub use super::refund_steps::{RefundShare, RefundSteps};

ids! {
    /// Id of a reservation.
    pub ReservationId(Uuid),
    /// Id of one item of a reservation: a seat, or places in a zone.
    pub ReservationItemId(Uuid),
    /// Id of a wish of a waiting list.
    pub WishId(Uuid),
    /// Id of a return; also the reference of the seller's entry in the ledger.
    pub ReturnId(Uuid),
    /// Id of an exchange of tickets for other places.
    pub ExchangeId(Uuid),
}

/// State of a reservation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, AsRefStr, JsonSchema,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReservationStatus {
    /// Unpaid, until `expires_at`.
    Held,
    /// Paid.
    Confirmed,
    /// Released by its owner before payment.
    Cancelled,
    /// Not paid before `expires_at`.
    Expired,
    /// Paid, then refunded.
    Refunded,
}

impl ReservationStatus {
    /// Returns the locale key of its name.
    pub fn text_key(self) -> String {
        format!("reservation-status-{}", self.as_ref().to_lowercase())
    }
}

/// Reservation as its owner sees it. A hold past its end is shown as expired, whether or not its
/// row has been updated.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// Id of the reservation.
    pub id: ReservationId,
    /// Performance reserved.
    pub schedule_id: ScheduleId,
    /// Program of the performance.
    pub program_id: ProgramId,
    /// Current state.
    pub status: ReservationStatus,
    /// Amount to pay: the price of all items together, less the discount.
    pub total: Points,
    /// Points that its code takes off the price.
    pub discount: Points,
    /// Word of its code; `None` without one.
    pub code: Option<CodeWord>,
    /// End of the hold; kept after payment.
    pub expires_at: DateTime<Utc>,
    /// Time of the renewal; `None` if never renewed. One renewal is allowed.
    pub renewed_at: Option<DateTime<Utc>>,
    /// Wish that it was offered to; `None` if its owner chose it.
    pub wish_id: Option<WishId>,
    /// What was agreed that a refund gives back, and until when, after the moves of the performance.
    pub refund_steps: RefundSteps,
    /// Time of payment or of the end; `None` while held.
    pub settled_at: Option<DateTime<Utc>>,
    /// Time the hold was made.
    pub created_at: DateTime<Utc>,
    /// Whether a share of it was ever made, for several people to pay.
    pub is_shared: bool,
    /// Whether places of it are on return until it is paid.
    pub buys_return: bool,
    /// Exchange of its account that was open when it was made.
    pub exchange_id: Option<ExchangeId>,
    /// Start that was agreed, where people were told that the performance has moved since and begins at another
    /// time now.
    pub moved_from: Option<DateTime<Utc>>,
    /// Words of the office about the last of these moves, by language.
    pub move_texts: Option<Json<Translated<String>>>,
    /// Words of the office about the cancellation of its performance or program, by language.
    pub cancel_texts: Option<Json<Translated<String>>>,
    /// Until when everything is refunded because of these moves, whatever was agreed.
    pub full_refund_until: Option<DateTime<Utc>>,
    /// What else was agreed and is called otherwise now.
    pub changes: Json<Vec<ToldNote>>,
}

impl Reservation {
    /// Returns the points that a refund at `now` gives back, paid by one payment; `None` where there is none.
    pub fn refund(&self, now: DateTime<Utc>) -> Option<Points> {
        self.refund_share(now)?.of(self.total, self.total)
    }

    /// Returns what a refund at `now` gives back; `None` where there is none.
    pub fn refund_share(&self, now: DateTime<Utc>) -> Option<RefundShare> {
        self.refund_steps.share_at(now, self.full_refund_until)
    }

    /// Returns until when everything is refunded; `None` where the agreed share is.
    pub fn full_refund_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.full_refund_until.filter(|until| now < *until)
    }

    /// Whether a refund is possible at `now`.
    pub fn is_refundable(&self, now: DateTime<Utc>) -> bool {
        self.refund_share(now).is_some()
    }
}

/// One item of a reservation: a seat, or places in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// Id of the item.
    pub id: ReservationItemId,
    /// Seat; `None` for places in a zone.
    #[serde(rename = "seat_id", skip_serializing_if = "Option::is_none")]
    pub schedule_seat_id: Option<ScheduleSeatId>,
    /// Zone; `None` for a seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<ZoneId>,
    /// Number of places; 1 for a seat.
    pub quantity: i32,
    /// Price of one seat or place.
    #[serde(rename = "price")]
    pub unit_price: Points,
    /// Return that the place is bought from; `None` for a free place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_id: Option<ReturnId>,
    /// Whether the place was on return when it was held, so that no code makes it cheaper.
    #[serde(skip)]
    pub was_on_return: bool,
    /// Number of its places that were resold since it was paid.
    #[serde(skip)]
    pub returned: i32,
}

impl Item {
    /// Creates the item of a seat.
    pub fn of_seat(id: ScheduleSeatId, price: Points) -> Self {
        Self::new(Some(id), None, 1, price)
    }

    /// Creates the item of places in a zone.
    pub(crate) fn of_places(zone_id: ZoneId, quantity: i32, price: Points) -> Self {
        Self::new(None, Some(zone_id), quantity, price)
    }

    fn new(
        schedule_seat_id: Option<ScheduleSeatId>,
        zone_id: Option<ZoneId>,
        quantity: i32,
        unit_price: Points,
    ) -> Self {
        let id = ReservationItemId(new_id());
        Self {
            id,
            schedule_seat_id,
            zone_id,
            quantity,
            unit_price,
            return_id: None,
            was_on_return: false,
            returned: 0,
        }
    }

    /// Returns the item as one that is bought from a return.
    #[must_use]
    pub fn of_return(self, return_id: Option<ReturnId>) -> Self {
        Self { return_id, was_on_return: return_id.is_some(), ..self }
    }

    pub(crate) fn of_kind(self, kind: SeatKind) -> ItemOfKind {
        ItemOfKind { item: self, kind, price_type: None }
    }
}

/// Price type of an item, as it was when the item was held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemPriceType {
    /// Id of its terms.
    pub id: PriceTypeId,
    /// Name.
    pub name: String,
    /// Price of one place without the type.
    pub ordinary_price: Points,
}

/// Item as shown to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemOfKind {
    /// Item.
    #[serde(flatten)]
    pub item: Item,
    /// Kind of the seat. Outcomes that an earlier version kept have none.
    #[serde(default, skip_serializing_if = "SeatKind::is_standard")]
    pub kind: SeatKind,
    /// Price type; left out at the ordinary price, and unknown to earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_type: Option<ItemPriceType>,
}

/// Reservation whose row this transaction has locked.
#[derive(Clone, Debug)]
pub struct Locked {
    /// Id of the reservation.
    pub reservation_id: ReservationId,
    /// Version of the row; a write must name it.
    pub version: i64,
    /// Program of the performance.
    pub program_id: ProgramId,
    /// Performance reserved.
    pub schedule_id: ScheduleId,
    /// Amount to pay: the price of all items together, less the discount.
    pub total: Points,
    /// Points that its code takes off the price.
    pub discount: Points,
    /// End of the hold; kept after payment.
    pub expires_at: DateTime<Utc>,
    /// Time by the database's clock after the row was locked; compared with `expires_at` to decide
    /// whether the hold has ended.
    pub locked_at: DateTime<Utc>,
    /// Time of the renewal; `None` if never renewed. One renewal is allowed.
    pub renewed_at: Option<DateTime<Utc>>,
    /// Wish that it was offered to; `None` if its owner chose it.
    pub wish_id: Option<WishId>,
    /// Whether a share of it was ever made, for several people to pay.
    pub is_shared: bool,
    /// Whether places of it are on return until it is paid.
    pub buys_return: bool,
    /// Exchange of its account that was open when it was made.
    pub exchange_id: Option<ExchangeId>,
    /// Items of the reservation.
    pub items: Vec<Item>,
}

impl Locked {
    /// Returns the ids of its seats.
    pub fn seat_ids(&self) -> Vec<ScheduleSeatId> {
        self.items.iter().filter_map(|item| item.schedule_seat_id).collect()
    }
}

/// Hold whose row this transaction has locked: unpaid, not past its end, of a program that is not
/// cancelled.
#[derive(Clone, Debug)]
pub struct Held(pub Locked);

impl std::ops::Deref for Held {
    type Target = Locked;

    fn deref(&self) -> &Locked {
        &self.0
    }
}

/// Waiting lists that this transaction has locked; required to free seats or places of their
/// performances.
#[derive(Clone, Debug)]
pub struct LockedLists {
    /// Performances with a wish that waits.
    pub(super) waited_for: Vec<ScheduleId>,
}

/// Reservations whose rows this transaction has locked, with their versions and statuses.
pub type LockedReservations = HashMap<ReservationId, (i64, ReservationStatus)>;

/// Paid reservation whose row this transaction has locked.
#[derive(Clone, Debug)]
pub struct Confirmed {
    pub locked: Locked,
    /// What a refund gives back at the time of the lock: everything if the program was cancelled, or while a
    /// move of the performance allows it; `None` after the last deadline.
    pub refund_share: Option<RefundShare>,
    /// Waiting lists that are offered the seats and places of the refund.
    pub(super) lists: LockedLists,
    /// Whether its program or performance was cancelled.
    pub is_cancelled: bool,
    /// Versions of the locked reservations: its own, and the buyers' holds of its places.
    pub(super) reservations: LockedReservations,
}

impl std::ops::Deref for Confirmed {
    type Target = Locked;

    fn deref(&self) -> &Locked {
        &self.locked
    }
}

/// State of a seat of a performance.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, AsRefStr, JsonSchema,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SeatStatus {
    /// Free.
    Available,
    /// In a hold.
    Held,
    /// Sold.
    Reserved,
    /// Not for sale.
    Blocked,
    /// Free, for accounts to which a code has opened its section.
    Hidden,
}

/// Hold as returned to the client, the first time and for each repetition of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// Id of the reservation.
    pub reservation_id: ReservationId,
    /// Always [`ReservationStatus::Held`].
    pub status: ReservationStatus,
    /// Amount to pay: the price of all items together, less the discount.
    pub total: Points,
    /// Word of its code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeWord>,
    /// Points that the code takes off the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<Points>,
    /// End of the hold.
    pub expires_at: DateTime<Utc>,
    /// Items of the hold.
    pub items: Vec<ItemOfKind>,
}

impl Hold {
    /// Creates a hold of `items`, which cost `total` together.
    pub fn new(items: Vec<ItemOfKind>, total: Points, expires_at: DateTime<Utc>) -> Self {
        let reservation_id = ReservationId(new_id());
        let (status, code, discount) = (ReservationStatus::Held, None, None);
        Self { reservation_id, status, total, code, discount, expires_at, items }
    }
}
