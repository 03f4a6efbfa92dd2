//! Proposals of kept places, while they are kept for guests who need them. The map may be a moment
//! old; the transaction that holds decides again.

use crate::{catalog::SeatKind, reservation::seat_map::seat::MapSeat};

/// Kept places that may be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proposal {
    /// All places: none is kept any more, and all seats are ordinary.
    All,
    /// No kept places.
    NoneKept,
    /// Kept places too, but no companion's place without its wheelchair place.
    Needed,
}

impl Proposal {
    /// Returns the kept places that may be proposed to a request; `asks` tells whether it asks for
    /// kept places and confirms that they are needed.
    pub(crate) fn of(keeps_places: bool, asks: bool) -> Self {
        match (keeps_places, asks) {
            (false, _) => Self::All,
            (true, false) => Self::NoneKept,
            (true, true) => Self::Needed,
        }
    }

    /// Whether `seat` may be in a proposed group.
    pub(crate) fn allows(self, seat: &MapSeat) -> bool {
        self != Self::NoneKept || !seat.kind.is_kept()
    }

    /// Whether `seats` may be proposed together.
    pub(crate) fn allows_together(self, seats: &[&MapSeat]) -> bool {
        let has_its_place = |seat: &&MapSeat| {
            seat.kind != SeatKind::Companion
                || seats.iter().any(|other| other.is_wheelchair_place_of(seat))
        };
        match self {
            Self::All => true,
            Self::NoneKept => seats.iter().all(|seat| self.allows(seat)),
            Self::Needed => seats.iter().all(has_its_place),
        }
    }
}

/// Whether one of `seats` has a restricted view.
pub fn has_restricted_view(seats: &[&MapSeat]) -> bool {
    seats.iter().any(|seat| seat.kind == SeatKind::RestrictedView)
}

/// Returns the kinds of the kept places among `seats`, in order.
pub(crate) fn kept_kinds(seats: &[&MapSeat]) -> Vec<SeatKind> {
    let mut kinds: Vec<_> =
        seats.iter().map(|seat| seat.kind).filter(|kind| kind.is_kept()).collect();
    kinds.sort_unstable();
    kinds
}
