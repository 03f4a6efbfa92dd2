//! Holding seats and zone places for one account.
//!
//! A **hold request** names the performance, the **choice** (seats, places of a zone, or the best
//! available seats) and the **shown price**. A hold takes all of the choice or nothing.
//!
//! # Concurrency
//!
//! The order is: lease or fair lock in Redis, then connection, then rows, then the clock, then the
//! write. Leases only keep requests from waiting for the same seat row; without Redis a hold
//! continues and the rows alone decide.

pub(crate) mod alternatives;
pub(crate) mod best_available;
pub(crate) mod limiter;
pub(crate) mod locks;
pub(crate) mod order;
pub(crate) mod pages;
pub(crate) mod seat_groups;
pub(crate) mod store;

use uuid::Uuid;

use self::{
    limiter::ReservationState,
    locks::HoldLocks,
    order::HoldRequest,
    store::{HoldTerms, NewHold},
};
use super::{
    error::ReservationError,
    lifecycle::{expect_all, expiry},
    model::{Choice, Hold, Item, ReservationId, ReservationItemId, ReservationStatus, SeatStatus},
    seat_map::feed::announce,
};
use crate::{
    app::App,
    catalog::{ScheduleSeatId, ZoneId},
    entry_queue::{self, QueueError, Stay},
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::{Connection, retry_stale, violated_constraint},
    },
    points::Points,
};

/// Unique index that makes a double sale of a seat impossible.
const LIVE_SEAT_KEY: &str = "reservation_items_live_seat_key";

/// Holds what `order` asks for: all or nothing, and once per request key.
///
/// A request that was carried out before returns its first outcome, even if a new attempt would be
/// refused. Lapsed holds that block the request are expired, and the request is tried once more.
pub async fn hold(
    app: &App,
    state: &ReservationState,
    order: &HoldRequest,
) -> Result<Hold, ReservationError> {
    let key = order.key();
    let places_max = i64::from(app.config.seats_per_hold_max.get());
    if order.choice.quantity() > places_max {
        return Err(ReservationError::TooMany { places_max });
    }
    let outcome = match hold_now(app, state, order, key.as_ref()).await {
        Err(ReservationError::NotInside(refusal @ QueueError::CoolingDown { .. })) => {
            entry_queue::note_cool_down(app, order.schedule.program_id).await;
            Err(refusal.into())
        }
        // Lapsed holds blocked the request and have been expired, so a second attempt may succeed.
        Err(refusal) if is_freed(app, state, &refusal).await? => {
            hold_now(app, state, order, key.as_ref()).await
        }
        outcome => outcome,
    };
    match (outcome, key) {
        // A request key that has an outcome returns it, whatever refuses a second attempt.
        (Err(refusal), Some(key)) if refusal.is_refusal() => {
            let permit = state.acquire_permit().await?;
            let first = key.find_outcome(&app.db).await?;
            drop(permit);
            match first {
                Some(first) => Ok(first),
                None => Err(with_alternatives(app, state, order, refusal).await),
            }
        }
        (Err(refusal), None) => Err(with_alternatives(app, state, order, refusal).await),
        (outcome, _) => outcome,
    }
}

/// Returns the stored outcome of `order`; `None` if it was not carried out or has no key.
pub(crate) async fn find_carried_out(
    app: &App,
    order: &HoldRequest,
) -> Result<Option<Hold>, ReservationError> {
    match order.key() {
        Some(key) => Ok(key.find_outcome(&app.db).await?),
        None => Ok(None),
    }
}

async fn hold_now(
    app: &App,
    state: &ReservationState,
    order: &HoldRequest,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    match &order.choice {
        Choice::Best(wish) => best_available::hold_best(app, state, order, wish, key).await,
        Choice::Seats(_) | Choice::Places { .. } => hold_chosen(app, state, order, key).await,
    }
}

