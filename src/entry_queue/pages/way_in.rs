//! Texts of the button that joins a sale, and of the sentence below it.

use crate::catalog::{DrawStep, Program, ScheduleListing};

/// Effect of joining the sale of a program, for an account that is admitted at once where there is no
/// line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WayIn {
    /// The opening draw.
    Draw,
    /// The line.
    Line,
    /// The seats of the only performance.
    Seats,
    /// The choice of a performance.
    Dates,
}

impl WayIn {
    /// Returns the effect of joining before the opening draw: the draw, as long as it takes entries.
    pub(super) fn before_draw(program: &Program, schedules: &[ScheduleListing]) -> Self {
        let takes_entries = program.draw.is_some_and(|step| step != DrawStep::Drawn);
        if takes_entries { Self::Draw } else { Self::of(program, schedules) }
    }

    /// Returns the effect of joining once the sale is open.
    pub(super) fn of(program: &Program, schedules: &[ScheduleListing]) -> Self {
        match (program.queue_capacity, schedules) {
            (Some(_), _) => Self::Line,
            (None, [_]) => Self::Seats,
            (None, _) => Self::Dates,
        }
    }

    /// Returns the locale key of the button, which names the log-in where it comes first.
    pub(super) fn label(self, is_logged_in: bool) -> &'static str {
        match (self, is_logged_in) {
            (Self::Draw, true) => "program-draw-enter",
            (Self::Draw, false) => "program-draw-log-in",
            (Self::Line, true) => "program-join",
            (Self::Line, false) => "program-log-in-to-join",
            (Self::Seats, true) => "queue-your-turn-enter",
            (Self::Seats, false) => "program-log-in-to-choose-seats",
            (Self::Dates, true) => "program-choose-date",
            (Self::Dates, false) => "program-log-in-to-choose-date",
        }
    }

    /// Returns the locale key of the sentence below the button.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Draw => "program-draw-note",
            Self::Line => "program-join-note",
            Self::Seats => "program-no-queue-note",
            Self::Dates => "program-no-queue-dates-note",
        }
    }

    /// Returns the locale key of the sentence that leads from the log-in to the button.
    pub(super) fn note_after_log_in(self) -> &'static str {
        match self {
            Self::Draw | Self::Line => "queue-new-note",
            Self::Seats | Self::Dates => "queue-new-no-line-note",
        }
    }
}
