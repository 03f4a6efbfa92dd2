//! Errors of the price types that a request names.

use super::model::Company;
use crate::{
    catalog::ScheduleSeatId,
    points::Points,
    web::{error::problems, form::Mistakes},
};

problems! {
    /// Reason why places are not held on the terms of the price types that a request names.
    #[derive(Clone, PartialEq, Eq)]
    pub enum PriceTypeError {
        /// The performance has no such type.
        Unknown => Mistakes::one("seat_types", "reservation-refusal-price-type"),
        /// The type has other terms than the request showed. The places cost `total` now.
        Changed { total: Points } = 409 "price-changed" { total }.price("total", total),
        /// The type was withdrawn.
        Gone { name: String } = 409 "price-type-gone" { price_type: name }.word("name", name),
        /// One of the places is not sold as this type.
        WrongPlace { name: String } = 422 "price-type-elsewhere" { price_type: name }
            .word("name", name),
        /// A place on return costs what was paid for it, whatever its type. `seat_ids` are such seats with
        /// a type in the request; empty for places of a zone.
        OnReturn { name: String, seat_ids: Vec<ScheduleSeatId> } = 409 "price-type-on-return"
            { price_type: name, seat_ids }.word("name", name),
        /// The order has more places of the type than one may have.
        TooMany { name: String, places_max: i32 } = 422 "price-type-limit"
            { price_type: name, places_max }.word("name", name).number("count", places_max),
        /// The order lacks an ordinary place beside places of the type.
        WithoutOrdinary { name: String, per_beside_max: Option<i32> }
            = 422 "price-type-without-ordinary" { price_type: name, per_beside_max }
            .word("name", name).number("count", per_beside_max.unwrap_or_default()),
        /// The order lacks a wheelchair place beside places of the type, of which it may have
        /// `per_beside_max` for each; `None` and the text's 0: any number.
        WithoutWheelchair { name: String, per_beside_max: Option<i32> }
            = 422 "price-type-without-wheelchair" { price_type: name, per_beside_max }
            .word("name", name).number("count", per_beside_max.unwrap_or_default()),
    }
}

impl PriceTypeError {
    /// Returns the refusal of an order without the places that a type must have beside it.
    pub fn alone(name: String, beside: Company, per_beside_max: Option<i32>) -> Self {
        match beside {
            Company::Ordinary => Self::WithoutOrdinary { name, per_beside_max },
            Company::Wheelchair => Self::WithoutWheelchair { name, per_beside_max },
        }
    }
}
