//! Refusals of codes.

use chrono::{DateTime, Utc};

use super::model::SaleCodeId;
use crate::web::{
    error::{KitError, problems},
    form::Mistakes,
};

problems! {
    /// Reason why an order is not made with its code. A withdrawn code and a code of another program are
    /// answered like a word that is no code.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum CodeRefusal {
        Unknown = 422 "code-unknown",
        /// The code is valid from `valid_from` on.
        NotYet { valid_from: DateTime<Utc> } = 409 "code-not-yet" { valid_from },
        /// The code is not valid any more.
        Over = 410 "code-over",
        /// As many reservations as may have the code. Holds past their end may be among them.
        UsedUp { id: SaleCodeId } = 409 "code-used-up",
        /// The order has more places than reservations may still have with the code. Holds past their end
        /// may be among the reservations.
        FewPlaces { id: SaleCodeId, places_left: i32 } = 409 "code-places" { places_left }
            .number("count", places_left),
        /// All places of the order are on return, and no code takes anything off their price.
        OnReturn = 409 "code-on-return",
        /// As many reservations of the account as may have the code.
        UsedByAccount = 409 "code-used",
        /// The code is for another performance or section.
        Elsewhere = 409 "code-elsewhere",
    }
}

problems! {
    /// Reason why an administrator's change of codes was refused or failed.
    pub enum CodeEditError {
        NotFound => KitError::NotFound,
        Taken = 409 "code-taken",
        Withdrawn = 409 "code-withdrawn",
        /// More live reservations have the code than the change allows.
        BelowUses { uses: i32 } = 409 "code-below-uses" { uses }.number("count", uses),
        /// Live reservations have more places with the code than the change allows.
        BelowPlaces { places: i32 } = 409 "code-below-places" { places }.number("count", places),
        /// An access code has no bound on places of its own.
        AccessPlaces => Mistakes::one("places_max", "admin-refusal-code-places"),
        NoSchedule => Mistakes::one("schedule_id", "admin-refusal-schedule"),
        /// The sale opens with a draw, which numbers every account that came before.
        OpensWithDraw = 409 "code-gate-draw",
    }
    wraps { Database(#[from] sqlx::Error) }
}
