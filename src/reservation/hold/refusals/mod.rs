//! Offers with a refusal: the nearest free seats, the first group leased to the account, and other
//! zones.
//!
//! Which seats are offered is decided in [`alternatives`], which zones in [`other_places`].

pub mod alternatives;
pub(crate) mod other_places;

use std::sync::Arc;

use self::alternatives::Alternative;
use super::{
    kept_places::Proposal,
    limiter::ReservationState,
    price_types::wanted::WantedTypes,
    request::HoldRequest,
    store::offers::{self, ZonePlaces},
};
use crate::{
    app::App,
    catalog::{ScheduleSeatId, ZoneId, price_types::list_named},
    reservation::{
        error::ReservationError,
        leased_seats::{self, SeatLeases},
        model::Choice,
        seat_map::{feed::announce, seat::MapSeat, store::list_seats_around},
    },
};

/// Adds the nearest free seats to a refusal of seats, and other zones to a refusal of places.
pub(super) async fn with_alternatives(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    refusal: ReservationError,
) -> ReservationError {
    match (refusal, &request.choice) {
        (ReservationError::SeatUnavailable { seat_ids, .. }, Choice::Seats(wanted)) => {
            let offers = offer_seats(app, state, request, wanted, seat_ids.clone());
            let offered = state.permits.with_spare(offers).await;
            offered.unwrap_or_else(|| ReservationError::seats_unavailable(seat_ids))
        }
        (
            ReservationError::SoldOut { zone_id: Some(zone_id), .. },
            Choice::Places { quantity, .. },
        ) => {
            let zones = read_zones(app, state, request, zone_id, *quantity);
            let Some(zones) = state.permits.with_spare(zones).await else {
                return ReservationError::zone_sold_out(zone_id);
            };
            let zones = zones.inspect_err(|error| {
                tracing::debug!(%error, "no other zones could be read");
            });
            let offers = zones.map(|zones| other_places::that_have(&zones, zone_id, *quantity));
            let alternatives = offers.unwrap_or_default();
            ReservationError::SoldOut { zone_id: Some(zone_id), alternatives }
        }
        (refusal, _) => refusal,
    }
}

/// Returns the refusal of the seats `seat_ids` among the `wanted` ones, with the nearest free ones.
async fn offer_seats(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    wanted: &[ScheduleSeatId],
    mut seat_ids: Vec<ScheduleSeatId>,
) -> ReservationError {
    let schedule = &request.schedule;
    let proposal = Proposal::of(schedule.keeps_places(app.now()), request.is_needed);
    let leases = SeatLeases::read(app, schedule.id).await.unwrap_or_default();
    let taken: Vec<_> = seat_ids.iter().chain(&leases.leased).copied().collect();
    let types = read_types(app, request).await.unwrap_or_default();
    let (mut alternatives, lost) =
        nearest_seats(app, request, wanted, taken, proposal, &types).await;
    // If a rival's lease caused the refusal, the rows of the other seats have not been read yet.
    seat_ids.extend(lost);
    seat_ids.sort_unstable();
    seat_ids.dedup();
    let leased_seat_ids = lease_first(app, state, request, &mut alternatives).await;
    let leased_seat_ids = leased_seat_ids.unwrap_or_default();
    ReservationError::SeatUnavailable { seat_ids, alternatives, leased_seat_ids }
}

/// Returns the nearest alternatives to the `wanted` seats of `request`, of which `taken` are
/// unavailable, and the seats of `wanted` that are not free by their rows. Empty when the seats
/// cannot be read, because the refusal does not depend on them.
async fn nearest_seats(
    app: &App,
    request: &HoldRequest,
    wanted: &[ScheduleSeatId],
    taken: Vec<ScheduleSeatId>,
    proposal: Proposal,
    types: &WantedTypes,
) -> (Vec<Alternative>, Vec<ScheduleSeatId>) {
    match read_seats(app, request, wanted, taken).await {
        Ok((seats, taken)) => {
            let is_lost = |seat: &&MapSeat| wanted.contains(&seat.id) && !seat.is_free();
            let lost = seats.iter().filter(is_lost).map(|seat| seat.id).collect();
            (alternatives::nearest(&seats, wanted, &taken, proposal, (types, &request.types)), lost)
        }
        Err(error) => {
            tracing::debug!(%error, "no alternatives could be read");
            <(Vec<_>, Vec<_>)>::default()
        }
    }
}

