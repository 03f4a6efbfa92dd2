//! New returns, made in a transaction of the caller.

use std::{collections::HashSet, slice};

use sqlx::PgExecutor;

use super::{
    model::{HouseCause, NewReturn, TicketPlace},
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

/// Rows beside the tickets of one order that are locked for their leaving it.
#[derive(Debug)]
pub struct LockedPlaces {
    zones: Vec<LockedZone>,
    lists: LockedLists,
}

/// Locks the waiting lists that places of `order` are offered to once they are free: before the stay of its account,
/// where a transaction locks that too.
pub async fn lock_lists(tx: &mut Connection, order: ReservationId) -> Result<(), ReservationError> {
    lock_lists_of(tx, &[order]).await.map(drop)
}

/// Locks the waiting list, the order of `places` and the reservations `beside` it, and the seats and zones of the
/// places and of these. All places are of one order; their tickets are locked after them.
pub async fn lock_places(
    tx: &mut Connection,
    places: &[TicketPlace],
    beside: &[ReservationId],
) -> Result<LockedPlaces, ReservationError> {
    let order = places.first().map(|place| place.reservation_id);
    let lists = lock_lists_of(tx, order.as_slice()).await?;
    lock_all(tx, &order.into_iter().chain(beside.iter().copied()).collect::<Vec<_>>()).await?;
    let places_beside = match beside {
        [] => Vec::new(),
        _ => store::list_places(tx, &[], beside).await?,
    };
    let own = places.iter().map(|place| (place.schedule_seat_id, place.zone_id));
    let all = || own.clone().chain(places_beside.iter().copied());
    let seat_ids: Vec<_> = all().filter_map(|(seat_id, _)| seat_id).collect();
    store::lock_seats(tx, &seat_ids).await?;
    let zone_ids: Vec<_> = all().filter_map(|(_, zone_id)| zone_id).collect();
    let zones = match zone_ids.is_empty() {
        true => Vec::new(),
        false => lock_zones(tx, &zone_ids).await?,
    };
    Ok(LockedPlaces { zones, lists })
}

/// Refuses the return of a place that its locked order needs, by the rules that were stored with it.
pub async fn require_dispensable(
    tx: &mut Connection,
    place: &TicketPlace,
) -> Result<(), ReservationError> {
    order_rules::refuse(find_need(&mut *tx, place.reservation_id, place.item_id).await?)
}

/// Refuses places that leave a locked order together and that the rest of it needs, by the rules that were stored
/// with it; one item for each place.
pub async fn require_dispensable_together(
    tx: &mut Connection,
    order: ReservationId,
    items: &[ReservationItemId],
) -> Result<(), ReservationError> {
    let orders = list_orders(tx, &[order]).await?;
    order_rules::refuse(orders.iter().find_map(|order| order.broken_by_leaving(items)))
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
    locked: &LockedPlaces,
    new: &NewReturn,
) -> Result<(), ReservationError> {
    changes::insert(tx, slice::from_ref(new), None).await?;
    if let Some(seat_id) = new.place.schedule_seat_id {
        let n_written = changes::write_on_return(tx, seat_id, new).await?;
        expect_all(1, n_written, ReservationError::Inconsistent)?;
    }
    add_to_zones(tx, locked, slice::from_ref(new), 1).await?;
    offer_freed(tx, &locked.lists).await?;
    Ok(())
}

/// Gives locked places of one order, whose tickets are locked and valid, back to the house: they are free again, and
/// offered to the waiting list. The caller voids the tickets and pays.
pub async fn take_for_house(
    tx: &mut Connection,
    locked: &LockedPlaces,
    new: &[NewReturn],
    cause: HouseCause,
) -> Result<(), ReservationError> {
    changes::insert(tx, new, Some(cause)).await?;
    let items: Vec<_> = new.iter().map(|each| each.place.item_id).collect();
    let n_items = items.iter().collect::<HashSet<_>>().len();
    let n_written = changes::write_items_sold(tx, &items).await?;
    expect_all(n_items, n_written, ReservationError::Inconsistent)?;
    let seat_ids: Vec<_> = new.iter().filter_map(|each| each.place.schedule_seat_id).collect();
    if !seat_ids.is_empty() {
        let n_written = write_seats_free(tx, &seat_ids).await?;
        expect_all(seat_ids.len(), n_written, ReservationError::Inconsistent)?;
    }
    add_to_zones(tx, locked, new, 0).await?;
    offer_freed(tx, &locked.lists).await?;
    Ok(())
}

/// Adds the places of zones among `new` to the free ones of their zones; `on_return` of each is on return.
async fn add_to_zones(
    tx: &mut Connection,
    locked: &LockedPlaces,
    new: &[NewReturn],
    on_return: i32,
) -> Result<(), ReservationError> {
    let zone_ids: Vec<_> = new.iter().filter_map(|each| each.place.zone_id).collect();
    if zone_ids.is_empty() {
        return Ok(());
    }
    let zones: Vec<LockedZone> =
        locked.zones.iter().filter(|zone| zone_ids.contains(&zone.id)).cloned().collect();
    let (ones, returned) = (vec![1; zone_ids.len()], vec![on_return; zone_ids.len()]);
    let n_written = write_places_returned(tx, &zones, &zone_ids, &ones, &returned).await?;
    expect_all(zones.len(), n_written, ReservationError::StaleVersion)
}
