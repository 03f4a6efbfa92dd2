//! Changes that a plan makes to the seats of a venue.

use std::{cell::Cell, collections::HashMap};

use sha2::{Digest, Sha256};

use super::{PlannedSeat, SeatPlan};
use crate::catalog::model::SeatId;

/// Seat that a venue has.
#[derive(Clone, Debug)]
pub struct SavedSeat {
    pub id: SeatId,
    pub seat: PlannedSeat,
}

/// Difference between the seats of a venue and of a plan.
#[derive(Debug, Default)]
pub(crate) struct PlanDifference {
    /// Seats that the venue does not have, in the order of the plan.
    pub added: Vec<PlannedSeat>,
    /// Seats that the plan describes differently, as it describes them.
    pub changed: Vec<SavedSeat>,
    /// Changed seats that have another kind or another wheelchair place.
    pub(crate) of_other_kind: Vec<SeatId>,
    /// Changed seats that stand elsewhere on the map.
    pub(crate) moved: Vec<SeatId>,
    /// Hashes of where these stand, before and after: a plan that puts all of them back has the same two, exchanged.
    pub(crate) moved_between: [String; 2],
    /// Seats that the plan does not have; companions' places come before the others.
    pub removed: Vec<SeatId>,
}

impl PlanDifference {
    /// Compares the seats of a venue with a plan, seat by seat.
    pub(crate) fn of(saved: &[SavedSeat], plan: SeatPlan) -> Self {
        // Each saved seat by its name, and whether the plan has it.
        let by_name: HashMap<_, (&SavedSeat, Cell<bool>)> =
            saved.iter().map(|saved| (key(&saved.seat), (saved, Cell::new(false)))).collect();
        let (mut difference, mut places) = (Self::default(), Vec::new());
        for seat in plan.into_seats() {
            let Some((SavedSeat { id, seat: before }, is_planned)) = by_name.get(&key(&seat))
            else {
                difference.added.push(seat);
                continue;
            };
            is_planned.set(true);
            if *before == seat {
                continue;
            }
            if (before.kind, before.companion_of) != (seat.kind, seat.companion_of) {
                difference.of_other_kind.push(*id);
            }
            if (before.x, before.y) != (seat.x, seat.y) {
                difference.moved.push(*id);
                places.push((*id, [(before.x, before.y), (seat.x, seat.y)]));
            }
            difference.changed.push(SavedSeat { id: *id, seat });
        }
        places.sort_unstable_by_key(|(id, _)| *id);
        difference.moved_between = [0, 1].map(|side| hash_of(&places, side));
        let left = by_name.into_values().filter(|(_, is_planned)| !is_planned.get());
        let mut removed: Vec<&SavedSeat> = left.map(|(saved, _)| saved).collect();
        removed.sort_unstable_by_key(|saved| (saved.seat.companion_of.is_none(), saved.id));
        difference.removed = removed.into_iter().map(|saved| saved.id).collect();
        difference
    }
}

/// Returns a hash of the places of seats: those before (0) or after (1).
fn hash_of(places: &[(SeatId, [(f32, f32); 2])], side: usize) -> String {
    let mut hash = Sha256::new();
    for (id, sides) in places {
        let (x, y) = sides.get(side).copied().unwrap_or_default();
        hash.update(id.0.to_be_bytes());
        hash.update(x.to_be_bytes());
        hash.update(y.to_be_bytes());
    }
    hex::encode(hash.finalize())
}

/// Returns the section, the row and the number of a seat.
fn key(seat: &PlannedSeat) -> (&str, &str, i32) {
    (&seat.section, &seat.row, seat.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(lines: &str) -> SeatPlan {
        SeatPlan::from_csv(&format!("section,row,number,x,y,kind,companion_of\n{lines}")).unwrap()
    }

    fn saved(plan: &SeatPlan) -> Vec<SavedSeat> {
        let seats = (1..).zip(plan.seats());
        seats.map(|(id, seat)| SavedSeat { id: SeatId(id), seat: seat.clone() }).collect()
    }

    #[test]
    fn a_plan_that_was_saved_changes_nothing() {
        let plan = plan("A,1,1,0,0,WHEELCHAIR,\nA,1,2,1,0,COMPANION,1\n");
        let difference = PlanDifference::of(&saved(&plan), plan);
        assert!(difference.added.is_empty() && difference.changed.is_empty());
        assert!(difference.of_other_kind.is_empty() && difference.removed.is_empty());
        assert!(difference.moved.is_empty());
    }

    #[test]
    fn seats_are_added_changed_and_removed_by_their_names() {
        let before =
            plan("A,1,1,0,0,WHEELCHAIR,\nA,1,2,1,0,COMPANION,1\nA,1,3,2,0,,\nB,1,1,0,9,,\n");
        let after = plan("B,1,1,0,9,EASY_ACCESS,\nA,1,3,2.5,0,,\nC,1,1,5,5,,\n");
        let saved = saved(&before);
        let difference = PlanDifference::of(&saved, after);
        let added: Vec<&str> = difference.added.iter().map(|seat| &*seat.section).collect();
        assert_eq!(added, ["C"]);
        let changed: Vec<SeatId> = difference.changed.iter().map(|saved| saved.id).collect();
        assert_eq!(changed, [SeatId(4), SeatId(3)]);
        assert_eq!(difference.of_other_kind, [SeatId(4)]);
        assert_eq!(difference.moved, [SeatId(3)]);
        assert_eq!(difference.removed, [SeatId(2), SeatId(1)], "the companion's place first");
    }
}