/// Reads the seats around `wanted`, and adds to `taken` the seats that the account cannot hold: its
/// own seats on return, and seats of the house where an order has more seats than were wanted.
async fn read_seats(
    app: &App,
    request: &HoldRequest,
    wanted: &[ScheduleSeatId],
    mut taken: Vec<ScheduleSeatId>,
) -> Result<(Vec<MapSeat>, Vec<ScheduleSeatId>), sqlx::Error> {
    let seats = list_seats_around(&app.db, request.schedule.id, wanted).await?;
    let (on_return, of_house): (Vec<&MapSeat>, Vec<&MapSeat>) =
        seats.iter().filter(|seat| seat.is_free()).partition(|seat| seat.is_on_return);
    if !on_return.is_empty() {
        let on_return: Vec<_> = on_return.iter().map(|seat| seat.id).collect();
        taken.extend(offers::list_own_seats(&app.db, request.account_id, &on_return).await?);
    }
    if request.is_below_least(wanted.len()) {
        taken.extend(of_house.iter().map(|seat| seat.id));
    }
    Ok((seats, taken))
}

/// Reads the zone `zone_id` and zones like it, without the account's own places on return. For an
/// order of less than the least number, zones with places of the house are left out.
async fn read_zones(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    zone_id: ZoneId,
    quantity: i32,
) -> Result<Vec<ZonePlaces>, Arc<sqlx::Error>> {
    let zones = state.zones_like(app, &request.schedule, zone_id).await?;
    let mut zones = Vec::clone(&zones);
    if request.is_below_least(usize::try_from(quantity).unwrap_or_default()) {
        zones.retain(|zone| zone.zone_id == zone_id || zone.remaining <= zone.returned);
    }
    let on_return = zones.iter().filter(|zone| zone.returned > 0).map(|zone| zone.zone_id);
    let on_return: Vec<ZoneId> = on_return.collect();
    if !on_return.is_empty() {
        let own = offers::count_own_places(&app.db, request.account_id, &on_return).await?;
        for zone in &mut zones {
            let n_own = own.get(&zone.zone_id).copied().unwrap_or_default();
            (zone.remaining, zone.returned) = (zone.remaining - n_own, zone.returned - n_own);
        }
    }
    Ok(zones)
}

/// Reads the price types of the seats that `request` names; empty, without a query, if it names
/// none.
async fn read_types(app: &App, request: &HoldRequest) -> Result<WantedTypes, ReservationError> {
    let by_seat = &request.types.by_seat;
    if by_seat.is_empty() {
        return Ok(WantedTypes::default());
    }
    let named: Vec<_> = by_seat.values().copied().collect();
    let types = list_named(&app.db, request.schedule.id, &named).await?;
    Ok(WantedTypes::of(&types, named)?)
}

/// Leases the first alternative that is free of other accounts' leases to the account, puts it
/// first and returns its seats. `None` if the account had a lease less than a minute ago or may
/// have no more places, or if the seats are no longer free.
async fn lease_first(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    alternatives: &mut [Alternative],
) -> Option<Vec<ScheduleSeatId>> {
    let (schedule_id, account_id) = (request.schedule.id, request.account_id);
    let groups: Vec<&[ScheduleSeatId]> =
        alternatives.iter().map(|offer| offer.seat_ids.as_slice()).collect();
    if groups.is_empty() {
        return None;
    }
    let leased = leased_seats::lease_first(app, schedule_id, account_id, &groups).await;
    let idx = leased.ok().flatten()?;
    let seat_ids = alternatives.get(idx)?.seat_ids.clone();
    // Read after the lease was taken: from then on no other account can hold the seats until it
    // ends.
    let may_hold = offers::may_hold(&app.db, schedule_id, account_id, &seat_ids).await;
    let is_leased = may_hold.unwrap_or(false);
    if !is_leased {
        // A lease that cannot be withdrawn ends by itself.
        drop(leased_seats::withdraw(app, schedule_id, account_id, &seat_ids).await);
    }
    state.maps.forget_leases(schedule_id).await;
    announce(app, schedule_id);
    if !is_leased {
        return None;
    }
    alternatives.get_mut(..=idx)?.rotate_right(1);
    Some(seat_ids)
}
