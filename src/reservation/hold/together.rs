//! Transaction that holds what several requests ask for: locks, *then* reads the clock, *then*
//! decides one request after the other, *then* writes.
//!
//! The order of locks is: queue tokens, seats by id or the zone, codes by id, and at last the request
//! keys.
//! Every attempt of a request locks the token of its account before it reads the outcome under its
//! key, so two attempts never both find none.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::{
    decisions::Decisions,
    order_codes::OrderCodes,
    price_types::TypesRead,
    request::ChosenRequest,
    single_seats::SeatBlock,
    store::{
        self, HoldTerms, LockedSeat,
        new_holds::{self, NewHolds},
    },
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{PriceTypeId, ProgramId, Schedule, ScheduleSeatId, SeatId, ZoneId},
    entry_queue::{self, OwnedToken},
    infra::{
        idempotency::{Outcomes, RequestKey},
        postgres::{Connection, WhenHeld, is_lock_timeout, is_unavailable},
    },
    reservation::{
        error::ReservationError,
        inventory::{model::LockedZone, store::lock_zones},
        model::{Choice, Hold, ReservationId},
        returns::{model::FreeReturn, store::list_free_of_zone},
        waiting_list::wait_for_wishes,
    },
};

/// Result of one transaction.
#[derive(Debug)]
pub(super) struct HeldTogether {
    /// What became of each request, in their order; `None` for those that were left out.
    pub(super) outcomes: Vec<Option<Result<Hold, ReservationError>>>,
    /// Whether it is known what became of the transaction. Otherwise a request that is left out may
    /// be carried out.
    pub(super) is_known: bool,
    /// Number of holds that were made.
    pub(super) n_held: usize,
    /// Accounts whose stay has become longer.
    pub(super) extended: Vec<AccountId>,
}

impl HeldTogether {
    /// Nothing was decided.
    pub(super) fn nothing(n_requests: usize, is_known: bool) -> Self {
        let outcomes = (0..n_requests).map(|_| None).collect();
        Self { outcomes, is_known, n_held: 0, extended: Vec::new() }
    }

    /// Returns what is found of the holds `ids` after a commit without an answer. All or none of
    /// them are written. What is not a written hold is left out: a refusal may have been of what
    /// one of them took.
    async fn found(
        mut self,
        app: &App,
        requests: &[&ChosenRequest],
        ids: &[ReservationId],
    ) -> Self {
        let written = match find_written(app, requests, ids).await {
            Ok(written) => written,
            Err(error) => {
                tracing::warn!(%error, "what became of them is unknown");
                return Self::nothing(requests.len(), false);
            }
        };
        for outcome in &mut self.outcomes {
            let is_written = |made: &Hold| written.contains(&made.reservation_id);
            if !matches!(outcome, Some(Ok(made)) if is_written(made)) {
                *outcome = None;
            }
        }
        Self { n_held: written.len(), ..self }
    }
}

/// Seats, or the zone of places, that the requests of one transaction ask for.
#[derive(Default)]
struct Stock {
    seats: HashMap<ScheduleSeatId, LockedSeat>,
    zone: Option<LockedZone>,
    /// Places of the zone that are on return, the cheapest first.
    returned: VecDeque<FreeReturn>,
}

/// Holds what `requests` ask for, which are of one performance, and of one zone if they are of
/// places. Those that need a row that another transaction holds are left out; with
/// [`WhenHeld::Wait`] the first waits for its rows. Calls `has_stock` once the seats or the zone
/// are locked.
pub(super) async fn hold_together(
    app: &App,
    requests: &[&ChosenRequest],
    when_held: WhenHeld,
    has_stock: impl FnOnce(),
) -> Result<HeldTogether, ReservationError> {
    let Some(first) = requests.first() else { return Ok(HeldTogether::nothing(0, true)) };
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
        // An offer to one of them may be on its way.
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
        return Ok(HeldTogether { outcomes, ..HeldTogether::nothing(0, true) });
    };
    write(&mut tx, schedule, terms, &decisions).await?;
    decisions.outcomes.write(&mut tx).await?;
    let extended = decisions.extended.into_values().map(|(account_id, _)| account_id).collect();
    let together =
        HeldTogether { outcomes, is_known: true, n_held: decisions.new.ids().len(), extended };
    match tx.commit().await {
        Ok(()) => Ok(together),
        Err(lost) if is_unavailable(&lost) => {
            tracing::warn!(%lost, n = together.n_held, "the commit of holds got no answer");
            Ok(together.found(app, requests, decisions.new.ids()).await)
        }
        Err(error) => Err(error.into()),
    }
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
/// transaction holds.
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

impl Stock {
    /// Returns the wheelchair places that the locked places of companions belong to.
    fn wheelchairs_asked(&self) -> Vec<SeatId> {
        self.seats.values().filter_map(|seat| seat.wheelchair_seat_id).collect()
    }

    async fn lock(
        tx: &mut Connection,
        requests: &[&ChosenRequest],
        when_held: WhenHeld,
    ) -> Result<Self, sqlx::Error> {
        let Some(schedule_id) = requests.first().map(|chosen| chosen.request.schedule.id) else {
            return Ok(Self::default());
        };
        let (seats, zones) = wanted(requests);
        let seats = match seats.is_empty() {
            true => Vec::new(),
            false => store::lock_seats(tx, schedule_id, &seats, when_held).await?,
        };
        let zone = match zones.is_empty() {
            true => None,
            false => lock_zones(tx, &zones).await?.pop(),
        };
        let returned = match &zone {
            Some(zone) if zone.returned > 0 => list_free_of_zone(tx, zone.id).await?.into(),
            _ => VecDeque::new(),
        };
        Ok(Self {
            seats: seats.into_iter().map(|seat| (seat.id, seat)).collect(),
            zone: zone.filter(|zone| zone.schedule_id == schedule_id),
            returned,
        })
    }
}

/// Returns the seats and the zones that `requests` ask for, each once, with the seats beside that a rule
/// looks at.
fn wanted(requests: &[&ChosenRequest]) -> (Vec<ScheduleSeatId>, Vec<ZoneId>) {
    let (mut seats, mut zones) = (HashSet::new(), HashSet::new());
    for chosen in requests {
        match &chosen.request.choice {
            Choice::Seats(ids) => {
                seats.extend(ids.iter().copied());
                seats.extend(chosen.request.blocks.iter().flat_map(SeatBlock::beside));
            }
            Choice::Places { zone_id, .. } => {
                zones.insert(*zone_id);
            }
            Choice::Best(_) => {}
        }
    }
    (seats.into_iter().collect(), zones.into_iter().collect())
}

/// Returns those of `ids` that are written, after a commit without an answer. The commit may still
/// be on its way: until it has arrived or its connection has ended, it holds the seats or the zone.
async fn find_written(
    app: &App,
    requests: &[&ChosenRequest],
    ids: &[ReservationId],
) -> Result<HashSet<ReservationId>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    Stock::lock(&mut tx, requests, WhenHeld::Wait).await?;
    let written = new_holds::list_written(&mut tx, ids).await?;
    tx.rollback().await?;
    Ok(written.into_iter().collect())
}
