//! Exchanges: tickets of an order pay for other places of the same show, on the same or another date.
//!
//! An exchange is **begun** with the tickets that are to be given, and open until it is carried out or ended. While it
//! is open its account chooses other places as anybody does: in the line, on the map, at their prices. A hold that is
//! made meanwhile may have the tickets' places beyond the account's bound, and is paid with the tickets: they are
//! **worth** what was paid for them less a fee, the wallet pays the rest, and what is left over comes to it.
//!
//! # Invariants
//!
//! * The tickets leave their order, their places are free and offered to the waiting list, the new order is paid and has
//!   new tickets, in one transaction. Until then the tickets are what they were: they admit, and nothing keeps their
//!   holder from using, selling or giving them, after which the exchange is refused.
//! * What a ticket is worth is what was paid for its place, less the fee that was shown when the exchange was begun, and
//!   never negative.
//! * A ticket that may not be refunded alone for what it is may not be exchanged (`ticket_refund`), and tickets that
//!   leave together leave what the rest of their order needs (`reservation/order_rules`).
//! * An account has one open exchange in a program: `exchanges_open_key`.
//! * An order that was paid with tickets gives back no greater share than these gave at that moment.
//! * With an open exchange and without it, an account has no more places in the end than its program allows.
//!
//! # Concurrency
//!
//! Beginning and ending lock the account's stay, so no hold of it is made meanwhile. A payment with tickets locks the
//! waiting list of the tickets, the stay, both orders and what their other places need, the seats and zones of both, then
//! the tickets, the exchange and the wallets.

pub mod error;
pub mod model;
pub mod pages;
mod store;
mod telling;

pub use self::store::end_all_of;
use chrono::{DateTime, Utc};
use sqlx::types::Json;

use self::{
    error::ExchangeError,
    model::{
        ExchangeBegun, ExchangeOffers, ExchangeOrder, LockedExchange, OpenExchange, TakenTickets,
    },
    store::{KeptStep, KeptTerms},
};
use super::{store as payments, ticket_refund::require_own};
use crate::{
    accounts::AccountId,
    app::App,
    entry_queue,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, retry_stale},
    },
    points::Points,
    reservation::{
        self, ExchangeId, Held, RefundCap, RefundShare, ReservationError, ReservationId, ReturnId,
        returns::{
            self as reserved,
            model::{HouseCause, NewReturn},
        },
    },
    tickets::{
        self, TicketId,
        returns::{lock_tickets, model::ReturnTerms, store::list_terms},
    },
};

/// Begins an exchange; one of the account in the program that is open ends, unless a hold is to be paid with it. A
/// `key` that began one before returns its first result.
pub(crate) async fn begin(
    app: &App,
    order: &ExchangeOrder,
    key: Option<&RequestKey>,
) -> Result<ExchangeBegun, ExchangeError> {
    retry_stale(|_| begin_once(app, order, key)).await
}

async fn begin_once(
    app: &App,
    order: &ExchangeOrder,
    key: Option<&RequestKey>,
) -> Result<ExchangeBegun, ExchangeError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(begun) = key.claim(&mut tx).await?
    {
        return Ok(begun);
    }
    let begun = open(&mut tx, order, None).await?;
    Ok(commit_kept(&app.db, tx, key, begun).await?)
}

/// Opens an exchange in a transaction of the caller: on the terms of its order, or for the fee that staff name.
pub(super) async fn open(
    tx: &mut Connection,
    order: &ExchangeOrder,
    by_staff: Option<Points>,
) -> Result<ExchangeBegun, ExchangeError> {
    let &ExchangeOrder { account_id, reservation_id, ref codes } = order;
    let found = reservation::find_owned(&mut *tx, account_id, reservation_id).await?;
    let program_id = found.ok_or(ExchangeError::NotFound)?.program_id;
    if codes.is_empty() {
        return Err(ExchangeError::NoTickets);
    }
    reserved::lock_lists(tx, reservation_id).await?;
    entry_queue::lock_live_token(tx, account_id, program_id).await?;
    let found = lock_tickets(tx, codes, &[]).await?;
    let (_, terms) = found.ok_or(ExchangeError::NotFound)?;
    if terms.iter().any(|terms| terms.reservation_id != reservation_id) {
        return Err(ExchangeError::NotFound);
    }
    if let Some(before) = store::lock_open_of(tx, account_id, program_id).await? {
        if let Some(reservation_id) = store::find_hold(tx, before.id).await? {
            return Err(ExchangeError::Held { reservation_id });
        }
        store::write_ended(tx, before.id, None).await?;
    }
    let fee = by_staff.or_else(|| terms.iter().find_map(|terms| terms.exchange_fee));
    let fee = fee.ok_or(ExchangeError::NotOffered)?;
    let id = ExchangeId(new_id());
    let open = OpenExchange { id, account_id, program_id, fee, is_by_staff: by_staff.is_some() };
    for each in &terms {
        require_given(account_id, open.is_by_staff, each.exchange_begins_until(), each)?;
    }
    let given = judge(tx, &open, &terms).await?;
    let ids: Vec<_> = terms.iter().map(|terms| terms.ticket_id).collect();
    store::insert(tx, &open, reservation_id, &ids).await?;
    let sum = |of: fn(&NewReturn) -> Points| Points::sum(given.iter().map(of));
    let sums = sum(|each| each.price).zip(sum(|each| each.payout));
    let (price, worth) = sums.ok_or_else(inconsistent)?;
    Ok(ExchangeBegun { exchange_id: id, program_id, tickets: given.len(), price, worth })
}

