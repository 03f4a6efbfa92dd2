//! Errors of the catalog.

use serde_json::json;

use super::{hanging::Hanging, venues::plan::PlanMistake};
use crate::{
    infra::postgres::{Contention, is_conflict, violated_constraint},
    web::error::{HttpError, Problem},
};

/// Refusal or failure of an edit; nothing was changed. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CatalogError {
    /// No such program, venue, performance or zone.
    #[error("there is none")]
    NotFound,
    /// The edition was changed after it was shown.
    #[error("it was changed meanwhile")]
    Stale,
    /// Another program has this slug.
    #[error("another program is called so")]
    SlugTaken,
    /// The program has another performance at this time.
    #[error("the program has a performance at this moment")]
    MomentTaken,
    /// The performance has another zone of this name.
    #[error("the performance has a zone of this name")]
    ZoneTaken,
    /// The venue has no such section, or a price is for a section whose seats all have categories.
    #[error("the venue has no such section")]
    NoSuchSection,
    /// The venue has no seat of such a price category.
    #[error("the venue has no such price category")]
    NoSuchCategory,
    /// The performance has another price type of this name.
    #[error("the performance has a price type of this name")]
    PriceTypeTaken,
    /// The performance has as many price types as it may have.
    #[error("a performance may have {types_max} price types")]
    TooManyPriceTypes {
        /// Price types that a performance may have.
        types_max: usize,
    },
    /// The program to publish has nothing to sell.
    #[error("the program has nothing to sell")]
    NothingToSell,
    /// A cancelled program stays cancelled, a published one public.
    #[error("the program's status does not allow this")]
    WrongStatus,
    /// The sale opens with a draw, which was announced for its moment.
    #[error("the sale opens with a draw that was announced")]
    OpeningAnnounced,
    /// Something hangs on what is to be deleted.
    #[error("{by:?} hang on it")]
    InUse {
        /// What hangs.
        by: Hanging,
    },
    /// Seats to be removed belong to performances.
    #[error("{} seats are in use", .seats.len())]
    SeatsInUse {
        /// Names of the seats, held and sold ones first; at most fifty.
        seats: Vec<String>,
    },
    /// Seats that would get another kind are held or sold.
    #[error("{} seats of another kind are held or sold", .seats.len())]
    KindsInUse {
        /// Names of the seats, at most fifty.
        seats: Vec<String>,
    },
    /// The plan changes the kinds of more seats of performances than one edit may.
    #[error("more than {seats_max} seats of performances would change their kind")]
    TooManyKinds {
        /// Seats of performances that one edit may change.
        seats_max: usize,
    },
    /// The seat plan cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanMistake),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl HttpError for CatalogError {
    fn problem(&self) -> Problem {
        match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::Stale => Problem::new(409, "changed-meanwhile"),
            Self::SlugTaken => Problem::new(409, "slug-taken"),
            Self::MomentTaken => Problem::new(409, "moment-taken"),
            Self::ZoneTaken => Problem::new(409, "zone-taken"),
            Self::NoSuchSection => Problem::new(422, "no-such-section"),
            Self::NoSuchCategory => Problem::new(422, "no-such-category"),
            Self::PriceTypeTaken => Problem::new(409, "price-type-taken"),
            Self::TooManyPriceTypes { types_max } => Problem::new(409, "too-many-price-types")
                .with(json!({ "types_max": types_max }))
                .number("count", types_max),
            Self::NothingToSell => Problem::new(409, "nothing-to-sell"),
            Self::WrongStatus => Problem::new(409, "wrong-status"),
            Self::OpeningAnnounced => Problem::new(409, "draw-announced"),
            Self::InUse { by } => {
                let name: &str = by.into();
                Problem::new(409, "in-use")
                    .with(json!({ "by": name }))
                    .text("what", format!("hanging-{name}"))
            }
            Self::SeatsInUse { seats } => Problem::new(409, "seats-in-use")
                .with(json!({ "seats": seats }))
                .word("seats", seats.join(", ")),
            Self::KindsInUse { seats } => Problem::new(409, "kinds-in-use")
                .with(json!({ "seats": seats }))
                .word("seats", seats.join(", ")),
            Self::TooManyKinds { seats_max } => Problem::new(409, "too-many-kinds")
                .with(json!({ "seats_max": seats_max }))
                .number("count", seats_max),
            Self::Plan(PlanMistake { line, column, problem, text }) => {
                let answer = Problem::new(422, "invalid-plan")
                    .with(json!({
                        "line": line, "column": column, "problem": problem.as_ref(), "text": text,
                    }))
                    .number("line", line)
                    .word("text", text)
                    .word("column", column.as_deref().unwrap_or_default())
                    .text("problem", problem.text_key());
                match column {
                    Some(_) if !problem.is_of_header() => answer.text("where", "admin-plan-where"),
                    _ => answer.word("where", ""),
                }
            }
            Self::Database(error) => error.problem(),
        }
    }
}

/// Bound on the seats that a refusal names.
pub(crate) const NAMED_MAX: usize = 50;

impl From<sqlx::Error> for CatalogError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("programs_slug_key") => Self::SlugTaken,
            // What it was to belong to was deleted meanwhile.
            Some("schedules_venue_id_fkey") => Self::NotFound,
            Some("schedules_program_id_starts_at_key") => Self::MomentTaken,
            Some("zones_schedule_id_name_key") => Self::ZoneTaken,
            Some("price_types_current_name_key") => Self::PriceTypeTaken,
            Some("queue_draws_opens_with_sale") => Self::OpeningAnnounced,
            _ => Self::Database(error),
        }
    }
}

impl Contention for CatalogError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Database(error) if is_conflict(error))
    }

    fn contended() -> Self {
        Self::Stale
    }
}
