//! Order of one person: what to hold, and what it was shown to cost.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

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
pub struct HoldRequest {
    /// Account that will own the hold.
    pub account_id: AccountId,
    /// Program of the performance.
    pub program: Arc<Program>,
    /// Performance.
    pub schedule: Schedule,
    /// Seats or places wanted.
    pub choice: Choice,
    /// Price that was shown; `None`: whatever it costs.
    pub shown: Option<ShownPrice>,
    /// Carries the order out once, however often it comes.
    pub request_key: Option<Uuid>,
    /// Entry pass that came with it: of the stay in which it is held, or it is refused.
    pub pass: Option<EntryPass>,
}

/// Price of an order as the person who sent it saw it. It is compared and never charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownPrice {
    /// Total of everything ordered.
    Total(Points),
    /// `schedules.price_version` as it was read before the seats that were shown: a seat that
    /// was priced later may have been shown at another price.
    PriceVersion(i64),
}

impl ShownPrice {
    /// The total, where that was shown.
    pub(crate) fn total(self) -> Option<Points> {
        match self {
            Self::Total(total) => Some(total),
            Self::PriceVersion(_) => None,
        }
    }
}

impl HoldRequest {
    pub(crate) fn key(&self) -> Option<RequestKey> {
        let route = format!("POST /schedules/{}/reservations", self.schedule.id);
        let (owner, key) = (self.account_id.0, self.request_key?);
        Some(match self.shown {
            Some(shown) => RequestKey::new(owner, key, &route, &(&self.choice, shown)),
            None => RequestKey::new(owner, key, &route, &self.choice),
        })
    }

    /// Marks leases: a second attempt of this very order knows them as its own.
    pub(crate) fn owner(&self) -> String {
        let key = self.request_key.unwrap_or_else(Uuid::new_v4);
        format!("{}:{}", self.account_id, key.simple())
    }

    /// Refuses an order that was shown another price than `total`, which the locked rows say;
    /// `price_version` is the newest of theirs.
    pub(crate) fn require_shown(
        &self,
        total: Points,
        price_version: i64,
    ) -> Result<(), ReservationError> {
        let is_as_shown = match self.shown {
            None => true,
            Some(ShownPrice::Total(shown)) => shown == total,
            Some(ShownPrice::PriceVersion(shown)) => price_version <= shown,
        };
        if is_as_shown { Ok(()) } else { Err(ReservationError::PriceChanged { total }) }
    }
}
