//! Transaction that makes the holds of several requests: locks, *then* reads the clock, *then*
//! decides one request after the other, *then* writes.
//!
//! The order of locks is: queue tokens, seats by id or the zone, codes by id, and last the request
//! keys. Every attempt of a request locks the token of its account before it reads the outcome
//! under its key, so two attempts never both find none.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    decided::{DecidedTogether, HeldTogether},
    decisions::Decisions,
    order_codes::OrderCodes,
    price_types::TypesRead,
    request::ChosenRequest,
    stock::Stock,
    store::{
        self, HoldTerms,
        new_holds::{self, NewHolds},
    },
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{PriceTypeId, ProgramId, Schedule},
    entry_queue::{self, OwnedToken},
    infra::{
        idempotency::{Outcomes, RequestKey},
        postgres::{Connection, WhenHeld, is_lock_timeout},
    },
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
    let mut tx = app.db.begin().await?;
    let (tokens, mut held) = lock_tokens(&mut tx, requests, when_held).await?;
    let is_free = |chosen: &&&ChosenRequest| !held.contains(&chosen.request.account_id);
    let keys: Vec<&RequestKey> =
        requests.iter().filter(is_free).filter_map(|chosen| chosen.key.as_ref()).collect();
    let outcomes = Outcomes::read(&mut tx, &keys).await?;
    let stock = Stock::lock(&mut tx, requests, when_held).await?;
    has_stock();
    let mut codes = OrderCodes::lock(&mut tx, requests).await?;
    codes.read_open(&mut tx, requests, stock.seats.values(), stock.zone.as_ref()).await?;
    let accounts: HashSet<AccountId> =
        requests.iter().filter(is_free).map(|chosen| chosen.request.account_id).collect();
    let accounts: Vec<AccountId> = accounts.into_iter().collect();
    let asked = stock.wheelchairs_asked();
    let mut terms = store::list_terms(&mut tx, schedule.id, &accounts, &asked).await?;
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
    write(&mut tx, schedule, terms, &decisions).await?;
    decisions.outcomes.write(&mut tx).await?;
    let extended = decisions.extended.into_values().map(|(account_id, _)| account_id).collect();
    Ok(DecidedTogether::written(tx, outcomes, decisions.new.into_ids(), extended))
}

async fn write(
    tx: &mut Connection,
    schedule: &Schedule,
    terms: &HoldTerms,
    decisions: &Decisions,
) -> Result<(), ReservationError> {
    let Decisions { new, taken, n_places, extended, .. } = decisions;
    let places = decisions.zone.as_ref().map(|zone| (zone, *n_places));
    let performance = (schedule.program_id, schedule.id);
    new_holds::insert_holds(tx, performance, terms, new, taken, places).await?;
    decisions.codes.write(tx).await?;
    let untils: Vec<_> =
        extended.iter().map(|(token_id, (_, until))| (*token_id, *until)).collect();
    Ok(entry_queue::extend_stays(tx, &untils).await?)
}

/// Locks the tokens of the requests' accounts. Returns them, and the accounts whose token another
/// transaction has locked.
async fn lock_tokens(
    tx: &mut Connection,
    requests: &[&ChosenRequest],
    when_held: WhenHeld,
) -> Result<(Vec<OwnedToken>, HashSet<AccountId>), ReservationError> {
    let owner =
        |chosen: &&ChosenRequest| (chosen.request.schedule.program_id, chosen.request.account_id);
    let mut owners: HashSet<(ProgramId, AccountId)> = requests.iter().map(owner).collect();
    let (mut locked, mut held) = (Vec::new(), HashSet::new());
    if let (WhenHeld::Wait, Some(first)) = (when_held, requests.first().map(owner)) {
        let token = entry_queue::wait_for_token(tx, first).await;
        locked.extend(token.map_err(|error| match is_lock_timeout(&error) {
            true => ReservationError::AlreadyProcessing,
            false => error.into(),
        })?);
        owners.remove(&first);
    }
    if !owners.is_empty() {
        let owners: Vec<_> = owners.into_iter().collect();
        let tokens = entry_queue::lock_live_tokens(tx, &owners).await?;
        locked.extend(tokens.locked);
        held.extend(tokens.held.into_iter().map(|(_, account_id)| account_id));
    }
    Ok((locked, held))
}
