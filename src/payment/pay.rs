//! Payment of a hold: one transaction.

use super::{
    error::PaymentError,
    exchange::{self, model::LockedExchange},
    model::{Paid, PaymentId},
    refund::tickets_per_item,
    resale, shares,
    store::{self, NewPayment},
    telling::tell_paid,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ProgramId, ScheduleId},
    entry_queue::{self, LiveToken},
    infra::{
        idempotency::{Claim, KeyError, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, Pool, Transaction, retry_stale},
    },
    reservation::{
        self, Held, ReservationError, ReservationId,
        returns::{self, error::ReturnRefusal},
    },
    tickets,
    wallet::{self, Kind, WalletError},
};

/// Pays a hold of `account_id` with its points. A `key` that paid before returns its first result.
///
/// The account must own the hold but need not be admitted.
pub async fn pay(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Paid, PaymentError> {
    let attempt = |_| pay_once(app, account_id, reservation_id, key);
    let mut paid = retry_stale(attempt).await;
    if matches!(paid, Err(PaymentError::Wallet(WalletError::InsufficientPoints { .. }))) {
        // Points withheld by lapsed transfer requests and by shares of ended holds may be enough. They
        // are released in separate transactions, because both are locked before wallets.
        wallet::expire_lapsed_of(&app.db, account_id).await?;
        shares::return_ended_of(app, account_id).await?;
        paid = retry_stale(attempt).await;
    }
    if let Err(PaymentError::Reservation(ReservationError::BreaksOrder(rule))) = &paid {
        tracing::warn!(%rule, %reservation_id, "places on return are needed in their orders");
        returns::end_needed(app, reservation_id).await?;
        return Err(ReservationError::from(ReturnRefusal::Gone).into());
    }
    let (paid, program_id) = match paid? {
        Attempt::Paid(paid, program_id) => (paid, program_id),
        Attempt::PaidBefore(paid) => return Ok(paid),
    };
    metrics::counter!("stagedoor_payments_total").increment(1);
    // No answer waits for Redis: PostgreSQL knows that the stay has ended.
    entry_queue::project_behind(app, program_id, &[account_id]);
    Ok(paid)
}

/// Result of one attempt at paying.
enum Attempt {
    /// The attempt paid a reservation of this program.
    Paid(Paid, ProgramId),
    /// An earlier request with the same key paid.
    PaidBefore(Paid),
}

/// Hold to be paid, with the rows that were locked for it.
struct HoldToPay {
    account_id: AccountId,
    token: Option<LiveToken>,
    held: Held,
    exchange: Option<LockedExchange>,
}

/// Payment that was written.
pub(super) struct PaidHold {
    pub(super) paid: Paid,
    pub(super) program_id: ProgramId,
    /// Performances whose places are others' now, or free.
    pub(super) schedules: Vec<ScheduleId>,
}

async fn pay_once(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Attempt, PaymentError> {
    let mut tx = app.db.begin().await?;
    let locked = match lock(&mut tx, account_id, reservation_id).await {
        Ok(locked) => locked,
        Err(refusal) => return paid_before(&app.db, tx, key, refusal).await,
    };
    // A batch writes its keys behind the same locks. Claimed before them, the key would be awaited
    // by the batch whose locks this waits for.
    if let Some(key) = key
        && let Claim::Done(paid) = key.claim(&mut tx).await?
    {
        return Ok(Attempt::PaidBefore(paid));
    }
    let PaidHold { paid, program_id, schedules } = write(app, &mut tx, locked).await?;
    let paid = commit_kept(&app.db, tx, key, paid).await?;
    for schedule_id in schedules {
        reservation::announce(app, schedule_id);
    }
    Ok(Attempt::Paid(paid, program_id))
}

/// Pays a hold of `account_id` in a transaction of the caller, who commits it and announces the performances. The stay
/// of an account that is inside goes on.
pub(super) async fn pay_in(
    app: &App,
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
) -> Result<PaidHold, PaymentError> {
    let locked = lock(tx, account_id, reservation_id).await?;
    write(app, tx, HoldToPay { token: None, ..locked }).await
}

/// Writes the payment of a locked hold.
async fn write(
    app: &App,
    tx: &mut Connection,
    locked: HoldToPay,
) -> Result<PaidHold, PaymentError> {
    let HoldToPay { account_id, token, held, exchange } = locked;
    if held.is_shared {
        shares::end_open(tx, &held).await?;
    }

    let program_id = held.program_id;
    let reservation_id = held.reservation_id;
    let payment_id = PaymentId(new_id());
    let payment =
        NewPayment { id: payment_id, reservation_id, account_id, amount: held.total, number: 1 };
    store::insert_payments(tx, &[payment]).await?;
    let sold = match held.buys_return {
        true => returns::sell(tx, &held, &app.config).await?,
        false => Vec::new(),
    };
    let exchanged = match &exchange {
        Some(exchange) => Some(exchange::take(tx, exchange, &held).await?),
        None => None,
    };
    let holds = [held];
    reservation::confirm(tx, &holds).await?;
    let [held] = holds;
    let given = exchanged.as_ref().map(|taken| taken.given.as_slice()).unwrap_or_default();
    let tickets = tickets::make(account_id, &tickets_per_item(&held));
    let balance = match sold.is_empty() && given.is_empty() {
        true => {
            tickets::issue(tx, &tickets).await?;
            wallet::debit(tx, account_id, held.total, Kind::Payment, payment_id.0).await?
        }
        false => resale::settle(tx, &payment, &sold, given, &tickets).await?,
    };

    // An account with further holds to pay stays admitted.
    if let Some(token) = token
        && reservation::list_with_live_holds(tx, &[(program_id, account_id)]).await?.is_empty()
    {
        entry_queue::complete(tx, &token).await?;
    }
    tell_paid(tx, &[payment]).await?;
    if let Some(taken) = &exchanged {
        exchange::complete(tx, account_id, taken, &held).await?;
    }
    let paid =
        Paid { payment_id, amount: held.total, balance, tickets: tickets::codes_of(tickets) };
    let freed = given.iter().map(|each| each.place.schedule_id);
    let mut schedules: Vec<ScheduleId> = freed.chain([held.schedule_id]).collect();
    schedules.dedup();
    Ok(PaidHold { paid, program_id, schedules })
}

/// Locks the queue token and the reservations that a payment of the hold writes, in the order of
/// locks.
async fn lock(
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
) -> Result<HoldToPay, PaymentError> {
    let found = reservation::find_owned(&mut *tx, account_id, reservation_id).await?;
    let found = found.ok_or(ReservationError::NotFound)?;
    if let Some(id) = found.exchange_id {
        exchange::lock_lists(tx, id).await?;
    }
    let token = entry_queue::lock_live_token(tx, account_id, found.program_id).await?;
    let exchange = match found.exchange_id {
        Some(id) => exchange::lock(tx, id, reservation_id).await?,
        None => None,
    };
    if found.buys_return && exchange.is_none() {
        returns::lock_sellers(tx, reservation_id).await?;
    }
    let held = reservation::lock_held(tx, account_id, reservation_id).await?;
    Ok(HoldToPay { account_id, token, held, exchange })
}

/// Returns the payment that an earlier request with the same key made, so that a double click is
/// not refused because its first click paid; otherwise `refusal`. A request whose wait for a lock
/// timed out is refused as [`KeyError::AlreadyProcessing`]: its first attempt may hold the lock.
async fn paid_before(
    db: &Pool,
    tx: Transaction,
    key: Option<&RequestKey>,
    refusal: PaymentError,
) -> Result<Attempt, PaymentError> {
    let Some(key) = key else { return Err(refusal) };
    if refusal.is_lock_timeout() {
        return Err(KeyError::AlreadyProcessing.into());
    }
    if !refusal.is_final() {
        return Err(refusal);
    }
    tx.rollback().await?;
    key.find_outcome(db).await?.map(Attempt::PaidBefore).ok_or(refusal)
}
