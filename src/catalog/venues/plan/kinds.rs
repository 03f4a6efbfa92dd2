//! Kinds in the lines of a CSV: the columns `kind` and `companion_of`.

use std::collections::{HashMap, HashSet};

use super::{
    mistake::{PlanMistake, PlanProblem},
    seat::{PlannedSeat, SeatName},
};
use crate::catalog::venues::kind::SeatKind;

/// Kind of a seat as a line says it. The columns may be missing or empty: an ordinary seat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineKind {
    pub(super) kind: SeatKind,
    /// Number of the wheelchair place in the same row that a companion's place belongs to.
    pub(super) companion_of: Option<i32>,
}

impl LineKind {
    /// Parses both columns. A kind is written in capital letters, and the places of companions, no
    /// others, have a number in `companion_of`.
    pub(super) fn parse(line: u64, kind: &str, companion_of: &str) -> Result<Self, PlanMistake> {
        let parsed = if kind.is_empty() { Some(SeatKind::Standard) } else { kind.parse().ok() };
        let kind = parsed.ok_or_else(|| PlanMistake::new(line, PlanProblem::Kind, kind))?;
        let number = companion_of.parse().ok().filter(|number: &i32| *number > 0);
        let is_readable = number.is_some() || companion_of.is_empty();
        if !is_readable || (kind == SeatKind::Companion) != number.is_some() {
            return Err(PlanMistake::new(line, PlanProblem::Companion, companion_of));
        }
        Ok(Self { kind, companion_of: number })
    }
}

/// Requires that each companion's place names a wheelchair place of its row.
pub(super) fn require_wheelchairs(
    seats: &[PlannedSeat],
    lines: &HashMap<SeatName, u64>,
) -> Result<(), PlanMistake> {
    let wheelchairs = seats.iter().filter(|seat| seat.kind == SeatKind::Wheelchair);
    let wheelchairs: HashSet<SeatName> = wheelchairs.map(PlannedSeat::name).collect();
    for seat in seats {
        let Some(number) = seat.companion_of else { continue };
        let place = SeatName { number, ..seat.name() };
        let problem = match lines.contains_key(&place) {
            true if wheelchairs.contains(&place) => continue,
            true => PlanProblem::NotWheelchair,
            false => PlanProblem::NoSuchPlace,
        };
        let line = lines.get(&seat.name()).copied().unwrap_or_default();
        return Err(PlanMistake::new(line, problem, &number.to_string()));
    }
    Ok(())
}
