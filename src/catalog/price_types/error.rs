//! Errors of the price types that a request names.

use serde_json::json;

use super::model::Company;
use crate::{
    catalog::ScheduleSeatId,
    points::Points,
    web::{
        error::{HttpError, Problem},
        form::Mistakes,
    },
};

/// Reason why places are not held on the terms of the price types that a request names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PriceTypeError {
    /// The performance has no such type.
    #[error("no such price type")]
    Unknown,
    /// The type has other terms than those that were shown.
    #[error("a price type has other terms, it costs {total} now")]
    Changed {
        /// Current total of the places.
        total: Points,
    },
    /// The type was withdrawn.
    #[error("price type {name} was withdrawn")]
    Gone {
        /// Name of the type.
        name: String,
    },
    /// One of the places is not sold as this type.
    #[error("a place does not have price type {name}")]
    WrongPlace {
        /// Name of the type.
        name: String,
    },
    /// A place that somebody has put back on sale costs what was paid for it.
    #[error("price type {name} is not had of what is on return")]
    OnReturn {
        /// Name of the type.
        name: String,
        /// Seats on return for which a type was asked; empty for places of a zone.
        seat_ids: Vec<ScheduleSeatId>,
    },
    /// The order has more places of the type than one may have.
    #[error("more than {places_max} places of price type {name}")]
    TooMany {
        /// Name of the type.
        name: String,
        /// Places of the type that an order may have.
        places_max: i32,
    },
    /// The order lacks what places of the type must have beside them.
    #[error("price type {name} lacks its company")]
    Alone {
        /// Name of the type.
        name: String,
        /// What is missing.
        beside: Company,
        /// Places of the type for each of those; `None`: any number.
        per_beside_max: Option<i32>,
    },
}

impl PriceTypeError {
    /// Returns the mistake in the form when the error is an unknown type.
    pub(crate) fn mistake(&self) -> Option<Mistakes> {
        (*self == Self::Unknown)
            .then(|| Mistakes::one("seat_types", "reservation-refusal-price-type"))
    }
}

impl HttpError for PriceTypeError {
    fn problem(&self) -> Problem {
        match self {
            Self::Unknown => self.mistake().unwrap_or_default().problem(),
            Self::Changed { total } => Problem::new(409, "price-changed")
                .with(json!({ "total": total }))
                .number("total", total),
            Self::Gone { name } => Problem::new(409, "price-type-gone")
                .with(json!({ "price_type": name }))
                .word("name", name),
            Self::WrongPlace { name } => Problem::new(422, "price-type-elsewhere")
                .with(json!({ "price_type": name }))
                .word("name", name),
            Self::OnReturn { name, seat_ids } => Problem::new(409, "price-type-on-return")
                .with(json!({ "price_type": name, "seat_ids": seat_ids }))
                .word("name", name),
            Self::TooMany { name, places_max } => Problem::new(422, "price-type-limit")
                .with(json!({ "price_type": name, "places_max": places_max }))
                .word("name", name)
                .number("count", places_max),
            Self::Alone { name, beside, per_beside_max } => {
                let problem = match beside {
                    Company::Ordinary => Problem::new(422, "price-type-without-ordinary"),
                    Company::Wheelchair => Problem::new(422, "price-type-without-wheelchair"),
                };
                // 0 selects the text of a type that needs company and no number of it.
                problem
                    .with(json!({ "price_type": name, "per_beside_max": per_beside_max }))
                    .word("name", name)
                    .number("count", per_beside_max.unwrap_or_default())
            }
        }
    }
}
