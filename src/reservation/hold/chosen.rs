//! Holding the chosen seats or places of a request.

use uuid::Uuid;

use super::{
    limiter::ReservationState,
    locks::HoldLocks,
    request::HoldRequest,
    store::{self, HoldTerms, NewHold},
};
use crate::{
    app::App,
    catalog::{ScheduleSeatId, ZoneId},
    entry_queue::{self, Stay},
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::{Connection, retry_stale, violated_constraint},
    },
    points::Points,
    reservation::{
        error::ReservationError,
        inventory::store::lock_zones,
        lifecycle::expect_all,
        model::{
            Choice, Hold, Item, ReservationId, ReservationItemId, ReservationStatus, SeatStatus,
        },
        seat_map::feed::announce,
    },
};

/// Unique index that makes a double sale of a seat impossible.
const LIVE_SEAT_KEY: &str = "reservation_items_live_seat_key";

/// Holds seats or places chosen by id; `key` may belong to the wish that led to the choice.
pub(crate) async fn hold_chosen(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    if let Choice::Places { zone_id, quantity } = request.choice {
        // A request for places that do not exist must not wait for the zone's lock.
        state.require_places(app, request.schedule.id, zone_id, quantity).await?;
    }
    let locks = HoldLocks::take(app, state, request).await?;
    let outcome = retry_stale(|_| hold_once(app, state, request, &locks, key)).await;
    locks.end().await;
    let (held, is_stay_longer) = outcome?;
    announce(app, request.schedule.id);
    if is_stay_longer {
        let program_id = request.schedule.program_id;
        entry_queue::project(app, program_id, &[request.account_id]).await;
    }
    Ok(held)
}

/// Makes one attempt in its own transaction. Returns the hold, and whether the stay was extended.
async fn hold_once(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
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
    let (owner, pass) = (request.account_id, request.pass.as_ref());
    let stay = entry_queue::lock_stay(&mut tx, owner, &request.program, pass).await?;
    let held = match &request.choice {
        Choice::Seats(ids) => hold_seats(&mut tx, request, &stay, ids).await?,
        Choice::Places { zone_id, quantity } => {
            hold_places(&mut tx, request, &stay, locks, (*zone_id, *quantity)).await?
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
    request: &HoldRequest,
    stay: &Stay,
    ids: &[ScheduleSeatId],
) -> Result<Hold, ReservationError> {
    let seats = store::lock_seats(tx, request.schedule.id, ids).await?;
    let hold = new_hold(tx, request, stay).await?;
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
    request.require_shown(total, price_version)?;
    let written = store::insert_seat_hold(tx, &hold, total, &items, &seats).await;
    let (expires_at, n_taken) = written.map_err(|error| match violated_constraint(&error) {
        Some(LIVE_SEAT_KEY) => ReservationError::seats_unavailable(ids.to_vec()),
        _ => error.into(),
    })?;
    let n_taken = u64::try_from(n_taken).unwrap_or_default();
    expect_all(seats.len(), n_taken, ReservationError::StaleVersion)?;
    Ok(held(&hold, total, expires_at, items))
}

async fn hold_places(
    tx: &mut Connection,
    request: &HoldRequest,
    stay: &Stay,
    locks: &HoldLocks,
    (zone_id, quantity): (ZoneId, i32),
) -> Result<Hold, ReservationError> {
    let zone = lock_zones(tx, &[zone_id]).await?.pop();
    let zone = zone.filter(|zone| zone.schedule_id == request.schedule.id);
    let zone = zone.ok_or(ReservationError::UnknownZone)?;
    // The row lock keeps the order from here on.
    locks.pass_on();
    let hold = new_hold(tx, request, stay).await?;
    if zone.remaining < quantity {
        return Err(ReservationError::SoldOut { zone_id: Some(zone_id) });
    }
    let total = zone.price.checked_mul(i64::from(quantity));
    let total = total.ok_or(ReservationError::Inconsistent)?;
    // A zone has a single price, which requests show exactly, so there is no version to compare.
    request.require_shown(total, 0)?;
    let item = item(None, Some(zone_id), quantity, zone.price);
    let expires_at = store::insert_place_hold(tx, &hold, total, &item, &zone).await?;
    let expires_at = expires_at.ok_or(ReservationError::StaleVersion)?;
    Ok(held(&hold, total, expires_at, vec![item]))
}

/// Returns the hold that the terms and the stay allow. The terms are read by a statement after the
/// locks on the stay and on the seats or the zone.
async fn new_hold(
    tx: &mut Connection,
    request: &HoldRequest,
    stay: &Stay,
) -> Result<NewHold, ReservationError> {
    let terms = store::terms_of(tx, request.schedule.id, request.account_id).await?;
    entry_queue::require_open(stay, &request.program, terms.moment)?;
    entry_queue::require_cool(&request.program, terms.cools_until, terms.moment)?;
    check(&terms, request.choice.quantity())?;
    Ok(NewHold {
        id: ReservationId(Uuid::now_v7()),
        account_id: request.account_id,
        schedule_id: request.schedule.id,
        program_id: request.schedule.program_id,
        terms,
    })
}

pub(crate) fn check(terms: &HoldTerms, quantity: i64) -> Result<(), ReservationError> {
    if !terms.is_on_sale {
        return Err(ReservationError::SaleClosed);
    }
    let places_max = i64::from(terms.places_max);
    match terms.places_live.checked_add(quantity) {
        Some(places) if places <= places_max => Ok(()),
        _ => Err(ReservationError::AccountLimit { places_max }),
    }
}

pub(crate) fn item(
    schedule_seat_id: Option<ScheduleSeatId>,
    zone_id: Option<ZoneId>,
    quantity: i32,
    unit_price: Points,
) -> Item {
    let id = ReservationItemId(Uuid::now_v7());
    Item { id, schedule_seat_id, zone_id, quantity, unit_price }
}

pub(crate) fn held(
    hold: &NewHold,
    total: Points,
    expires_at: chrono::DateTime<chrono::Utc>,
    items: Vec<Item>,
) -> Hold {
    let status = ReservationStatus::Held;
    Hold { reservation_id: hold.id, status, total, expires_at, items }
}
