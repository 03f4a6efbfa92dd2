//! Types of wishes and their offers.

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

/// Maximum number of free seats read for one matching: more than a venue has.
pub const SEATS_MAX: i64 = 100_000;
/// Shortest offer, in seconds. With less time before the start no offer is made, and no wish is
/// accepted.
const OFFER_SECS_MIN: i32 = 60;

/// Maximum number of places of a wish: `wishes_places_range`.
pub const PLACES_MAX: i32 = 8;

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
pub enum WishStatus {
    /// It waits in the list.
    Waiting,
    /// It got its offer, whatever the outcome.
    Offered,
    /// Its account withdrew it.
    Left,
    /// The list ended before: the performance began, or is no longer on sale.
    Ended,
}

/// Places that an account waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WishOrder {
    /// Number of seats or places.
    pub places: i32,
    /// Name of the section or zone; `None` for any.
    pub section: Option<String>,
    /// Zone that the name meant when the wish was made; `None` if it meant none, or before that.
    #[serde(skip)]
    pub zone_id: Option<ZoneId>,
    /// Highest price of one place; `None` for any.
    pub price_max: Option<Points>,
    /// Whether seats must be side by side. Places of a zone always are together.
    pub is_together: bool,
}

/// Request for a place in a waiting list.
#[derive(Clone, Debug)]
pub(crate) struct WishRequest {
    pub account_id: AccountId,
    pub order: WishOrder,
    /// Request key: requests with the same key make one wish.
    pub key: Option<RequestKey>,
}

/// Wish that waits.
#[derive(Clone, Debug)]
pub struct WaitingWish {
    pub id: WishId,
    pub account_id: AccountId,
    /// Order in the list.
    pub number: i64,
    pub order: WishOrder,
}

/// Answer to a wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wished {
    pub wish_id: WishId,
    /// Order in the list, from 1.
    pub number: i64,
}

/// Last wish of an account for one performance, as its owner sees it.
#[derive(Clone, Debug)]
pub(crate) struct OwnWish {
    pub id: WishId,
    pub number: i64,
    pub order: WishOrder,
    pub status: WishStatus,
    pub created_at: DateTime<Utc>,
    /// Number of waiting wishes before this one; 0 unless it waits.
    pub ahead: i64,
    /// Reservation that it was offered; `None` before.
    pub offer: Option<WishOffer>,
}

/// Reservation that was offered to a wish.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WishOffer {
    pub reservation_id: ReservationId,
    /// Status of the reservation; a hold past its end is shown as expired.
    pub status: ReservationStatus,
    pub expires_at: DateTime<Utc>,
}

/// Terms of the offers of one performance, at one moment of the database's clock.
#[derive(Clone, Copy, Debug)]
pub struct OfferTerms {
    pub schedule_id: ScheduleId,
    /// Whether the performance is on sale.
    pub is_on_sale: bool,
    /// Whether its sale has not opened yet.
    pub is_coming: bool,
    /// Whether places are kept for guests who need them.
    pub keeps_places: bool,
    /// Least number of places of an order, unless all of them are on return.
    pub places_min: i32,
    /// Length of an offer, in seconds, which ends with the start of the performance at the latest.
    pub(crate) offer_secs: i32,
}

impl OfferTerms {
    /// Whether offers may be made.
    pub(crate) fn can_offer(&self) -> bool {
        self.is_on_sale && self.offer_secs >= OFFER_SECS_MIN
    }
}
