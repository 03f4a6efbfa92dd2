//! Request to hold seats or places, and the price it was shown.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use super::{price_types::asked::TypesAsked, single_seats::SeatBlock};
use crate::{
    accounts::AccountId,
    catalog::{Program, Schedule, ScheduleSeatId},
    entry_queue::EntryPass,
    infra::idempotency::RequestKey,
    points::Points,
    reservation::{
        codes::model::{AskedCode, OrderPrice, OrderSum},
        error::ReservationError,
        model::Choice,
    },
};

/// Request to hold seats or zone places for one account.
#[derive(Clone, Debug)]
pub struct HoldRequest {
    /// Account that will own the hold.
    pub account_id: AccountId,
    /// Program of the performance.
    pub program: Arc<Program>,
    /// Performance.
    pub schedule: Schedule,
    /// Seats or places wanted.
    pub choice: Choice,
    /// Blocks of the chosen seats, with the seats beside them; `None` if the cached program does
    /// not refuse orders that leave single seats.
    pub blocks: Option<Vec<SeatBlock>>,
    /// Price types of the places; empty for the ordinary price.
    pub types: TypesAsked,
    /// Price that was shown; `None` accepts any price.
    pub shown: Option<ShownPrice>,
    /// Code that reduces the price.
    pub code: Option<AskedCode>,
    /// Whether the account confirmed that a guest of the order needs a kept place. It is not
    /// stored, because it would disclose a person's health.
    pub is_needed: bool,
    /// Idempotency key: requests with the same key are carried out once.
    pub request_key: Option<Uuid>,
    /// Entry pass sent with the request; must belong to the current stay, or the hold is refused.
    pub pass: Option<EntryPass>,
}

/// Request for seats or places by id.
#[derive(Clone, Debug)]
pub struct ChosenRequest {
    /// Request, whose choice is seats or places and no wish.
    pub request: HoldRequest,
    /// Request key, which may belong to the wish that led to the choice.
    pub key: Option<RequestKey>,
}

/// Price that the sender of a request saw. It is compared with the current price, never charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownPrice {
    /// Total of all seats or places, after the discount of a code.
    Total(Points),
    /// Sum of the prices of all places, before the discount of a code whose terms were shown.
    Sum(Points),
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
            Self::Sum(_) | Self::PriceVersion(_) | Self::UnitPrice(_) => None,
        }
    }

    /// Returns the shown price of one place; `None` for every other kind of price.
    pub(crate) fn unit_price(self) -> Option<Points> {
        match self {
            Self::UnitPrice(price) => Some(price),
            Self::Total(_) | Self::Sum(_) | Self::PriceVersion(_) => None,
        }
    }
}

impl HoldRequest {
    /// Returns the seats beside its blocks, whose state the rule of single seats needs.
    pub(crate) fn beside(&self) -> impl Iterator<Item = ScheduleSeatId> {
        self.blocks.iter().flatten().flat_map(SeatBlock::beside)
    }

    /// Whether an order of `n_places` is below the least number of the program as it was read, so that
    /// it may have places on return only.
    pub(crate) fn is_below_least(&self, n_places: usize) -> bool {
        usize::try_from(self.program.places_per_order_min).is_ok_and(|least| n_places < least)
    }

    pub(crate) fn key(&self) -> Option<RequestKey> {
        let route = format!("POST /schedules/{}/reservations", self.schedule.id);
        let (owner, key) = (self.account_id.0, self.request_key?);
        // Values that were not sent are not part of the digest, as in requests of earlier versions.
        let types = Some(&self.types).filter(|types| !types.is_empty());
        let word = self.code.as_ref().map(|code| &code.word);
        Some(match (self.shown, types, word) {
            (shown, Some(types), word) => {
                RequestKey::new(owner, key, &route, &(&self.choice, shown, types, word))
            }
            (shown, None, Some(word)) => {
                RequestKey::new(owner, key, &route, &(&self.choice, shown, word))
            }
            (Some(shown), None, None) => {
                RequestKey::new(owner, key, &route, &(&self.choice, shown))
            }
            (None, None, None) => RequestKey::new(owner, key, &route, &self.choice),
        })
    }

    /// Returns the owner name of the leases; a second attempt with the same key has the same name.
    pub(crate) fn owner(&self) -> String {
        let key = self.request_key.unwrap_or_else(Uuid::new_v4);
        format!("{}:{}", self.account_id, key.simple())
    }

    /// Returns the price of an order of `sum` with the code as it was looked up.
    pub(crate) fn price(&self, sum: OrderSum) -> OrderPrice {
        match self.code.as_ref().and_then(|code| code.found.as_ref()) {
            Some(code) => code.price(sum),
            None => OrderPrice::without_code(sum),
        }
    }

    /// Whether the request has no code, or its code is for `section`.
    pub(crate) fn is_of_code(&self, section: &str) -> bool {
        let code = self.code.as_ref().and_then(|code| code.found.as_ref());
        code.is_none_or(|code| code.is_for_section(section))
    }

    /// Refuses the request if the shown price differs from `price`. Both arguments come from locked
    /// rows; `price_version` is the newest among the seats. The price of one place is compared by
    /// [`Self::require_unit_price`].
    pub(crate) fn require_shown(
        &self,
        price: OrderPrice,
        price_version: i64,
    ) -> Result<(), ReservationError> {
        // The terms of a code do not show which places are on return, whose price it does not
        // reduce.
        let is_code = |code: &AskedCode| code.shown == price.code_id && price.sum.is_reducible();
        let shows_code = || self.code.as_ref().is_none_or(is_code);
        let is_as_shown = match self.shown {
            None => true,
            Some(ShownPrice::Total(shown)) => shown == price.total(),
            Some(ShownPrice::Sum(shown)) => shown == price.sum.all && shows_code(),
            Some(ShownPrice::PriceVersion(shown)) => price_version <= shown && shows_code(),
            Some(ShownPrice::UnitPrice(_)) => shows_code(),
        };
        match is_as_shown {
            true => Ok(()),
            false => Err(ReservationError::PriceChanged { total: price.total() }),
        }
    }

    /// Refuses a request of places if the shown price of one place differs from `unit_price`, which
    /// comes from the locked zone.
    pub(crate) fn require_unit_price(
        &self,
        unit_price: Points,
        price: OrderPrice,
    ) -> Result<(), ReservationError> {
        match self.shown {
            Some(ShownPrice::UnitPrice(shown)) if shown != unit_price => {
                Err(ReservationError::PriceChanged { total: price.total() })
            }
            _ => Ok(()),
        }
    }
}