/// Ends an open exchange of an account, and returns the order of its tickets. Holds that were made in it are paid as
/// any other from then on; refused where the account would have more places than it may.
pub(crate) async fn end(
    app: &App,
    account_id: AccountId,
    id: ExchangeId,
) -> Result<ReservationId, ExchangeError> {
    let mut tx = app.db.begin().await?;
    let found = store::find_own(&mut tx, account_id, id).await?;
    let (program_id, from_id) = found.ok_or(ExchangeError::NotFound)?;
    entry_queue::lock_live_token(&mut tx, account_id, program_id).await?;
    if store::lock_open(&mut tx, id).await?.is_none() {
        return Ok(from_id);
    }
    if store::find_hold(&mut tx, id).await?.is_some() {
        let over = reservation::find_places_over_max(&mut tx, account_id, program_id).await?;
        if let Some(places_max) = over {
            return Err(ExchangeError::PlacesOverMax { places_max });
        }
    }
    store::write_ended(&mut tx, id, None).await?;
    tx.commit().await?;
    Ok(from_id)
}

/// Locks the waiting lists that what the tickets of an open exchange free is offered to; a payment locks them first of
/// all.
pub(super) async fn lock_lists(tx: &mut Connection, id: ExchangeId) -> Result<(), ExchangeError> {
    if let Some(from_id) = store::find_open_order(tx, id).await? {
        reserved::lock_lists(tx, from_id).await?;
    }
    Ok(())
}

/// Locks what the payment of a hold that was made in an exchange changes: the order of the tickets with its waiting list,
/// the hold, the orders that sell it places, the places of all, the tickets and the exchange. `None` if the exchange has
/// ended: the hold is paid as any other.
pub(super) async fn lock(
    tx: &mut Connection,
    id: ExchangeId,
    hold_id: ReservationId,
) -> Result<Option<LockedExchange>, ExchangeError> {
    let codes = store::list_codes(tx, id).await?;
    if codes.is_empty() {
        return Ok(None);
    }
    let beside = reserved::list_sellers(tx, hold_id).await?;
    let found = lock_tickets(tx, &codes, &beside).await?;
    let Some(open) = store::lock_open(tx, id).await? else {
        return Ok(None);
    };
    // A code is replaced where its ticket changes hands meanwhile: the next attempt reads the new one.
    let (places, terms) = found.ok_or(ReservationError::StaleVersion)?;
    Ok(Some(LockedExchange { open, places, terms }))
}

/// Takes the tickets of a locked exchange for the payment of a locked hold: their places are free, and they are void.
/// The caller credits what they are worth, confirms the hold and calls [`complete`].
pub(super) async fn take(
    tx: &mut Connection,
    locked: &LockedExchange,
    held: &Held,
) -> Result<TakenTickets, ExchangeError> {
    let LockedExchange { open, places, terms } = locked;
    if terms.iter().any(|terms| terms.holder_id != open.account_id) {
        return Err(ExchangeError::GivenAway);
    }
    let given = judge(tx, open, terms).await?;
    let from_id = terms.first().ok_or_else(inconsistent)?.reservation_id;
    let agreed = reservation::agreed_refund(tx, from_id).await?.share;
    let total = payments::find_total(tx, from_id).await?.ok_or_else(inconsistent)?;
    let prices: Vec<Points> = given.iter().map(|each| each.price).collect();
    let cap = RefundCap::of(agreed, &prices, total).ok_or_else(inconsistent)?;
    reserved::take_for_house(tx, places, &given, HouseCause::Exchange(open.id)).await?;
    let ids: Vec<_> = given.iter().map(|each| each.place.ticket_id).collect();
    tickets::void_sold(tx, &ids).await?;
    if store::write_ended(tx, open.id, Some(held.reservation_id)).await? != 1 {
        return Err(inconsistent());
    }
    Ok(TakenTickets { exchange_id: open.id, from_id, given, cap })
}

