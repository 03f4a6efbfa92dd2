//! Rows that a transaction of holds locks with its `begin`, and what it reads behind their locks.

use std::collections::{HashMap, HashSet};

use sqlx::{Row, postgres::PgRow, types::Json};

use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Schedule, ScheduleId, ScheduleSeatId, SeatId, ZoneId},
    entry_queue::{self, OwnedToken},
    infra::{
        idempotency::{Outcomes, RequestKey},
        postgres::{Connection, OpeningCall, Transaction, WhenHeld, is_lock_timeout},
    },
    reservation::{
        error::ReservationError,
        hold::{
            request::ChosenRequest,
            store::{HoldTerms, LockedSeat},
        },
        inventory::model::LockedZone,
        model::Choice,
        returns::{model::FreeReturn, store::list_free_of_zone},
    },
};

/// Rows that a transaction has locked for holds, and what it has read behind the locks.
#[derive(Debug)]
pub(super) struct LockedRows {
    pub(super) tokens: Vec<OwnedToken>,
    /// Accounts whose token another transaction has locked.
    pub(super) held: HashSet<AccountId>,
    pub(super) outcomes: Outcomes,
    pub(super) stock: Stock,
    /// Terms of the other accounts, by the time after the locks.
    pub(super) terms: Vec<HoldTerms>,
}

/// Opens a transaction, and locks in it what `requests` need, in the order of locks. Rows that
/// another transaction has locked are left out, but a zone, which is waited for; with
/// [`WhenHeld::Wait`] the token of the first request and the seats are waited for, too.
pub(super) async fn lock(
    app: &App,
    requests: &[&ChosenRequest],
    when_held: WhenHeld,
) -> Result<(Transaction, LockedRows), ReservationError> {
    let Some(first) = requests.first().map(|chosen| &chosen.request) else {
        return Err(ReservationError::Inconsistent);
    };
    let opening = locks_for(requests, &first.schedule, when_held, true);
    let (tx, row) = app.db.begin_with(&opening).await?;
    let held = held_of(&row)?;
    if when_held == WhenHeld::Skip || !held.contains(&first.account_id) {
        return Ok((tx, LockedRows::read(&row, held, &first.schedule)?));
    }
    // The token is waited for before any other row is locked.
    tx.rollback().await?;
    let mut tx = app.db.begin().await?;
    let owner = (first.schedule.program_id, first.account_id);
    entry_queue::wait_for_token(&mut tx, owner).await.map_err(|error| {
        match is_lock_timeout(&error) {
            true => ReservationError::AlreadyProcessing,
            false => error.into(),
        }
    })?;
    let row = opening.call_in(&mut tx).await?;
    let held = held_of(&row)?;
    Ok((tx, LockedRows::read(&row, held, &first.schedule)?))
}

/// Opens a transaction that has waited for the seats and the zone of `requests`.
pub(super) async fn wait_for_stock(
    app: &App,
    requests: &[&ChosenRequest],
) -> Result<Transaction, sqlx::Error> {
    let Some(first) = requests.first() else { return app.db.begin().await };
    let opening = locks_for(requests, &first.request.schedule, WhenHeld::Wait, false);
    Ok(app.db.begin_with(&opening).await?.0)
}

/// Returns the call that locks what `requests` need, with the tokens of their accounts if
/// `with_tokens`.
fn locks_for(
    requests: &[&ChosenRequest],
    schedule: &Schedule,
    when_held: WhenHeld,
    with_tokens: bool,
) -> OpeningCall {
    let asked = if with_tokens { requests } else { &[] };
    let keys = || asked.iter().filter_map(|chosen| chosen.key.as_ref()).map(RequestKey::id);
    let accounts = asked.iter().map(|chosen| chosen.request.account_id.0);
    let mut seen = HashSet::new();
    let (seats, zones) = wanted(requests);
    OpeningCall::of("lock_holds")
        .id(schedule.program_id.0)
        .id(schedule.id.0)
        .ids(accounts.filter(|account_id| seen.insert(*account_id)))
        .ids(keys().map(|(account_id, _)| account_id))
        .ids(keys().map(|(_, key)| key))
        .numbers(seats.iter().map(|seat_id| seat_id.0))
        .ids(zones.iter().map(|zone_id| zone_id.0))
        .flag(when_held == WhenHeld::Wait)
}

fn held_of(row: &PgRow) -> Result<HashSet<AccountId>, sqlx::Error> {
    let held: Vec<AccountId> = row.try_get("held")?;
    Ok(held.into_iter().collect())
}

impl LockedRows {
    /// Reads the row that the call of [`locks_for`] returned.
    fn read(
        row: &PgRow,
        held: HashSet<AccountId>,
        schedule: &Schedule,
    ) -> Result<Self, ReservationError> {
        let (Json(tokens), Json(kept)) = (row.try_get("tokens")?, row.try_get("outcomes")?);
        let (Json(seats), Json(zones)) = (row.try_get("seats")?, row.try_get("zones")?);
        let Json(terms) = row.try_get("terms")?;
        let stock = Stock::of(schedule.id, seats, zones);
        Ok(Self { tokens, held, outcomes: Outcomes::of(kept)?, stock, terms })
    }
}

/// Seats, or the zone of places, that the requests of one transaction ask for.
#[derive(Debug, Default)]
pub(super) struct Stock {
    /// Seats that are locked. Seats that another transaction has locked are missing, unless they were
    /// waited for.
    pub(super) seats: HashMap<ScheduleSeatId, LockedSeat>,
    pub(super) zone: Option<LockedZone>,
    /// Places of the zone that are on return, the cheapest first.
    pub(super) returned: Vec<FreeReturn>,
}

impl Stock {
    /// Creates the stock of locked `seats` and `zones`, of which zones of other performances are left
    /// out.
    fn of(schedule_id: ScheduleId, seats: Vec<LockedSeat>, zones: Vec<LockedZone>) -> Self {
        Self {
            seats: seats.into_iter().map(|seat| (seat.id, seat)).collect(),
            zone: zones.into_iter().next_back().filter(|zone| zone.schedule_id == schedule_id),
            returned: Vec::new(),
        }
    }

    /// Reads which places of the locked zone are on return. Runs no query if none is.
    pub(super) async fn read_returned(&mut self, tx: &mut Connection) -> Result<(), sqlx::Error> {
        if let Some(zone) = self.zone.as_ref().filter(|zone| zone.returned > 0) {
            self.returned = list_free_of_zone(tx, zone.id).await?;
        }
        Ok(())
    }

    /// Returns the wheelchair places that the locked companion's places belong to.
    pub(super) fn wheelchairs_asked(&self) -> Vec<SeatId> {
        self.seats.values().filter_map(|seat| seat.wheelchair_seat_id).collect()
    }
}

/// Returns the seats and the zones that `requests` ask for, each once, with the seats beside them
/// that the rule of single seats needs.
fn wanted(requests: &[&ChosenRequest]) -> (HashSet<ScheduleSeatId>, HashSet<ZoneId>) {
    let (mut seats, mut zones) = (HashSet::new(), HashSet::new());
    for chosen in requests {
        match &chosen.request.choice {
            Choice::Seats(ids) => {
                seats.extend(ids.iter().copied());
                seats.extend(chosen.request.beside());
            }
            Choice::Places { zone_id, .. } => {
                zones.insert(*zone_id);
            }
            Choice::Best(_) => {}
        }
    }
    (seats, zones)
}
