//! Rules for requests with kept places.

use crate::{
    catalog::SeatKind,
    reservation::{
        error::ReservationError,
        hold::{
            request::HoldRequest,
            store::{HoldTerms, LockedSeat},
        },
    },
};

/// Refuses a companion's place without its wheelchair place, in the request or among the live items
/// of the account, and kept places without the confirmation that they are needed. Checks nothing
/// once the places are on general sale.
pub(super) fn require_allowed(
    terms: &HoldTerms,
    request: &HoldRequest,
    seats: &[&LockedSeat],
) -> Result<(), ReservationError> {
    if !terms.keeps_places() {
        return Ok(());
    }
    let is_alone = |seat: &&&LockedSeat| match seat.wheelchair_seat_id {
        Some(place) => {
            !seats.iter().any(|other| other.seat_id == place) && !terms.has_wheelchair(place)
        }
        None => false,
    };
    let alone: Vec<_> = seats.iter().filter(is_alone).map(|seat| seat.id).collect();
    if !alone.is_empty() {
        return Err(ReservationError::CompanionAlone { seat_ids: alone });
    }
    let kept: Vec<_> =
        seats.iter().filter(|seat| seat.kind.is_kept()).map(|seat| seat.id).collect();
    if !kept.is_empty() && !request.is_needed {
        let general_sale_at = request.schedule.general_sale_at();
        return Err(ReservationError::PlacesKept { seat_ids: kept, general_sale_at });
    }
    Ok(())
}

/// Adds the wheelchair places of a hold to the terms, so that a later request of the account may
/// add places of companions.
pub(super) fn count_wheelchairs(terms: &mut HoldTerms, seats: &[LockedSeat]) {
    let wheelchairs = seats.iter().filter(|seat| seat.kind == SeatKind::Wheelchair);
    let wheelchairs = wheelchairs.map(|seat| seat.seat_id);
    terms.wheelchairs.get_or_insert_default().extend(wheelchairs);
}