/// Holds seats or places chosen by id; `key` may belong to the wish that led to the choice.
pub(crate) async fn hold_chosen(
    app: &App,
    state: &ReservationState,
    order: &HoldRequest,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    if let Choice::Places { zone_id, quantity } = order.choice {
        // A request for places that do not exist must not wait for the zone's lock.
        state.require_places(app, order.schedule.id, zone_id, quantity).await?;
    }
    let locks = HoldLocks::take(app, state, order).await?;
    let outcome = retry_stale(|_| hold_once(app, state, order, &locks, key)).await;
    locks.end().await;
    let (held, is_stay_longer) = outcome?;
    announce(app, order.schedule.id);
    if is_stay_longer {
        let program_id = order.schedule.program_id;
        entry_queue::project(app, program_id, &[order.account_id]).await;
    }
    Ok(held)
}

/// Makes one attempt in its own transaction. Returns the hold, and whether the stay was extended.
async fn hold_once(
    app: &App,
    state: &ReservationState,
    order: &HoldRequest,
    locks: &HoldLocks,
    key: Option<&RequestKey>,
) -> Result<(Hold, bool), ReservationError> {
    let _permit = state.acquire_permit().await?;
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(first) = key.claim(&mut tx).await?
    {
        return Ok((first, false));
    }
    let (owner, pass) = (order.account_id, order.pass.as_ref());
    let stay = entry_queue::lock_stay(&mut tx, owner, &order.program, pass).await?;
    let held = match &order.choice {
        Choice::Seats(ids) => hold_seats(&mut tx, order, &stay, ids).await?,
        Choice::Places { zone_id, quantity } => {
            hold_places(&mut tx, order, &stay, locks, (*zone_id, *quantity)).await?
        }
        // `hold_best` replaces a wish by seats before this point.
        Choice::Best(_) => return Err(ReservationError::Inconsistent),
    };
    // A hold keeps its owner admitted until the hold's end.
    let is_stay_longer = held.expires_at > stay.expires_at;
    if is_stay_longer {
        entry_queue::extend_stay(&mut tx, stay.token_id, held.expires_at).await?;
    }
    let held = commit_kept(&app.db, tx, key, held).await?;
    metrics::counter!("stagedoor_holds_total").increment(1);
    Ok((held, is_stay_longer))
}

async fn hold_seats(
    tx: &mut Connection,
    order: &HoldRequest,
    stay: &Stay,
    ids: &[ScheduleSeatId],
) -> Result<Hold, ReservationError> {
    let seats = store::lock_seats(tx, order.schedule.id, ids).await?;
    let hold = new_hold(tx, order, stay).await?;
    if seats.len() != ids.len() {
        return Err(ReservationError::UnknownSeat);
    }
    let taken: Vec<_> = seats
        .iter()
        .filter(|seat| seat.status != SeatStatus::Available)
        .map(|seat| seat.id)
        .collect();
    if !taken.is_empty() {
        return Err(ReservationError::seats_unavailable(taken));
    }
    let items: Vec<_> = seats.iter().map(|seat| item(Some(seat.id), None, 1, seat.price)).collect();
    let total = seats
        .iter()
        .try_fold(Points::ZERO, |sum, seat| sum.checked_add(seat.price))
        .ok_or(ReservationError::Inconsistent)?;
    let price_version = seats.iter().map(|seat| seat.price_version).max().unwrap_or_default();
    order.require_shown(total, price_version)?;
    let written = store::insert_seat_hold(tx, &hold, total, &items, &seats).await;
    let (expires_at, n_taken) = written.map_err(|error| match violated_constraint(&error) {
        Some(LIVE_SEAT_KEY) => ReservationError::seats_unavailable(ids.to_vec()),
        _ => error.into(),
    })?;
    expect_all(seats.len(), u64::try_from(n_taken).unwrap_or_default())?;
    Ok(held(&hold, total, expires_at, items))
}

