//! Offers, made in the transaction that has locked the list.

use std::collections::HashMap;

use super::{
    assigning::hold_of,
    matching::{FreePlaces, Picked},
    model::{OfferTerms, SEATS_MAX, WaitingWish},
    store::offers::{self as store, Wanted},
};
use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, SeatKind, ZoneId},
    entry_queue,
    infra::postgres::{Connection, is_lock_timeout},
    outbox::{self, AccountMail, Message},
    reservation::{
        error::ReservationError,
        hold::store::{
            HoldTerms, LockedSeat, list_terms, lock_seats,
            new_holds::{NewHolds, WrittenBeside, insert_holds},
        },
        inventory::{model::LockedZone, store::lock_zones},
        model::{Hold, Item, LockedLists, SeatStatus, WishId},
        returns::{
            places::{count_picked, pick_places},
            store::list_free_of_zone,
        },
    },
};

/// Wishes read per page.
const PAGE_ROWS: i64 = 100;
/// Pages of wishes read for one round of offers. The worker serves later wishes, once earlier ones
/// have left.
const PAGES_MAX: usize = 50;

/// Offers free places to the wishes of `lists`. Fails with `StaleVersion` when another transaction
/// has locked a row that an offer needs.
pub(crate) async fn offer_freed(
    tx: &mut Connection,
    lists: &LockedLists,
) -> Result<usize, ReservationError> {
    let mut n_offers = 0;
    for schedule_id in &lists.waited_for {
        n_offers += offer(tx, *schedule_id).await?;
    }
    Ok(n_offers)
}

async fn offer(tx: &mut Connection, schedule_id: ScheduleId) -> Result<usize, ReservationError> {
    let Some((program_id, terms)) = store::find_terms(tx, schedule_id).await? else {
        return Ok(0);
    };
    if !terms.can_offer() {
        return Ok(0);
    }
    let matched = match_wishes(tx, &terms).await?;
    if matched.is_empty() {
        return Ok(0);
    }
    let accounts: Vec<AccountId> = matched.iter().map(|(wish, _)| wish.account_id).collect();
    lock_wishers(tx, program_id, &accounts).await?;
    // Places that an account has held meanwhile count toward its limit.
    let hold_terms = terms_of(tx, &terms, &accounts).await?;
    if matched.iter().any(|(wish, _)| !has_room(&hold_terms, wish)) {
        return Err(ReservationError::StaleVersion);
    }
    make(tx, (program_id, schedule_id), &hold_terms, &matched).await?;
    let ids: Vec<WishId> = matched.iter().map(|(wish, _)| wish.id).collect();
    let n_offered = store::write_offered(tx, schedule_id, &ids).await?;
    if usize::try_from(n_offered) != Ok(ids.len()) {
        return Err(ReservationError::StaleVersion);
    }
    metrics::counter!("stagedoor_waiting_list_offers_total")
        .increment(u64::try_from(ids.len()).unwrap_or(u64::MAX));
    Ok(ids.len())
}

/// Assigns the free places to the wishes, in their order.
async fn match_wishes(
    tx: &mut Connection,
    terms: &OfferTerms,
) -> Result<Vec<(WaitingWish, Picked)>, ReservationError> {
    let (schedule_id, keeps) = (terms.schedule_id, terms.keeps_places);
    let seats = store::list_free_seats(tx, schedule_id, keeps, &Wanted::ByList, SEATS_MAX).await?;
    let mut free = FreePlaces {
        places_min: terms.places_min,
        sellers: store::list_sellers(tx, &seats).await?,
        seats,
        zones: store::list_free_zones(tx, schedule_id).await?,
    };
    let (mut matched, mut last) = (Vec::new(), 0);
    for _ in 0..PAGES_MAX {
        let places_max = free.places_max();
        if places_max == 0 {
            break;
        }
        let page = store::list_waiting(tx, schedule_id, places_max, last, PAGE_ROWS).await?;
        let Some(end) = page.last() else { break };
        last = end.number;
        let accounts: Vec<AccountId> = page.iter().map(|wish| wish.account_id).collect();
        let hold_terms = terms_of(tx, terms, &accounts).await?;
        for wish in page.into_iter().filter(|wish| has_room(&hold_terms, wish)) {
            if let Some(picked) = free.take(wish.account_id, &wish.order) {
                matched.push((wish, picked));
            }
        }
    }
    Ok(matched)
}

/// Returns the terms of offers to each of `accounts`.
async fn terms_of(
    tx: &mut Connection,
    terms: &OfferTerms,
    accounts: &[AccountId],
) -> Result<HashMap<AccountId, HoldTerms>, sqlx::Error> {
    let found = list_terms(tx, terms.schedule_id, accounts, &[]).await?;
    let offered =
        found.into_iter().map(|each| HoldTerms { hold_ttl_secs: terms.offer_secs, ..each });
    Ok(offered.map(|each| (each.account_id, each)).collect())
}

/// Whether the account of a wish may have its places in addition to its live ones.
fn has_room(terms: &HashMap<AccountId, HoldTerms>, wish: &WaitingWish) -> bool {
    terms.get(&wish.account_id).is_some_and(|terms| {
        let places = terms.places_live + i64::from(wish.order.places);
        terms.is_on_sale && places <= i64::from(terms.places_max)
    })
}

