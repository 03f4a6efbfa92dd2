//! Request to hold seats or places, and the price it was shown.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use super::{single_seats::SeatBlock, types_asked::TypesAsked};
use crate::{
    accounts::AccountId,
    catalog::{Program, Schedule},
    entry_queue::EntryPass,
    infra::idempotency::RequestKey,
    points::Points,
    reservation::{error::ReservationError, model::Choice},
};

/// Request to hold seats or zone places for one account.
#[derive(Clone, Debug)]
pub(crate) struct HoldRequest {
    /// Account that will own the hold.
    pub account_id: AccountId,
    /// Program of the performance.
    pub program: Arc<Program>,
    /// Performance.
    pub schedule: Schedule,
    /// Seats or places wanted.
    pub choice: Choice,
    /// Blocks of the chosen seats, by what is beside them; empty unless the program refuses orders that
    /// leave single seats.
    pub blocks: Vec<SeatBlock>,
    /// Price types of the places; none: the ordinary price.
    pub types: TypesAsked,
    /// Price that was shown; `None` accepts any price.
    pub shown: Option<ShownPrice>,
    /// Whether the account confirmed that it, or somebody it books for, needs a place that is kept.
    /// It is not stored: it would tell of somebody's health.
    pub is_needed: bool,
    /// Idempotency key: requests with the same key are carried out once.
    pub request_key: Option<Uuid>,
    /// Entry pass sent with the request; must belong to the current stay, or the hold is refused.
    pub pass: Option<EntryPass>,
}

/// Request for seats or places by id.
#[derive(Clone, Debug)]
pub(crate) struct ChosenRequest {
    /// Request; its choice is no wish.
    pub(crate) request: HoldRequest,
    /// Request key, which may belong to the wish that led to the choice.
    pub(crate) key: Option<RequestKey>,
}

/// Price that the sender of a request saw. It is compared with the current price, never charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ShownPrice {
    /// Total of all seats or places.
    Total(Points),
    /// `schedules.price_version` as read before the seats that were shown. A seat priced by a later
    /// version may have been shown at another price.
    PriceVersion(i64),
    /// Ordinary price of one place of the zone. With the types, whose terms the request names, it gives
    /// the total.
    UnitPrice(Points),
}

impl ShownPrice {
    /// Returns the shown total; `None` for a price version or the price of one place.
    pub(crate) fn total(self) -> Option<Points> {
        match self {
            Self::Total(total) => Some(total),
            Self::PriceVersion(_) | Self::UnitPrice(_) => None,
        }
    }

    /// Returns the shown price of one place; `None` for a total or a price version.
    pub(crate) fn unit_price(self) -> Option<Points> {
        match self {
            Self::UnitPrice(price) => Some(price),
            Self::Total(_) | Self::PriceVersion(_) => None,
        }
    }
}

impl HoldRequest {
    pub(crate) fn key(&self) -> Option<RequestKey> {
        let route = format!("POST /schedules/{}/reservations", self.schedule.id);
        let (owner, key) = (self.account_id.0, self.request_key?);
        // Requests without types keep the digest that they always had.
        if !self.types.is_empty() {
            let request = (&self.choice, self.shown, &self.types);
            return Some(RequestKey::new(owner, key, &route, &request));
        }
        Some(match self.shown {
            Some(shown) => RequestKey::new(owner, key, &route, &(&self.choice, shown)),
            None => RequestKey::new(owner, key, &route, &self.choice),
        })
    }

    /// Returns the owner name of the leases; a second attempt with the same key has the same name.
    pub(crate) fn owner(&self) -> String {
        let key = self.request_key.unwrap_or_else(Uuid::new_v4);
        format!("{}:{}", self.account_id, key.simple())
    }

    /// Refuses the request if the shown price differs from `total`. Both arguments come from locked
    /// rows; `price_version` is the newest among the seats. The price of one place is compared by
    /// [`Self::require_unit_price`].
    pub(crate) fn require_shown(
        &self,
        total: Points,
        price_version: i64,
    ) -> Result<(), ReservationError> {
        let is_as_shown = match self.shown {
            None => true,
            Some(ShownPrice::Total(shown)) => shown == total,
            Some(ShownPrice::PriceVersion(shown)) => price_version <= shown,
            Some(ShownPrice::UnitPrice(_)) => true,
        };
        if is_as_shown { Ok(()) } else { Err(ReservationError::PriceChanged { total }) }
    }

    /// Refuses a request of places that was shown another price of one than `price`, which comes from the
    /// locked zone.
    pub(crate) fn require_unit_price(
        &self,
        price: Points,
        total: Points,
    ) -> Result<(), ReservationError> {
        match self.shown {
            Some(ShownPrice::UnitPrice(shown)) if shown != price => {
                Err(ReservationError::PriceChanged { total })
            }
            _ => Ok(()),
        }
    }
}
