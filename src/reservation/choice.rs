//! Seats or places that a request wants to hold.

use serde::Serialize;

use crate::{
    catalog::{ScheduleSeatId, ZoneId},
    points::Points,
};

/// Seats or places that a request wants to hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Seats by id: at least one, sorted and distinct.
    Seats(Vec<ScheduleSeatId>),
    /// Places of a zone.
    Places {
        /// Zone.
        zone_id: ZoneId,
        /// Number of places, at least one.
        quantity: i32,
    },
    /// Best seats that are free side by side.
    Best(Wish),
}

/// Conditions for the best available seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wish {
    /// Number of seats side by side, at least one.
    pub n_seats: usize,
    /// Section to search; `None` for all sections.
    pub section: Option<String>,
    /// Price of one seat; `None` for any price.
    pub price: Option<Points>,
    /// Whether all seats must be reached without steps. Left out of the request's digest if it is
    /// false, so that requests of an earlier version keep their digest.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_step_free: bool,
}

impl Choice {
    /// Returns the number of seats or places.
    pub fn quantity(&self) -> i64 {
        match self {
            Self::Seats(ids) => i64::try_from(ids.len()).unwrap_or(i64::MAX),
            Self::Places { quantity, .. } => i64::from(*quantity),
            Self::Best(wish) => i64::try_from(wish.n_seats).unwrap_or(i64::MAX),
        }
    }
}