/// Locks the stays of the accounts, and their wishes in the program: a hold for one of them has
/// locked one or the other.
async fn lock_wishers(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<(), ReservationError> {
    let owners: Vec<_> = accounts.iter().map(|id| (program_id, *id)).collect();
    if !entry_queue::lock_live_tokens(tx, &owners).await? {
        return Err(ReservationError::StaleVersion);
    }
    store::lock_wishes(tx, program_id, accounts).await.map_err(|error| match error {
        held if is_lock_timeout(&held) => ReservationError::StaleVersion,
        error => error.into(),
    })
}

/// Makes the holds, with a separate statement for each zone.
async fn make(
    tx: &mut Connection,
    performance: (ProgramId, ScheduleId),
    terms: &HashMap<AccountId, HoldTerms>,
    matched: &[(WaitingWish, Picked)],
) -> Result<(), ReservationError> {
    let Some(any) = terms.values().next() else { return Ok(()) };
    let wanted = matched.iter().filter_map(|(_, picked)| match picked {
        Picked::Seats(ids) => Some(ids),
        Picked::Places(_) => None,
    });
    let wanted: Vec<_> = wanted.flatten().copied().collect();
    let mut zone_ids: Vec<ZoneId> = matched
        .iter()
        .filter_map(|(_, picked)| match picked {
            Picked::Places(id) => Some(*id),
            Picked::Seats(_) => None,
        })
        .collect();
    zone_ids.sort();
    zone_ids.dedup();
    let seats = lock_seats(tx, performance.1, &wanted).await?;
    let is_free = |seat: &LockedSeat| seat.status == SeatStatus::Available;
    if seats.len() != wanted.len() || !seats.iter().all(is_free) {
        return Err(ReservationError::StaleVersion);
    }
    let by_id: HashMap<_, _> = seats.iter().map(|seat| (seat.id, *seat)).collect();
    let mut holds = NewHolds::default();
    let mut mails = Vec::new();
    for (wish, picked) in matched {
        let Picked::Seats(ids) = picked else { continue };
        let seats: Option<Vec<LockedSeat>> = ids.iter().map(|id| by_id.get(id).copied()).collect();
        let seats = seats.ok_or(ReservationError::Inconsistent)?;
        if seats.iter().any(|seat| seat.seller_id == Some(wish.account_id)) {
            return Err(ReservationError::StaleVersion);
        }
        let items = seats
            .iter()
            .map(|seat| (Item::of_seat(seat.id, seat.price).of_return(seat.return_id), seat.kind));
        let hold = hold_of(any, items.collect())?;
        mails.push(mail(wish, &hold));
        holds.offer(wish.account_id, wish.id, &hold);
    }
    if !holds.is_empty() {
        let beside = WrittenBeside::default();
        insert_holds(tx, performance, any, &holds, &seats, None, &beside).await?;
    }
    for zone in lock_zones(tx, &zone_ids).await? {
        mails.extend(make_places(tx, performance, any, zone, matched).await?);
    }
    Ok(outbox::write_to_accounts(tx, &mails).await?)
}

async fn make_places(
    tx: &mut Connection,
    performance: (ProgramId, ScheduleId),
    terms: &HoldTerms,
    zone: LockedZone,
    matched: &[(WaitingWish, Picked)],
) -> Result<Vec<AccountMail>, ReservationError> {
    let mut returned = match zone.returned {
        0 => Vec::new(),
        _ => list_free_of_zone(tx, zone.id).await?,
    };
    let mut left = zone.clone();
    let (mut holds, mut n_places, mut mails) = (NewHolds::default(), 0, Vec::new());
    for (wish, _) in matched.iter().filter(|(_, picked)| *picked == Picked::Places(zone.id)) {
        let items = pick_places(&left, &returned, wish.order.places, wish.account_id);
        let items = items.ok_or(ReservationError::StaleVersion)?;
        let is_dear = |item: &Item| wish.order.price_max.is_some_and(|most| item.unit_price > most);
        if items.iter().any(is_dear) {
            return Err(ReservationError::StaleVersion);
        }
        count_picked(&mut left, &mut returned, items.iter());
        let items = items.into_iter().map(|item| (item, SeatKind::Standard));
        let hold = hold_of(terms, items.collect())?;
        n_places += wish.order.places;
        mails.push(mail(wish, &hold));
        holds.offer(wish.account_id, wish.id, &hold);
    }
    let places = Some((&zone, n_places));
    let beside = WrittenBeside::default();
    insert_holds(tx, performance, terms, &holds, &[], places, &beside).await?;
    Ok(mails)
}

fn mail(wish: &WaitingWish, hold: &Hold) -> AccountMail {
    let id = hold.reservation_id;
    AccountMail {
        account_id: wish.account_id,
        message: Message::PlacesOffered { reservation_id: id.0 },
        order_key: format!("reservation:{id}"),
        dedupe_key: format!("offered:{id}"),
    }
}
