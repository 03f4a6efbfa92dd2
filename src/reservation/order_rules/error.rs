//! Refusals of what would break a rule of a live order.

use serde_json::json;

use crate::{
    catalog::Company,
    web::error::{HttpError, Problem},
};

/// Rule of a live order that an act would break. The texts are for logs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenRule {
    /// A place of a price type would lack what its terms ask for in the order.
    #[error("price type {name} would lack its company")]
    TypeAlone {
        /// Name of the type.
        name: String,
        /// What would be missing.
        beside: Company,
    },
    /// A companion's place would be without its wheelchair place.
    #[error("a companion's place would be alone")]
    CompanionAlone,
    /// The order would have less than it must have.
    #[error("the order would have less than {places_min} places")]
    TooFew {
        /// Places that the order has at least.
        places_min: i32,
    },
}

impl HttpError for BrokenRule {
    fn problem(&self) -> Problem {
        let problem = match self {
            Self::TypeAlone { name, beside } => {
                let problem = match beside {
                    Company::Ordinary => Problem::new(409, "leaves-without-ordinary"),
                    Company::Wheelchair => Problem::new(409, "leaves-without-wheelchair"),
                };
                problem.with(json!({ "price_type": name })).word("name", name)
            }
            Self::CompanionAlone => Problem::new(409, "leaves-companion-alone"),
            Self::TooFew { places_min } => Problem::new(409, "leaves-too-few")
                .with(json!({ "places_min": places_min }))
                .number("count", places_min),
        };
        problem.recovery("/tickets")
    }
}
