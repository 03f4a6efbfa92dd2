//! Errors of the catalog.

use super::{hanging::Hanging, venues::plan::PlanMistake};
use crate::web::error::{KitError, Problem, problems};

/// Bound on the seats that a refusal names.
pub(crate) const NAMED_MAX: usize = 50;

problems! {
    /// Refusal or failure of an edit; nothing was changed.
    pub enum CatalogError {
        NotFound => KitError::NotFound,
        Stale => KitError::ChangedMeanwhile,
        /// Another program has this slug.
        SlugTaken = 409 "slug-taken",
        /// The program has another performance at this time.
        MomentTaken = 409 "moment-taken",
        /// The performance has another zone of this name.
        ZoneTaken = 409 "zone-taken",
        /// The venue has no such section, or a price is for a section whose seats all have categories.
        NoSuchSection = 422 "no-such-section",
        NoSuchCategory = 422 "no-such-category",
        /// The performance has another price type of this name.
        PriceTypeTaken = 409 "price-type-taken",
        /// The performance has as many price types as it may have.
        TooManyPriceTypes { types_max: usize } = 409 "too-many-price-types" { types_max }
            .number("count", types_max),
        /// The performance sells seats of its venue, which another one does not have.
        SeatsOfVenue = 409 "seats-of-venue",
        NothingToSell = 409 "nothing-to-sell",
        /// A cancelled program stays cancelled, a published one public.
        WrongStatus = 409 "wrong-status",
        /// The sale opens with a draw, which was announced for its moment.
        OpeningAnnounced = 409 "draw-announced",
        /// Other rows hang on the one to be deleted.
        InUse { by: Hanging } = 409 "in-use" { by: <&str>::from(by) }
            .text("what", format!("hanging-{}", <&str>::from(by))),
        /// Seats to be changed are in use. `seats` are their names, held and sold ones first, at most
        /// [`NAMED_MAX`].
        SeatsInUse { seats: Vec<String> } = 409 "seats-in-use" { seats }
            .word("seats", seats.join(", ")),
        /// Seats that would get another kind are held or sold. `seats` are their names, at most
        /// [`NAMED_MAX`].
        KindsInUse { seats: Vec<String> } = 409 "kinds-in-use" { seats }
            .word("seats", seats.join(", ")),
        /// The plan changes the kinds of more seats of performances than one edit may.
        TooManyKinds { seats_max: usize } = 409 "too-many-kinds" { seats_max }
            .number("count", seats_max),
        Plan(mistake: PlanMistake) = 422 "invalid-plan" {
            line: mistake.line, column: mistake.column, problem: mistake.problem.as_ref(),
            text: mistake.text
        }.also(|problem| mistake.told_by(problem)),
    }
    wraps { Database(sqlx::Error) }
    constraints {
        "programs_slug_key" => Self::SlugTaken,
        // The row that the new one belongs to was deleted meanwhile.
        "schedules_venue_id_fkey" => Self::NotFound,
        "schedules_program_id_starts_at_key" => Self::MomentTaken,
        "zones_schedule_id_name_key" => Self::ZoneTaken,
        "price_types_current_name_key" => Self::PriceTypeTaken,
        "queue_draws_opens_with_sale" => Self::OpeningAnnounced,
    }
    retried() or Self::Stale
}

impl From<PlanMistake> for CatalogError {
    fn from(mistake: PlanMistake) -> Self {
        Self::Plan(mistake)
    }
}

impl PlanMistake {
    /// Returns `problem` with the arguments of its texts.
    fn told_by(&self, problem: Problem) -> Problem {
        let column = self.column.as_deref();
        let problem = problem
            .number("line", self.line)
            .word("text", &self.text)
            .word("column", column.unwrap_or_default())
            .text("problem", self.problem.text_key());
        match column {
            Some(_) if !self.problem.is_of_header() => problem.text("where", "admin-plan-where"),
            _ => problem.word("where", ""),
        }
    }
}