async fn hold_places(
    tx: &mut Connection,
    order: &HoldRequest,
    stay: &Stay,
    locks: &HoldLocks,
    (zone_id, quantity): (ZoneId, i32),
) -> Result<Hold, ReservationError> {
    let zone = store::lock_zone(tx, order.schedule.id, zone_id).await?;
    let zone = zone.ok_or(ReservationError::UnknownZone)?;
    // The row lock keeps the order from here on.
    locks.pass_on();
    let hold = new_hold(tx, order, stay).await?;
    if zone.remaining < quantity {
        return Err(ReservationError::SoldOut { zone_id: Some(zone_id) });
    }
    let total = zone.price.checked_mul(i64::from(quantity));
    let total = total.ok_or(ReservationError::Inconsistent)?;
    // A zone has a single price, which requests show exactly, so there is no version to compare.
    order.require_shown(total, 0)?;
    let item = item(None, Some(zone_id), quantity, zone.price);
    let expires_at = store::insert_place_hold(tx, &hold, total, &item).await?;
    let expires_at = expires_at.ok_or(ReservationError::Inconsistent)?;
    Ok(held(&hold, total, expires_at, vec![item]))
}

/// Returns the hold that the terms and the stay allow. The terms are read by a statement after the
/// locks on the stay and on the seats or the zone.
async fn new_hold(
    tx: &mut Connection,
    order: &HoldRequest,
    stay: &Stay,
) -> Result<NewHold, ReservationError> {
    let terms = store::terms_of(tx, order.schedule.id, order.account_id).await?;
    entry_queue::require_open(stay, &order.program, terms.moment)?;
    entry_queue::require_cool(&order.program, terms.cools_until, terms.moment)?;
    check(&terms, order.choice.quantity())?;
    Ok(NewHold {
        id: ReservationId(Uuid::now_v7()),
        account_id: order.account_id,
        schedule_id: order.schedule.id,
        program_id: order.schedule.program_id,
        terms,
    })
}

fn check(terms: &HoldTerms, quantity: i64) -> Result<(), ReservationError> {
    if !terms.is_on_sale {
        return Err(ReservationError::SaleClosed);
    }
    let places_max = i64::from(terms.places_max);
    match terms.places_live.checked_add(quantity) {
        Some(places) if places <= places_max => Ok(()),
        _ => Err(ReservationError::AccountLimit { places_max }),
    }
}

fn item(
    schedule_seat_id: Option<ScheduleSeatId>,
    zone_id: Option<ZoneId>,
    quantity: i32,
    unit_price: Points,
) -> Item {
    let id = ReservationItemId(Uuid::now_v7());
    Item { id, schedule_seat_id, zone_id, quantity, unit_price }
}

fn held(
    hold: &NewHold,
    total: Points,
    expires_at: chrono::DateTime<chrono::Utc>,
    items: Vec<Item>,
) -> Hold {
    let status = ReservationStatus::Held;
    Hold { reservation_id: hold.id, status, total, expires_at, items }
}

/// Expires lapsed holds that caused `refusal`; returns whether any were expired.
async fn is_freed(
    app: &App,
    state: &ReservationState,
    refusal: &ReservationError,
) -> Result<bool, sqlx::Error> {
    let (seat_ids, zone_id) = match refusal {
        ReservationError::SeatUnavailable { seat_ids, .. } => (seat_ids.as_slice(), None),
        ReservationError::SoldOut { zone_id: Some(zone_id) } => {
            (Default::default(), Some(*zone_id))
        }
        _ => return Ok(false),
    };
    let Some(_permit) = state.try_acquire_permit().await else { return Ok(false) };
    let n_freed = expiry::expire_in_the_way(app, seat_ids, zone_id).await?;
    Ok(n_freed > 0)
}

/// Adds the nearest free seats to a refusal of seats.
async fn with_alternatives(
    app: &App,
    state: &ReservationState,
    order: &HoldRequest,
    refusal: ReservationError,
) -> ReservationError {
    match (refusal, &order.choice) {
        (ReservationError::SeatUnavailable { seat_ids, .. }, Choice::Seats(wanted)) => {
            let Some(_permit) = state.try_acquire_permit().await else {
                return ReservationError::seats_unavailable(seat_ids);
            };
            let alternatives = alternatives::of(app, order.schedule.id, wanted, &seat_ids).await;
            ReservationError::SeatUnavailable { seat_ids, alternatives }
        }
        (refusal, _) => refusal,
    }
}
