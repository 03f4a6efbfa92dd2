//! Sale of places on return, in the transaction of the buyer's payment.

use std::collections::HashSet;

use super::{
    error::ReturnRefusal,
    model::{OpenReturn, ReturnStatus, SoldReturn},
    store::{self, changes},
};
use crate::{
    config::Config,
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        inventory::store::lock_zones,
        lifecycle::{expect_all, store::holds::lock_all},
        model::{Held, ReservationId, ReturnId, SeatStatus},
        order_rules::{self, error::BrokenRule, store::list_orders},
    },
};

/// Locks a buyer's reservation and the reservations of the sellers, in the order of their ids.
pub async fn lock_sellers(tx: &mut Connection, buyer: ReservationId) -> Result<(), sqlx::Error> {
    let involved = store::list_sellers(tx, buyer).await?;
    lock_all(tx, &involved).await?;
    Ok(())
}

/// Takes the places on return of a locked hold from their sellers, whose reservations are locked
/// too, and gives them to the buyer. The caller confirms the hold, voids the sellers' tickets and
/// pays the sellers.
pub async fn sell(
    tx: &mut Connection,
    held: &Held,
    config: &Config,
) -> Result<Vec<SoldReturn>, ReservationError> {
    let ids: Vec<ReturnId> = held.items.iter().filter_map(|item| item.return_id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let returns = lock_open(tx, &ids, &[held.reservation_id]).await?;
    let is_of_buyer = |open: &OpenReturn| open.buyer == Some(held.reservation_id);
    // Ending a return also ends the hold that awaits it.
    if returns.len() != ids.len() || !returns.iter().all(is_of_buyer) {
        return Err(ReservationError::Inconsistent);
    }
    if returns.iter().any(|open| open.is_closed(config)) {
        return Err(ReturnRefusal::Closed.into());
    }
    order_rules::refuse(broken_by_sale(tx, &returns).await?.pop().map(|(_, rule)| rule))?;
    let n_written = changes::write_ended(tx, &ids, ReturnStatus::Sold).await?;
    expect_all(ids.len(), n_written, ReservationError::Inconsistent)?;
    // The sellers' items end first, because a seat is in one live item.
    let items: Vec<_> = returns.iter().map(|open| open.item_id).collect();
    let n_items = items.iter().collect::<HashSet<_>>().len();
    let n_written = changes::write_items_sold(tx, &items).await?;
    expect_all(n_items, n_written, ReservationError::Inconsistent)?;
    let n_written = changes::write_awaited(tx, &ids, true).await?;
    expect_all(ids.len(), n_written, ReservationError::Inconsistent)?;
    let n_seats = returns.iter().filter(|open| open.schedule_seat_id.is_some()).count();
    let n_written = changes::write_off_return(tx, &ids, SeatStatus::Held).await?;
    expect_all(n_seats, n_written, ReservationError::Inconsistent)?;
    let sold = returns.iter().map(|open| SoldReturn {
        id: open.id,
        ticket_id: open.ticket_id,
        seller_id: open.seller_id,
        payout: open.payout,
    });
    Ok(sold.collect())
}

/// Lists the locked orders of sellers whose rules the sale of all of `returns` together would
/// break.
async fn broken_by_sale(
    tx: &mut Connection,
    returns: &[OpenReturn],
) -> Result<Vec<(ReservationId, BrokenRule)>, sqlx::Error> {
    let sellers: Vec<ReservationId> = returns.iter().map(|open| open.reservation_id).collect();
    let items: Vec<_> = returns.iter().map(|open| open.item_id).collect();
    let orders = list_orders(&mut *tx, &sellers).await?;
    let broken = orders
        .iter()
        .filter_map(|order| order.broken_by_sale(&items).map(|rule| (order.reservation_id, rule)));
    Ok(broken.collect())
}

/// Returns the orders of sellers whose rules the sale of `returns` would break.
pub(super) async fn find_needed(
    tx: &mut Connection,
    returns: &[OpenReturn],
) -> Result<HashSet<ReservationId>, sqlx::Error> {
    Ok(broken_by_sale(tx, returns).await?.into_iter().map(|(id, _)| id).collect())
}

/// Locks the seats and zones of returns, and the seats and zones of locked reservations, and then
/// reads the returns that are open.
pub(super) async fn lock_open(
    tx: &mut Connection,
    ids: &[ReturnId],
    reservations: &[ReservationId],
) -> Result<Vec<OpenReturn>, sqlx::Error> {
    let places = store::list_places(tx, ids, reservations).await?;
    let seat_ids: Vec<_> = places.iter().filter_map(|(seat_id, _)| *seat_id).collect();
    store::lock_seats(tx, &seat_ids).await?;
    let zone_ids: Vec<_> = places.iter().filter_map(|(_, zone_id)| *zone_id).collect();
    if !zone_ids.is_empty() {
        lock_zones(tx, &zone_ids).await?;
    }
    store::list_open(tx, ids).await
}
