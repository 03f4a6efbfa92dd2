//! Kinds in the lines of a CSV: the columns `kind` and `companion_of`.

use std::collections::{HashMap, HashSet};

use super::{
    header::OF_KIND,
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
        let kind = parsed
            .ok_or_else(|| PlanMistake::new(line, PlanProblem::Kind, kind).in_column(OF_KIND[0]))?;
        let number = companion_of.parse().ok().filter(|number: &i32| *number > 0);
        let is_readable = number.is_some() || companion_of.is_empty();
        if !is_readable || (kind == SeatKind::Companion) != number.is_some() {
            let mistake = PlanMistake::new(line, PlanProblem::Companion, companion_of);
            return Err(mistake.in_column(OF_KIND[1]));
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
        let mistake = PlanMistake::new(line, problem, &number.to_string());
        return Err(mistake.in_column(OF_KIND[1]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::venues::plan::SeatPlan;

    #[test]
    fn a_companion_belongs_to_a_wheelchair_place_of_its_row() {
        let head = "section,row,number,kind,companion_of\nA,1,1,WHEELCHAIR,\nA,1,3,,\n";
        let refused = |text: &str| {
            let mistake = SeatPlan::from_csv(&format!("{head}{text}\n")).unwrap_err();
            (mistake.line, mistake.problem, mistake.text)
        };
        for of in ["", "0", "-1", "x"] {
            let said = refused(&format!("A,1,2,COMPANION,{of}"));
            assert_eq!(said, (4, PlanProblem::Companion, of.to_owned()));
        }
        for of in ["1", "x"] {
            let said = refused(&format!("A,1,2,,{of}"));
            assert_eq!(said, (4, PlanProblem::Companion, of.to_owned()));
        }
        for (of, problem) in [("3", PlanProblem::NotWheelchair), ("4", PlanProblem::NoSuchPlace)] {
            let said = refused(&format!("A,1,2,COMPANION,{of}"));
            assert_eq!(said, (4, problem, of.to_owned()));
        }
        assert_eq!(refused("A,1,2,Throne,").1, PlanProblem::Kind);
    }

    #[test]
    fn a_plan_without_kinds_is_written_without_their_columns() {
        let text = "section,row,number,x,y\nA,1,1,0,0\n";
        assert_eq!(SeatPlan::from_csv(text).unwrap().to_csv(), text);
    }
}
