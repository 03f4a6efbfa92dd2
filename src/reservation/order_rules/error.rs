//! Refusals of changes that would break a rule of a live order.

use crate::{catalog::Company, web::error::problems};

problems! {
    /// Rule of a live order that an act would break.
    #[derive(Clone, PartialEq, Eq)]
    pub enum BrokenRule {
        /// A place of a price type would lack the ordinary place beside it.
        WithoutOrdinary { name: String } = 409 "leaves-without-ordinary" { price_type: name }
            .word("name", name),
        /// A place of a price type would lack the wheelchair place beside it.
        WithoutWheelchair { name: String } = 409 "leaves-without-wheelchair" { price_type: name }
            .word("name", name),
        /// A companion's place would be without its wheelchair place.
        CompanionAlone = 409 "leaves-companion-alone",
        /// The order would have less than it must have.
        TooFew { places_min: i32 } = 409 "leaves-too-few" { places_min }
            .number("count", places_min),
    }
    each.recovery("/tickets")
}

impl BrokenRule {
    /// Returns the rule that places of the price type `name` have `beside` in their order.
    pub fn alone(name: String, beside: Company) -> Self {
        match beside {
            Company::Ordinary => Self::WithoutOrdinary { name },
            Company::Wheelchair => Self::WithoutWheelchair { name },
        }
    }
}
