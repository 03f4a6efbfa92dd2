//! Refusals of codes.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::model::SaleCodeId;
use crate::{
    infra::postgres::is_conflict,
    web::{
        error::{HttpError, Problem},
        form::Mistakes,
    },
};

/// Reason why an order is not made with its code. A withdrawn code and one of another program are not
/// told apart from a word that nobody made. The texts are for logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeRefusal {
    /// The program has no such code.
    #[error("no such code")]
    Unknown,
    /// No hold may begin with it yet.
    #[error("the code is valid from {valid_from} on")]
    NotYet {
        /// When it begins.
        valid_from: DateTime<Utc>,
    },
    /// It is not valid any more.
    #[error("the code is over")]
    Over,
    /// As many reservations have it as may.
    #[error("the code is used up")]
    UsedUp {
        /// Code, which holds past their end may have.
        id: SaleCodeId,
    },
    /// The order has more places than reservations may still have with it.
    #[error("the code is for {places_left} places more")]
    FewPlaces {
        /// Code, which holds past their end may have.
        id: SaleCodeId,
        /// Places that are left.
        places_left: i32,
    },
    /// All places of the order are on return: nothing makes them cheaper.
    #[error("the code takes nothing off places on return")]
    OnReturn,
    /// As many reservations of the account have it as may.
    #[error("the account has used the code")]
    UsedByAccount,
    /// It is for another performance or section.
    #[error("the code is for something else")]
    Elsewhere,
}

impl HttpError for CodeRefusal {
    fn problem(&self) -> Problem {
        match self {
            Self::Unknown => Problem::new(422, "code-unknown"),
            Self::NotYet { valid_from } => {
                Problem::new(409, "code-not-yet").with(json!({ "valid_from": valid_from }))
            }
            Self::Over => Problem::new(410, "code-over"),
            Self::UsedUp { .. } => Problem::new(409, "code-used-up"),
            Self::FewPlaces { places_left, .. } => Problem::new(409, "code-places")
                .with(json!({ "places_left": places_left }))
                .number("count", places_left),
            Self::OnReturn => Problem::new(409, "code-on-return"),
            Self::UsedByAccount => Problem::new(409, "code-used"),
            Self::Elsewhere => Problem::new(409, "code-elsewhere"),
        }
    }
}

/// Reason why an administrator's change of codes was refused or failed. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodeEditError {
    /// The program has no such code.
    #[error("no such code")]
    NotFound,
    /// The program has a code with that word.
    #[error("there is such a code")]
    Taken,
    /// The code was withdrawn.
    #[error("the code was withdrawn")]
    Withdrawn,
    /// More reservations have the code than would be allowed.
    #[error("{uses} reservations have the code")]
    BelowUses {
        /// Live reservations that have it.
        uses: i32,
    },
    /// They have more places than would be allowed.
    #[error("reservations have {places} places with the code")]
    BelowPlaces {
        /// Places that live reservations have with it.
        places: i32,
    },
    /// Those who redeem an access code order as many places as everybody.
    #[error("an access code has no places")]
    AccessPlaces,
    /// The program has no such performance.
    #[error("no such performance")]
    NoSchedule,
    /// The sale opens with a draw, which numbers everybody who came before.
    #[error("the sale opens with a draw")]
    OpensWithDraw,
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl CodeEditError {
    /// Whether the change may be tried again.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Database(error) if is_conflict(error))
    }
}

impl HttpError for CodeEditError {
    fn problem(&self) -> Problem {
        match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::Taken => Problem::new(409, "code-taken"),
            Self::Withdrawn => Problem::new(409, "code-withdrawn"),
            Self::BelowUses { uses } => Problem::new(409, "code-below-uses")
                .with(json!({ "uses": uses }))
                .number("count", uses),
            Self::BelowPlaces { places } => Problem::new(409, "code-below-places")
                .with(json!({ "places": places }))
                .number("count", places),
            Self::AccessPlaces => {
                Mistakes::one("places_max", "admin-refusal-code-places").problem()
            }
            Self::OpensWithDraw => Problem::new(409, "code-gate-draw"),
            Self::NoSchedule => Mistakes::one("schedule_id", "admin-refusal-schedule").problem(),
            Self::Database(error) => error.problem(),
        }
    }
}
