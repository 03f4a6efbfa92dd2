//! Transaction that makes the holds of several requests: locks, *then* reads the clock, *then*
//! decides one request after the other, *then* writes.
//!
//! The order of locks is: queue tokens, seats by id or the zone, codes by id, and last the request
//! keys. Every attempt of a request locks the token of its account before it reads the outcome
//! under its key, so two attempts never both find none.
//!
//! What it locks with its `begin`, and reads behind the locks, is in `locked_rows`; what it decided, before and
//! after its commit, in `decided`. A request that goes through it by itself is in `alone`.

pub(super) mod alone;
pub(super) mod decided;
mod locked_rows;

use std::{
    collections::{BTreeSet, HashMap},
    mem,
};

use self::{
    decided::{DecidedTogether, HeldTogether},
    locked_rows::LockedRows,
};
use super::{
    decisions::Decisions,
    order_codes::OrderCodes,
    price_types::TypesRead,
    request::ChosenRequest,
    store::{
        self, HoldTerms,
        new_holds::{self, NewHolds, WrittenBeside},
    },
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{PriceTypeId, Schedule},
    entry_queue::OwnedToken,
    infra::postgres::{Connection, WhenHeld},
    reservation::{error::ReservationError, waiting_list::wait_for_wishes},
};

/// Makes the holds of `requests`, which are for one performance, and for one zone if they are for
/// places. Requests that need a row that another transaction has locked are left out; with
/// [`WhenHeld::Wait`] the first request waits for its rows. Calls `has_stock` once the seats or the
/// zone are locked.
pub(super) async fn hold_together(
    app: &App,
    requests: &[&ChosenRequest],
    when_held: WhenHeld,
    has_stock: impl FnOnce(),
) -> Result<HeldTogether, ReservationError> {
    decide_together(app, requests, when_held, has_stock).await?.commit(app, requests).await
}

/// Decides and writes the holds of `requests`, as [`hold_together`] does, up to the commit.
pub(super) async fn decide_together(
    app: &App,
    requests: &[&ChosenRequest],
    when_held: WhenHeld,
    has_stock: impl FnOnce(),
) -> Result<DecidedTogether, ReservationError> {
    let Some(first) = requests.first() else { return Ok(DecidedTogether::default()) };
    let schedule = &first.request.schedule;
    let (mut tx, locked) = locked_rows::lock(app, requests, when_held).await?;
    has_stock();
    let LockedRows { tokens, mut held, outcomes, mut stock, mut terms } = locked;
    stock.read_returned(&mut tx).await?;
    let mut codes = OrderCodes::lock(&mut tx, requests).await?;
    codes.read_open(&mut tx, requests, stock.seats.values(), stock.zone.as_ref()).await?;
    let accounts: Vec<AccountId> = terms.iter().map(|terms| terms.account_id).collect();
    let asked = stock.wheelchairs_asked();
    if codes.has_locked() {
        // The clock is read after the last lock.
        terms = store::list_terms(&mut tx, schedule.id, &accounts, &asked).await?;
    }
    let wishers: Vec<AccountId> =
        terms.iter().filter(|terms| terms.has_wish).map(|terms| terms.account_id).collect();
    match when_held {
        _ if wishers.is_empty() => {}
        // An offer to one of these accounts may be under way.
        WhenHeld::Skip => held.extend(wishers),
        WhenHeld::Wait => {
            wait_for_wishes(&mut tx, schedule.program_id, &wishers).await?;
            terms = store::list_terms(&mut tx, schedule.id, &accounts, &asked).await?;
        }
    }

    let named: BTreeSet<PriceTypeId> =
        requests.iter().flat_map(|chosen| chosen.request.types.ids()).collect();
    let zone_id = stock.zone.as_ref().map(|zone| zone.id);
    let seats = stock.seats.values();
    let price_types = TypesRead::read(&mut tx, schedule.id, &named, seats, zone_id).await?;

    let by_account = |token: OwnedToken| Some((token.account_id, token.stay()?));
    let mut decisions = Decisions {
        stays: tokens.into_iter().filter_map(by_account).collect(),
        held,
        terms: terms.iter().map(|terms| (terms.account_id, terms.clone())).collect(),
        seats: stock.seats,
        when_held,
        zone: stock.zone,
        price_types,
        codes,
        returned: stock.returned,
        outcomes,
        new: NewHolds::default(),
        taken: Vec::new(),
        n_places: 0,
        extended: HashMap::new(),
    };
    let outcomes: Vec<_> =
        requests.iter().map(|chosen| decisions.decide(chosen).transpose()).collect();
    let Some(terms) = terms.first().filter(|_| !decisions.new.is_empty()) else {
        tx.rollback().await?;
        return Ok(DecidedTogether::refused(outcomes));
    };
    write(&mut tx, schedule, terms, &mut decisions).await?;
    let extended = decisions.extended.into_values().map(|(account_id, _)| account_id).collect();
    Ok(DecidedTogether::written(tx, outcomes, decisions.new.into_ids(), extended))
}

async fn write(
    tx: &mut Connection,
    schedule: &Schedule,
    terms: &HoldTerms,
    decisions: &mut Decisions,
) -> Result<(), ReservationError> {
    let Decisions { new, taken, n_places, extended, codes, outcomes, zone, .. } = decisions;
    let places = zone.as_ref().map(|zone| (zone, *n_places));
    let performance = (schedule.program_id, schedule.id);
    let extended = extended.iter().map(|(token_id, (_, until))| (*token_id, *until));
    let (stays, untils) = extended.unzip();
    let outcomes = mem::take(outcomes).added();
    let beside = WrittenBeside { uses: codes.take_uses(), stays, untils, outcomes };
    new_holds::insert_holds(tx, performance, terms, new, taken, places, &beside).await
}
