//! New returns, made in a transaction of the caller.

use sqlx::PgExecutor;

use super::{
    model::{NewReturn, TicketPlace},
    store::{self, changes},
};
use crate::{
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        inventory::{model::LockedZone, store::lock_zones},
        lifecycle::{
            expect_all,
            store::{holds::lock_all, write_places_returned, write_seats_free},
        },
        model::{LockedLists, ReservationId, ReservationItemId},
        order_rules::{self, error::BrokenRule, store::list_orders},
        waiting_list::{lock_lists_of, offer_freed},
    },
};

/// Locked place of a ticket, with the locked rows that making a return needs.
#[derive(Debug)]
pub struct LockedPlace {
    place: TicketPlace,
    zone: Option<LockedZone>,
    lists: LockedLists,
}

/// Locks the waiting list, the seller's reservation, and the seat or zone of a ticket. The ticket
/// is locked after them.
pub async fn lock_place(
    tx: &mut Connection,
    place: TicketPlace,
) -> Result<LockedPlace, ReservationError> {
    let lists = lock_lists_of(tx, &[place.reservation_id]).await?;
    lock_all(tx, &[place.reservation_id]).await?;
    let seat_ids: Vec<_> = place.schedule_seat_id.into_iter().collect();
    store::lock_seats(tx, &seat_ids).await?;
    let zone_ids: Vec<_> = place.zone_id.into_iter().collect();
    let zone = lock_zones(tx, &zone_ids).await?.pop();
    Ok(LockedPlace { place, zone, lists })
}

/// Refuses the return of a locked place that its order needs, by the rules that were stored with
/// it.
pub async fn require_dispensable(
    tx: &mut Connection,
    locked: &LockedPlace,
) -> Result<(), ReservationError> {
    let TicketPlace { reservation_id, item_id, .. } = locked.place;
    order_rules::refuse(find_need(&mut *tx, reservation_id, item_id).await?)
}

/// Returns the rule of an order that a return of one more place of an item would break.
pub async fn find_need(
    db: impl PgExecutor<'_>,
    reservation_id: ReservationId,
    item_id: ReservationItemId,
) -> Result<Option<BrokenRule>, sqlx::Error> {
    let orders = list_orders(db, &[reservation_id]).await?;
    Ok(orders.iter().find_map(|order| order.broken_by_return(item_id)))
}

/// Puts a locked place on sale, whose ticket is locked and valid, and offers it to the waiting
/// list.
pub async fn put_on_sale(
    tx: &mut Connection,
    locked: &LockedPlace,
    new: &NewReturn,
) -> Result<(), ReservationError> {
    changes::insert(tx, new, false).await?;
    if let Some(seat_id) = locked.place.schedule_seat_id {
        let n_written = changes::write_on_return(tx, seat_id, new).await?;
        expect_all(1, n_written, ReservationError::Inconsistent)?;
    }
    if let Some(zone) = &locked.zone {
        let zones = std::slice::from_ref(zone);
        let n_written = write_places_returned(tx, zones, &[zone.id], &[1], &[1]).await?;
        expect_all(1, n_written, ReservationError::StaleVersion)?;
    }
    offer_freed(tx, &locked.lists).await?;
    Ok(())
}

/// Gives a locked place, whose ticket is locked and valid, back to the house: it is free again, and offered to the
/// waiting list. The caller voids the ticket and pays.
pub async fn take_for_house(
    tx: &mut Connection,
    locked: &LockedPlace,
    new: &NewReturn,
) -> Result<(), ReservationError> {
    changes::insert(tx, new, true).await?;
    let n_written = changes::write_items_sold(tx, &[new.place.item_id]).await?;
    expect_all(1, n_written, ReservationError::Inconsistent)?;
    if let Some(seat_id) = locked.place.schedule_seat_id {
        let n_written = write_seats_free(tx, &[seat_id]).await?;
        expect_all(1, n_written, ReservationError::Inconsistent)?;
    }
    if let Some(zone) = &locked.zone {
        let zones = std::slice::from_ref(zone);
        let n_written = write_places_returned(tx, zones, &[zone.id], &[1], &[0]).await?;
        expect_all(1, n_written, ReservationError::StaleVersion)?;
    }
    offer_freed(tx, &locked.lists).await?;
    Ok(())
}
