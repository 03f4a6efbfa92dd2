//! How a sale opens, as the page of its queue shows it.

use chrono::{DateTime, Utc};

use crate::{
    catalog::{DrawStep, Program, ProgramStatus},
    entry_queue::Draw,
};

/// Opening of a sale, as the page offers to change it.
#[derive(Debug)]
pub(super) enum Opening {
    /// First come, first served; a draw may be announced.
    FirstCome,
    /// First come, first served, and it is too late for a draw.
    Begun,
    /// A draw.
    Drawn {
        /// Locale key of its step.
        step_key: &'static str,
        /// Whether it may be taken back.
        is_draft: bool,
        /// Whether its order depends on a beacon.
        has_beacon: bool,
        /// When its beacon may be left out; `None` unless that is waited for.
        omission_from: Option<DateTime<Utc>>,
    },
}

impl Opening {
    /// `may_draw`: the sale has not opened, and no access gate admits accounts before it.
    pub(super) fn of(edition: &Program, draw: Option<&Draw>, may_draw: bool) -> Self {
        match draw {
            Some(draw) => Self::Drawn {
                step_key: step_key(draw.step),
                is_draft: edition.status == ProgramStatus::Draft,
                has_beacon: draw.beacon_round.is_some(),
                omission_from: draw.omission_from(),
            },
            None if may_draw => Self::FirstCome,
            None => Self::Begun,
        }
    }
}

fn step_key(step: DrawStep) -> &'static str {
    match step {
        DrawStep::Open => "draw-step-open",
        DrawStep::Closed => "draw-step-closed",
        DrawStep::Revealed => "draw-step-revealed",
        DrawStep::Drawn => "draw-step-drawn",
    }
}
