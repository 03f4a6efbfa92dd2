//! Returns that are made, in a transaction of the caller.

use super::{
    model::{NewReturn, TicketPlace},
    store::{self, changes},
};
use crate::{
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        inventory::{model::LockedZone, store::lock_zones},
        lifecycle::expect_all,
        model::LockedLists,
        waiting_list::{lock_lists_of, offer_freed},
    },
};

/// Place of a ticket that this transaction has locked, with everything that making a return of it needs.
#[derive(Debug)]
pub(crate) struct LockedPlace {
    place: TicketPlace,
    zone: Option<LockedZone>,
    lists: LockedLists,
}

/// Locks the waiting list, the seller's reservation, and the seat or zone of a ticket. The ticket comes
/// after them.
pub(crate) async fn lock_place(
    tx: &mut Connection,
    place: TicketPlace,
) -> Result<LockedPlace, ReservationError> {
    let lists = lock_lists_of(tx, &[place.reservation_id]).await?;
    store::lock_reservations(tx, &[place.reservation_id]).await?;
    let seat_ids: Vec<_> = place.schedule_seat_id.into_iter().collect();
    store::lock_seats(tx, &seat_ids).await?;
    let zone_ids: Vec<_> = place.zone_id.into_iter().collect();
    let zone = lock_zones(tx, &zone_ids).await?.pop();
    Ok(LockedPlace { place, zone, lists })
}

/// Puts a locked place on sale, whose ticket is locked and valid, and offers it to whoever waits.
pub(crate) async fn put_on_sale(
    tx: &mut Connection,
    locked: &LockedPlace,
    new: &NewReturn,
) -> Result<(), ReservationError> {
    changes::insert(tx, new).await?;
    if let Some(seat_id) = locked.place.schedule_seat_id {
        let n_written = changes::write_on_return(tx, seat_id, new).await?;
        expect_all(1, n_written, ReservationError::Inconsistent)?;
    }
    if let Some(zone) = &locked.zone {
        let n_written =
            changes::write_places(tx, std::slice::from_ref(zone), &[zone.id], &[1]).await?;
        expect_all(1, n_written, ReservationError::StaleVersion)?;
    }
    offer_freed(tx, &locked.lists).await?;
    Ok(())
}
