//! Holding seats and zone places for one account.
//!
//! A **hold request** names the performance, the **choice** (seats, places of a zone, or the best
//! available seats), the **price types** of its places and the **shown price**. A hold takes all of the
//! choice or nothing.
//!
//! Requests for seats of one performance that arrive while others are written go together
//! (`seat_holds`): one script takes the leases of all, one transaction makes their holds
//! (`together`), and the next begins while it commits. Its requests are decided in order of arrival
//! (`decisions`); each sees the seats that earlier ones took, and none waits. A request that needs
//! a row that another transaction has locked is carried out alone, by the same transaction with
//! waits. Places of a zone are held in the order of the zone's fair lock: its holder carries out
//! the requests directly behind it with its own (`places`). What is refused comes with offers of other
//! seats and zones ([`refusals`]).
//!
//! The order is: lease or fair lock in Redis, then connection, then rows, then the clock, then the
//! write. Leases only keep requests from waiting for the same seat row; without Redis a hold
//! continues and the rows alone decide.

pub(crate) mod best_available;
mod decisions;
pub mod kept_places;
pub(crate) mod limiter;
mod locks;
mod order_codes;
pub mod pages;
pub mod permits;
mod places;
pub mod price_types;
pub mod refusals;
pub mod request;
pub(crate) mod seat_groups;
pub(crate) mod seat_holds;
pub(crate) mod single_seats;
pub mod store;
mod together;
pub(crate) mod waiting_here;

use self::{
    limiter::ReservationState,
    locks::lease_person,
    refusals::with_alternatives,
    request::{ChosenRequest, HoldRequest},
    single_seats::{SeatBlock, blocks_of},
    together::alone::end_lease,
};

use super::{
    codes::{self, error::CodeRefusal},
    error::ReservationError,
    lifecycle::expiry,
    model::{Choice, Hold},
    seat_map::store::list_rows_of,
};
use crate::{
    app::App,
    catalog::ScheduleSeatId,
    entry_queue::{self, QueueError},
    infra::idempotency::RequestKey,
};

/// Holds all of the seats or places that `request` asks for, or none, once per request key.
///
/// A request that was carried out before returns its first outcome, even if a new attempt would be
/// refused. Lapsed holds that block the request are expired, and the request is tried once more.
pub async fn hold(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
) -> Result<Hold, ReservationError> {
    let key = request.key();
    let places_max = i64::from(app.config.seats_per_hold_max.get());
    if request.choice.quantity() > places_max {
        return Err(ReservationError::TooMany { places_max });
    }
    let outcome = match hold_now(app, state, request, key.as_ref()).await {
        Err(ReservationError::NotInside(refusal @ QueueError::CoolingDown { .. })) => {
            entry_queue::note_cool_down(app, request.schedule.program_id).await;
            Err(refusal.into())
        }
        // Lapsed holds blocked the request and have been expired, so a second attempt may succeed.
        Err(refusal) if is_freed(app, state, &refusal).await? => {
            hold_now(app, state, request, key.as_ref()).await
        }
        outcome => outcome,
    };
    match (outcome, key) {
        // A request key that has an outcome returns it, also if a second attempt is refused.
        (Err(refusal), Some(key)) if refusal.is_refusal() => {
            match state.permits.with(key.find_outcome(&app.db)).await? {
                Some(first) => Ok(first),
                None => Err(with_alternatives(app, state, request, refusal).await),
            }
        }
        (Err(refusal), None) => Err(with_alternatives(app, state, request, refusal).await),
        (outcome, _) => outcome,
    }
}

/// Returns the stored outcome of `request`; `None` if it was not carried out or has no key.
pub(crate) async fn find_carried_out(
    app: &App,
    request: &HoldRequest,
) -> Result<Option<Hold>, ReservationError> {
    match request.key() {
        Some(key) => Ok(key.find_outcome(&app.db).await?),
        None => Ok(None),
    }
}

async fn hold_now(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    let looked_up;
    let request = match &request.code {
        None => request,
        Some(asked) => {
            let code = state.permits.with(codes::look_up(app, &request.schedule, asked)).await?;
            looked_up = HoldRequest { code: Some(code), ..request.clone() };
            &looked_up
        }
    };
    let lease = lease_person(app, request).await?;
    let held = hold_choice(app, state, request, key).await;
    end_lease(lease, held.is_ok()).await;
    held
}

async fn hold_choice(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    match &request.choice {
        Choice::Best(wish) => best_available::hold_best(app, state, request, wish, key).await,
        Choice::Seats(ids) => hold_seats(app, state, request, key, ids).await,
        Choice::Places { zone_id, quantity } => {
            // A request for places that do not exist must not wait for the zone's lock.
            state.require_places(app, request.schedule.id, *zone_id, *quantity).await?;
            let chosen = ChosenRequest { request: request.clone(), key: key.cloned() };
            Box::pin(places::hold_places(app, state, chosen, *zone_id)).await
        }
    }
}

/// Holds seats. The terms read with the locks decide whether the rule of single seats applies. The
/// blocks of the order are read before the attempt if the cached program has the rule, or before a
/// second attempt if the first one found it.
async fn hold_seats(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    key: Option<&RequestKey>,
    ids: &[ScheduleSeatId],
) -> Result<Hold, ReservationError> {
    let attempt = async |blocks| {
        let request = HoldRequest { blocks, ..request.clone() };
        state.seat_holds.hold(ChosenRequest { request, key: key.cloned() }).await
    };
    let held = match request.program.no_single_seats {
        true => Err(ReservationError::RulesChanged),
        false => attempt(None).await,
    };
    match held {
        Err(ReservationError::RulesChanged) => {
            attempt(Some(read_blocks(app, state, request, ids).await?)).await
        }
        outcome => outcome,
    }
}

/// Returns the blocks of an order of seats.
async fn read_blocks(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    ids: &[ScheduleSeatId],
) -> Result<Vec<SeatBlock>, ReservationError> {
    let seats = state.permits.with(list_rows_of(&app.db, request.schedule.id, ids)).await?;
    Ok(blocks_of(&seats, ids))
}

/// Expires lapsed holds that caused `refusal`; returns whether any were expired.
async fn is_freed(
    app: &App,
    state: &ReservationState,
    refusal: &ReservationError,
) -> Result<bool, sqlx::Error> {
    let permits = &state.permits;
    let freed = match refusal {
        ReservationError::Code(CodeRefusal::UsedUp { id } | CodeRefusal::FewPlaces { id, .. }) => {
            permits.with_spare(expiry::expire_with_code(app, *id)).await
        }
        ReservationError::SeatUnavailable { seat_ids, .. } => {
            permits.with_spare(expiry::expire_in_the_way(app, seat_ids, None)).await
        }
        ReservationError::SoldOut { zone_id: Some(zone_id), .. } => {
            permits.with_spare(expiry::expire_in_the_way(app, &[], Some(*zone_id))).await
        }
        _ => None,
    };
    Ok(freed.transpose()?.is_some_and(|n_freed| n_freed > 0))
}
