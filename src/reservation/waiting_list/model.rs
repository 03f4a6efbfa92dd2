//! Wishes and what is made of them.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ZoneId},
    infra::idempotency::RequestKey,
    points::Points,
    reservation::model::{ReservationId, ReservationStatus, WishId},
};

/// Free seats that are looked at together: more than a venue has.
pub(crate) const SEATS_MAX: i64 = 100_000;
/// Shortest offer, in seconds. With less time before the start nothing is offered, and no wish is taken.
const OFFER_SECS_MIN: i32 = 60;

/// Places that a wish may be for: `wishes_places_range`.
pub(crate) const PLACES_MAX: i32 = 8;

/// State of a wish.
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
pub(crate) enum WishStatus {
    /// In the list.
    Waiting,
    /// It got its offer, whatever became of that.
    Offered,
    /// Its account took it back.
    Left,
    /// The list ended first: the performance began, or is no longer on sale.
    Ended,
}

/// Places that an account asks for, of those that become free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WishOrder {
    /// Seats or places.
    pub places: i32,
    /// Section or zone, by its name; `None`: any.
    pub section: Option<String>,
    /// Zone that the name meant when the wish was made; `None`: none, or the wish is not made yet.
    #[serde(skip)]
    pub zone_id: Option<ZoneId>,
    /// Highest price of one place; `None`: any.
    pub price_max: Option<Points>,
    /// Whether seats must be side by side. Places of a zone always are.
    pub is_together: bool,
}

/// Request for a place in a waiting list.
#[derive(Clone, Debug)]
pub(crate) struct WishRequest {
    pub(crate) account_id: AccountId,
    pub(crate) order: WishOrder,
    /// Request key: requests with the same key make one wish.
    pub(crate) key: Option<RequestKey>,
}

/// Wish that waits.
#[derive(Clone, Debug)]
pub(crate) struct WaitingWish {
    pub(crate) id: WishId,
    pub(crate) account_id: AccountId,
    /// Order in the list.
    pub(crate) number: i64,
    pub(crate) order: WishOrder,
}

/// Answer to a wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Wished {
    pub wish_id: WishId,
    /// Order in the list, from 1.
    pub number: i64,
}

/// Last wish of an account for one performance, as its owner sees it.
#[derive(Clone, Debug)]
pub(crate) struct OwnWish {
    pub(crate) id: WishId,
    pub(crate) number: i64,
    pub(crate) order: WishOrder,
    pub(crate) status: WishStatus,
    pub(crate) created_at: DateTime<Utc>,
    /// Wishes that wait before this one; 0 unless it waits.
    pub(crate) ahead: i64,
    /// Reservation that it was offered; `None` before.
    pub(crate) offer: Option<WishOffer>,
}

/// Reservation that was offered to a wish.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WishOffer {
    pub(crate) reservation_id: ReservationId,
    /// A hold past its end reads as expired.
    pub(crate) status: ReservationStatus,
    pub(crate) expires_at: DateTime<Utc>,
}

/// Terms of the offers of one performance, at one moment of the database's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferTerms {
    pub(crate) schedule_id: ScheduleId,
    /// Whether the performance is on sale.
    pub(crate) is_on_sale: bool,
    /// Whether its sale has not opened yet.
    pub(crate) is_coming: bool,
    /// Whether places are kept for those who need them.
    pub(crate) keeps_places: bool,
    /// Length of an offer, in seconds; it ends with the start of the performance.
    pub(crate) offer_secs: i32,
}

impl OfferTerms {
    /// Whether anything may be offered.
    pub(crate) fn can_offer(&self) -> bool {
        self.is_on_sale && self.offer_secs >= OFFER_SECS_MIN
    }
}
