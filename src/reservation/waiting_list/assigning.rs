//! Holds that staff make for an account, of the best free places that fit, as an offer has them.

use super::{
    matching::{FreePlaces, Picked},
    model::{SEATS_MAX, WishOrder},
    parts::meant,
    store::{
        offers::{self as store, Wanted},
        own::list_parts,
    },
};
use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, SeatKind, ZoneId},
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        hold::store::{
            HoldTerms, list_terms, lock_seats,
            new_holds::{NewHolds, WrittenBeside, insert_holds},
        },
        inventory::store::lock_zones,
        model::{Hold, Item, ReservationId, SeatStatus},
        returns::{
            places::{pick_places, total_of},
            store::list_free_of_zone,
        },
    },
};

/// Holds the best free places of a performance that fit `order` for an account, whether or not it is admitted; the
/// caller has locked the account's stay. Refused where the performance is not of the program or not on sale, or where
/// the account would have more places than it may. Nothing is announced.
pub async fn assign(
    tx: &mut Connection,
    account_id: AccountId,
    program_id: ProgramId,
    schedule_id: ScheduleId,
    order: &WishOrder,
) -> Result<ReservationId, ReservationError> {
    let found = store::find_terms(tx, schedule_id).await?;
    let found = found.filter(|(of, _)| *of == program_id);
    let (_, offers) = found.ok_or(ReservationError::NotFound)?;
    let terms = list_terms(tx, schedule_id, &[account_id], &[]).await?.pop();
    let terms = terms.ok_or(ReservationError::Inconsistent)?;
    if !offers.is_on_sale {
        return Err(ReservationError::SaleClosed);
    }
    let places_max = i64::from(terms.places_max);
    if terms.places_live - terms.exchanged + i64::from(order.places) > places_max {
        return Err(ReservationError::AccountLimit { places_max });
    }
    let order = meant(&list_parts(&mut *tx, schedule_id).await?, order);
    let wanted = Wanted::By(vec![&order]);
    let keeps = offers.keeps_places;
    let seats = store::list_free_seats(tx, schedule_id, keeps, &wanted, SEATS_MAX).await?;
    let free = FreePlaces {
        // Staff may hold fewer than a show asks of an order: the rest of the order is theirs to look at.
        places_min: offers.places_min.min(order.places),
        sellers: store::list_sellers(tx, &seats).await?,
        seats,
        zones: store::list_free_zones(tx, schedule_id).await?,
    };
    let none_left = || ReservationError::SoldOut { zone_id: None, alternatives: Vec::new() };
    let performance = (program_id, schedule_id);
    match free.find(account_id, &order).ok_or_else(none_left)? {
        Picked::Seats(ids) => hold_seats(tx, performance, &terms, &ids).await,
        Picked::Places(id) => hold_places(tx, performance, &terms, (id, order.places)).await,
    }
}

async fn hold_seats(
    tx: &mut Connection,
    performance: (ProgramId, ScheduleId),
    terms: &HoldTerms,
    ids: &[ScheduleSeatId],
) -> Result<ReservationId, ReservationError> {
    let seats = lock_seats(tx, performance.1, ids).await?;
    if seats.len() != ids.len() || seats.iter().any(|seat| seat.status != SeatStatus::Available) {
        return Err(ReservationError::StaleVersion);
    }
    let items = seats
        .iter()
        .map(|seat| (Item::of_seat(seat.id, seat.price).of_return(seat.return_id), seat.kind));
    let hold = hold_of(terms, items.collect())?;
    let mut holds = NewHolds::default();
    holds.add(terms.account_id, &hold);
    let beside = WrittenBeside::default();
    insert_holds(tx, performance, terms, &holds, &seats, None, &beside).await?;
    Ok(hold.reservation_id)
}

async fn hold_places(
    tx: &mut Connection,
    performance: (ProgramId, ScheduleId),
    terms: &HoldTerms,
    (zone_id, places): (ZoneId, i32),
) -> Result<ReservationId, ReservationError> {
    let zone = lock_zones(tx, &[zone_id]).await?.pop().ok_or(ReservationError::Inconsistent)?;
    let returned = match zone.returned {
        0 => Vec::new(),
        _ => list_free_of_zone(tx, zone.id).await?,
    };
    let items = pick_places(&zone, &returned, places, terms.account_id);
    let items = items.ok_or(ReservationError::StaleVersion)?;
    let items = items.into_iter().map(|item| (item, SeatKind::Standard));
    let hold = hold_of(terms, items.collect())?;
    let mut holds = NewHolds::default();
    holds.add(terms.account_id, &hold);
    let beside = WrittenBeside::default();
    insert_holds(tx, performance, terms, &holds, &[], Some((&zone, places)), &beside).await?;
    Ok(hold.reservation_id)
}

/// Returns the hold of `items` on `terms`.
pub(super) fn hold_of(
    terms: &HoldTerms,
    items: Vec<(Item, SeatKind)>,
) -> Result<Hold, ReservationError> {
    let of_total: Vec<Item> = items.iter().map(|(item, _)| *item).collect();
    let total = total_of(&of_total).ok_or(ReservationError::Inconsistent)?;
    let items = items.into_iter().map(|(item, kind)| item.of_kind(kind)).collect();
    Ok(Hold::new(items, total, terms.expires_at()))
}
