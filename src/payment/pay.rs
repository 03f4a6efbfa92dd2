//! Payment of a hold: one transaction.

use super::{
    error::PaymentError,
    model::{Paid, PaymentId},
    refund::tickets_per_item,
    resale, shares,
    store::{self, NewPayment},
    telling::tell_paid,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
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

async fn pay_once(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Attempt, PaymentError> {
    let mut tx = app.db.begin().await?;
    let (token, held) = match lock(&mut tx, account_id, reservation_id).await {
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
    if held.is_shared {
        shares::end_open(&mut tx, &held).await?;
    }

    let program_id = held.program_id;
    let payment_id = PaymentId(new_id());
    let payment =
        NewPayment { id: payment_id, reservation_id, account_id, amount: held.total, number: 1 };
    store::insert_payments(&mut tx, &[payment]).await?;
    let sold = match held.buys_return {
        true => returns::sell(&mut tx, &held, &app.config).await?,
        false => Vec::new(),
    };
    let holds = [held];
    reservation::confirm(&mut tx, &holds).await?;
    let [held] = holds;
    let tickets = tickets::make(account_id, &tickets_per_item(&held));
    let balance = match sold.is_empty() {
        true => {
            tickets::issue(&mut tx, &tickets).await?;
            wallet::debit(&mut tx, account_id, held.total, Kind::Payment, payment_id.0).await?
        }
        false => resale::settle(&mut tx, &payment, &sold, &tickets).await?,
    };

    // An account with further holds to pay stays admitted.
    if let Some(token) = token
        && reservation::list_with_live_holds(&mut tx, &[(program_id, account_id)]).await?.is_empty()
    {
        entry_queue::complete(&mut tx, &token).await?;
    }
    tell_paid(&mut tx, &[payment]).await?;
    let paid =
        Paid { payment_id, amount: held.total, balance, tickets: tickets::codes_of(tickets) };
    let paid = commit_kept(&app.db, tx, key, paid).await?;
    reservation::announce(app, held.schedule_id);
    Ok(Attempt::Paid(paid, program_id))
}

/// Locks the queue token and the reservations that a payment of the hold writes, in the order of
/// locks.
async fn lock(
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
) -> Result<(Option<LiveToken>, Held), PaymentError> {
    let found = reservation::find_owned(&mut *tx, account_id, reservation_id).await?;
    let found = found.ok_or(ReservationError::NotFound)?;
    let token = entry_queue::lock_live_token(tx, account_id, found.program_id).await?;
    if found.buys_return {
        returns::lock_sellers(tx, reservation_id).await?;
    }
    Ok((token, reservation::lock_held(tx, account_id, reservation_id).await?))
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