/// Bounds the refund of the confirmed order that `taken` tickets paid for, and tells its account.
pub(super) async fn complete(
    tx: &mut Connection,
    account_id: AccountId,
    taken: &TakenTickets,
    held: &Held,
) -> Result<(), sqlx::Error> {
    let terms = store::terms_of(tx, held.reservation_id).await?;
    store::write_terms(tx, held.reservation_id, &bounded(&terms, taken.cap)).await?;
    telling::tell(tx, account_id, taken, held).await
}

/// Returns the terms of an order with a bound; no step is left where nothing would come back.
fn bounded(terms: &KeptTerms, cap: RefundCap) -> KeptTerms {
    const WHOLE: i128 = 100;
    let total = terms.total;
    let own = RefundShare { percent: terms.refund_percent, fee: Points::ZERO };
    let bound = cap.bound(own, total);
    let percent = bound.and_then(|bound| {
        let points = i128::from(bound.of(total, total)?.get());
        match bound.fee == Points::ZERO {
            true => Some(bound.percent),
            false => i32::try_from(points * WHOLE / i128::from(total.get())).ok(),
        }
    });
    let steps = terms.refund_steps.as_ref().map(|steps| {
        let bound = steps.iter().filter_map(|step| {
            let own = RefundShare { percent: step.percent, fee: step.fee };
            let RefundShare { percent, fee } = cap.bound(own, total)?;
            Some(KeptStep { percent, fee, ..step.clone() })
        });
        Json(bound.collect())
    });
    let steps = steps.or_else(|| percent.is_none().then(|| Json(Vec::new())));
    KeptTerms { total, refund_percent: percent.unwrap_or_default(), refund_steps: steps }
}

/// Returns the returns that give the tickets with these `terms` to the house, with what each is worth, or why they may
/// not be given.
async fn judge(
    tx: &mut Connection,
    open: &OpenExchange,
    terms: &[ReturnTerms],
) -> Result<Vec<NewReturn>, ExchangeError> {
    for each in terms {
        require_given(open.account_id, open.is_by_staff, each.exchange_until, each)?;
    }
    let order = terms.first().map(|terms| terms.reservation_id).ok_or(ExchangeError::NoTickets)?;
    let items: Vec<_> = terms.iter().map(|terms| terms.item_id).collect();
    reserved::require_dispensable_together(tx, order, &items).await?;
    let ids: Vec<_> = terms.iter().map(|terms| terms.ticket_id).collect();
    let prices = payments::list_paid_prices(tx, &ids).await?;
    if prices.len() != terms.len() {
        return Err(inconsistent());
    }
    let given = terms.iter().zip(prices).map(|(terms, price)| {
        Some(NewReturn {
            id: ReturnId(new_id()),
            place: terms.place(),
            seller_id: open.account_id,
            payment_id: terms.payment_id?,
            price,
            fee_percent: 0,
            payout: worth(price, open.fee),
        })
    });
    given.collect::<Option<Vec<_>>>().ok_or_else(inconsistent)
}

/// Lists what tickets of one order are worth in an exchange by `account_id` now, each by itself, for their page.
async fn list_offers(
    app: &App,
    account_id: AccountId,
    ids: &[TicketId],
) -> Result<ExchangeOffers, ExchangeError> {
    // Nothing is locked and nothing written: the transaction is one view of the rows.
    let mut tx = app.db.begin().await?;
    let terms = list_terms(&mut *tx, ids).await?;
    let asked: Vec<_> = ids.iter().map(|id| id.0).collect();
    let prices = payments::list_paid_prices(&mut tx, &asked).await?;
    tx.commit().await?;
    let fee = terms.iter().find_map(|terms| terms.exchange_fee);
    let worth_of = |id: &TicketId, price: Points| {
        let own = terms.iter().find(|terms| terms.ticket_id == id.0);
        let own = own.ok_or(ExchangeError::NotFound)?;
        require_given(account_id, false, own.exchange_begins_until(), own)?;
        Ok(worth(price, fee.unwrap_or_default()))
    };
    let worths = ids.iter().zip(prices).map(|(id, price)| worth_of(id, price)).collect();
    Ok(ExchangeOffers { fee, worths })
}

/// Refuses a ticket that may not be given in an exchange now, which it may be `until` then, whatever its order needs.
fn require_given(
    account_id: AccountId,
    is_by_staff: bool,
    until: DateTime<Utc>,
    terms: &ReturnTerms,
) -> Result<(), ExchangeError> {
    require_own(account_id, terms)?;
    if is_by_staff {
        return Ok(());
    }
    terms.exchange_fee.ok_or(ExchangeError::NotOffered)?;
    match terms.now < until {
        true => Ok(()),
        false => Err(ExchangeError::Over { until }),
    }
}

/// Returns what a ticket is worth that `price` was paid for.
fn worth(price: Points, fee: Points) -> Points {
    price.checked_sub(fee).unwrap_or_default()
}

fn inconsistent() -> ExchangeError {
    ReservationError::Inconsistent.into()
}
