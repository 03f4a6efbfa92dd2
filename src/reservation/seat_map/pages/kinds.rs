//! Kinds of seats as the map shows them: symbols with their names, and the filter for step-free
//! seats.

use super::{
    drawing::{Drawing, SectionView},
    seat_view::SeatView,
};
use crate::{catalog::SeatKind, reservation::seat_map::seat::MapSeat, web::page::View};

/// Kinds that a map shows.
#[derive(Debug)]
pub(crate) struct KindsShown {
    /// Marked kinds of the drawn seats, in the order of the legend.
    pub legend: Vec<SeatKind>,
    /// Whether only step-free seats can be chosen.
    pub is_step_free: bool,
    /// Whether free places of the map are kept for guests who need them.
    pub are_kept: bool,
}

impl KindsShown {
    /// Returns the kinds of `drawing`; `keeps_places` tells whether the performance keeps places
    /// now.
    pub(crate) fn of(drawing: &Drawing, is_step_free: bool, keeps_places: bool) -> Self {
        let has = |kind: &SeatKind| drawing.seats().any(|seat| seat.kind == *kind);
        let legend: Vec<_> = SeatKind::MARKED.into_iter().filter(has).collect();
        let are_kept = keeps_places && legend.iter().any(|kind| kind.is_kept());
        Self { legend, is_step_free, are_kept }
    }

    /// Whether `seat` can be chosen on this map.
    pub(crate) fn shows(&self, seat: &MapSeat) -> bool {
        !self.is_step_free || seat.kind.is_step_free()
    }

    /// Whether any of `seats` can be chosen on this map.
    pub(crate) fn shows_any(&self, seats: &[SeatView]) -> bool {
        seats.iter().any(|view| self.shows(&view.seat))
    }

    /// Whether any seat of `section` can be chosen on this map.
    pub(crate) fn shows_any_in(&self, section: &SectionView) -> bool {
        section.rows.iter().any(|row| self.shows_any(&row.seats))
    }
}

/// Returns the name of a kind; empty for ordinary seats.
pub fn kind_name(v: &View, kind: SeatKind) -> String {
    kind.text_key().map(|key| v.text(key).to_string()).unwrap_or_default()
}
