//! Payouts: money of purchases that goes back to the cards that paid it.
//!
//! A **payout** is one attempt to send money of one purchase back. It is written with the entry that takes its
//! points out of the wallet, before the provider is asked. What can be paid out are points that were
//! **bought** with money, are usable, and of whose purchases something is **left**: neither paid out nor taken
//! back by a reversal. Points of a friend, of the office and of a ticket that was sold on never are (`bought`).
//! The money goes to the purchases newest first (`allocation`), and to none of which money is in dispute.
//!
//! A payout is OPEN until the provider is asked, SENT while its answer is missing or not final, SETTLED once the
//! money has left, and FAILED where it will not: then its points come back, once, with a mail. What the provider
//! has sent may still fail.
//!
//! # Invariants
//!
//! * A payout and its entry are one transaction, and so are a failure and the entry that gives the points back:
//!   rule C4 of `verify`.
//! * All payouts and reversals of a purchase together take no more points than it has
//!   (`charges_paid_out_within_points`), and no more money goes back than came.
//! * The key of the request is the payout's id. A missing answer means *unknown*: the provider is asked again
//!   with the same key, and once the key may be forgotten, it is first asked for its refunds of the payment.
//! * A payout is not booked as a reversal too. The totals of the provider contain it, and `reversals` subtracts
//!   it from them; a message about it names it in its metadata.
//!
//! # Concurrency
//!
//! A payout locks the purchases, then the wallet. Its end locks the pledges of the account, the purchase, the
//! payout and the wallet. Workers claim payouts with `skip locked`, and commit the claim before the provider is
//! asked: no row is locked meanwhile, and a message may end the payout before the answer does.

pub mod allocation;
pub mod bought;
pub mod model;
pub mod pages;
pub mod plan;
pub mod store;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::{
    bought::Origins,
    model::{PayoutId, PayoutStatus},
    plan::{PayablePurchase, PlannedPart},
};
use super::reversals::{self, model::PaidPurchase};
use crate::{
    accounts::AccountId,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, Pool, retry_stale},
    },
    outbox::{self, AccountMail, Message},
    points::Points,
    wallet::{
        ShareOfPayer, WalletError,
        ledger::{lock_wallet, return_payout},
        model::{Kind, Movement, Wallet},
        pledges::Pledges,
        store::write_movement,
    },
};

/// Purchases of one account from which one request pays out; the points of older ones are paid out by the next
/// from the wallet, and stay points in a refund.
const PURCHASES_MAX: i64 = 20;
/// Lines of a ledger that are read. What a longer one had before them counts as not bought.
const LINES_MAX: i64 = 20_000;

/// Result of asking for a payout; also stored as the outcome of its request key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PaidOut {
    /// Payouts that were made, the newest purchase first.
    pub payouts: Vec<PayoutId>,
    /// Points that left the wallet.
    pub points: Points,
}

/// Reads which points of an account were bought.
pub async fn origins_of(
    db: impl sqlx::PgExecutor<'_>,
    account_id: AccountId,
) -> Result<Origins, sqlx::Error> {
    Ok(Origins::of(&store::list_lines(db, account_id, LINES_MAX).await?))
}

/// Locks the purchases of `accounts` from which points can be paid out.
pub async fn lock_payable(
    tx: &mut Connection,
    accounts: &[AccountId],
) -> Result<HashMap<AccountId, Vec<PayablePurchase>>, sqlx::Error> {
    let mut by_account: HashMap<_, Vec<_>> = HashMap::new();
    for purchase in reversals::store::lock_left(tx, accounts, PURCHASES_MAX).await? {
        let reversals = reversals::store::list_reversals(&mut *tx, purchase.id).await?;
        let account_id = purchase.account_id;
        by_account.entry(account_id).or_default().push(PayablePurchase { purchase, reversals });
    }
    Ok(by_account)
}

/// Lists the purchases of an account from which points can be paid out.
pub async fn list_payable(
    db: &Pool,
    account_id: AccountId,
) -> Result<Vec<PayablePurchase>, sqlx::Error> {
    let mut payable = Vec::new();
    for purchase in reversals::store::list_left(db, account_id, PURCHASES_MAX).await? {
        let reversals = reversals::store::list_reversals(db, purchase.id).await?;
        payable.push(PayablePurchase { purchase, reversals });
    }
    Ok(payable)
}

/// Returns what could be paid out of an account's wallet now.
pub async fn preview(db: &Pool, account_id: AccountId) -> Result<Vec<PlannedPart>, sqlx::Error> {
    preview_with(db, account_id, plan::payable).await
}

/// Returns what a refund would pay out of an account's wallet: `refunds` are its payments, each with the points
/// that are credited of it.
pub async fn preview_of_refund(
    db: &Pool,
    account_id: AccountId,
    refunds: &[(Uuid, Points)],
) -> Result<Vec<PlannedPart>, sqlx::Error> {
    preview_with(db, account_id, |wallet, origins| {
        let of_payment =
            |(id, refund): &(Uuid, Points)| origins.bought_in_refund(*id, refund.get());
        let bought = refunds.iter().map(of_payment).sum::<i64>();
        let points: i64 = refunds.iter().map(|(_, refund)| refund.get()).sum();
        bought.min(wallet.unpledged().get().saturating_add(points) - wallet.debt.get())
    })
    .await
}

/// Returns how the points that are `wanted` of an account's wallet would be paid out.
async fn preview_with(
    db: &Pool,
    account_id: AccountId,
    wanted: impl FnOnce(&Wallet, &Origins) -> i64,
) -> Result<Vec<PlannedPart>, sqlx::Error> {
    let purchases = list_payable(db, account_id).await?;
    if purchases.is_empty() {
        return Ok(Vec::new());
    }
    let wallet = crate::wallet::transfers::store::find_shown_wallet(db, account_id).await?;
    let Some(wallet) = wallet else { return Ok(Vec::new()) };
    let wanted = wanted(&wallet, &origins_of(db, account_id).await?);
    Ok(plan::plan(&purchases, wanted))
}

/// Reason of a payout.
#[derive(Clone, Copy, Debug, Default)]
pub struct PayoutReason {
    /// Reservation whose refund it is part of.
    pub reservation_id: Option<Uuid>,
    /// Payout that failed, which it tries again.
    pub retry_of: Option<PayoutId>,
}

/// Takes at most `wanted` points out of an account's wallet in the caller's transaction, which has locked the
/// `purchases` that they are paid out of. Points that a debt withholds, or pledges do, stay.
pub async fn pay_out(
    tx: &mut Connection,
    account_id: AccountId,
    wanted: i64,
    purchases: &[PayablePurchase],
    reason: PayoutReason,
) -> Result<PaidOut, WalletError> {
    let mut paid = PaidOut { payouts: Vec::new(), points: Points::ZERO };
    let Some(mut wallet) = lock_wallet(tx, account_id).await? else { return Ok(paid) };
    if wallet.is_closed {
        return Ok(paid);
    }
    for part in plan::divide(purchases, wanted.min(wallet.usable().get())) {
        let id = PayoutId(new_id());
        let points = Points::new(part.points).unwrap_or_default();
        let movement = Movement::debit(Kind::Payout, points, id.0);
        wallet = write_movement(tx, &wallet, &movement).await?;
        store::insert(tx, id, &part, reason.reservation_id, reason.retry_of).await?;
        store::write_paid_out(tx, part.charge_id).await?;
        paid.payouts.push(id);
        paid.points = paid.points.checked_add(points).ok_or(WalletError::TooManyPoints)?;
    }
    Ok(paid)
}

/// Pays bought points of an account's wallet out, at most `points_max` of them. A `key` that did so before
/// returns its first result.
pub async fn request(
    db: &Pool,
    account_id: AccountId,
    points_max: i64,
    key: Option<&RequestKey>,
) -> Result<PaidOut, WalletError> {
    retry_stale(|_| async {
        let mut tx = db.begin().await?;
        if let Some(key) = key
            && let Claim::Done(paid) = key.claim(&mut tx).await?
        {
            return Ok(paid);
        }
        let purchases = lock_payable(&mut tx, &[account_id]).await?.remove(&account_id);
        let wallet = lock_wallet(&mut tx, account_id).await?;
        let (Some(purchases), Some(wallet)) = (purchases, wallet) else {
            return Err(WalletError::NothingToPayOut);
        };
        let wanted = plan::payable(&wallet, &origins_of(&mut *tx, account_id).await?);
        let reason = PayoutReason::default();
        let paid = pay_out(&mut tx, account_id, wanted.min(points_max), &purchases, reason).await?;
        if paid.payouts.is_empty() {
            return Err(WalletError::NothingToPayOut);
        }
        Ok(commit_kept(db, tx, key, paid).await?)
    })
    .await
}

/// Tries a payout again in the caller's transaction: a failed one by another payout of the same purchase, as far as
/// its points are there, and one under way by another question. Returns its account and what was paid out.
pub async fn attempt(
    tx: &mut Connection,
    id: PayoutId,
) -> Result<(AccountId, PaidOut), WalletError> {
    let payer = store::find_payer(tx, id).await?;
    let (payer_id, charge_id) = payer.ok_or(WalletError::PayoutNotFailed)?;
    let purchase = reversals::store::lock_paid(tx, charge_id).await?;
    let payout = store::lock(tx, id).await?.ok_or(WalletError::PayoutNotFailed)?;
    if matches!(payout.status, PayoutStatus::Open | PayoutStatus::Sent) {
        store::write_due(tx, id).await?;
        return Ok((payer_id, PaidOut { payouts: vec![id], points: Points::ZERO }));
    }
    if payout.status != PayoutStatus::Failed || payout.is_retried {
        return Err(WalletError::PayoutNotFailed);
    }
    let Some(purchase) = purchase.filter(PaidPurchase::is_payable) else {
        return Err(WalletError::NothingToPayOut);
    };
    let reversals = reversals::store::list_reversals(&mut *tx, charge_id).await?;
    let purchases = [PayablePurchase { purchase, reversals }];
    let wallet = lock_wallet(tx, payer_id).await?.ok_or(WalletError::NothingToPayOut)?;
    let wanted = plan::payable(&wallet, &origins_of(&mut *tx, payer_id).await?);
    let wanted = wanted.min(payout.points.get());
    let reason = PayoutReason { reservation_id: payout.reservation_id, retry_of: Some(id) };
    let paid = pay_out(tx, payer_id, wanted, &purchases, reason).await?;
    match paid.payouts.is_empty() {
        true => Err(WalletError::NothingToPayOut),
        false => Ok((payer_id, paid)),
    }
}

/// Writes that the provider has sent the money of a payout, in a transaction of its own. A payout that has ended
/// stays as it is.
pub async fn settle(db: &Pool, id: PayoutId, refund_ref: &str) -> Result<(), WalletError> {
    let mut tx = db.begin().await?;
    let Some((_, charge_id)) = store::find_payer(&mut tx, id).await? else { return Ok(()) };
    let purchase = reversals::store::lock_paid(&mut tx, charge_id).await?;
    let payout = store::lock(&mut tx, id).await?;
    let (Some(mut purchase), Some(payout)) = (purchase, payout) else { return Ok(()) };
    if payout.status != PayoutStatus::Sent {
        return Ok(());
    }
    store::write_settled(&mut tx, id, refund_ref).await?;
    purchase.own = reversals::store::list_payouts(&mut *tx, &[charge_id]).await?;
    let rows = reversals::store::list_reversals(&mut *tx, charge_id).await?;
    let status = purchase.status_after(&rows);
    reversals::store::write_reversed(&mut tx, charge_id, purchase.reversed, status).await?;
    Ok(tx.commit().await?)
}

/// Failure of a payout.
#[derive(Clone, Copy, Debug)]
pub struct PayoutFailure<'a> {
    /// Reason, as the provider says it.
    pub reason: &'a str,
    /// Name of the refund at the provider; `None` where the provider never made one.
    pub refund_ref: Option<&'a str>,
    /// When it failed, by the provider's clock; `None`: now.
    pub at: Option<DateTime<Utc>>,
}

/// Gives the points of a failed payout back in the caller's transaction, and takes of them what other returned
/// money of the purchase is worth. `shares` are all waiting shares of the account `payer_id`, locked by the
/// caller. Returns the ones that ended, whose rows the caller writes. A payout that has failed before stays as
/// it is.
pub async fn fail(
    tx: &mut Connection,
    payer_id: AccountId,
    id: PayoutId,
    failure: PayoutFailure<'_>,
    shares: &[ShareOfPayer],
) -> Result<Vec<Uuid>, WalletError> {
    let pledges = Pledges::lock(tx, payer_id, shares).await?;
    let Some((_, charge_id)) = store::find_payer(tx, id).await? else { return Ok(Vec::new()) };
    let purchase = reversals::store::lock_paid(tx, charge_id).await?;
    let payout = store::lock(tx, id).await?;
    let (Some(mut purchase), Some(payout)) = (purchase, payout) else { return Ok(Vec::new()) };
    if payout.status == PayoutStatus::Failed {
        return Ok(Vec::new());
    }
    store::write_failed(tx, id, failure.refund_ref, failure.reason, failure.at).await?;
    store::write_paid_out(tx, charge_id).await?;
    store::ask_soon(tx, charge_id).await?;
    purchase.paid_out -= payout.points.get();
    purchase.own = reversals::store::list_payouts(&mut *tx, &[charge_id]).await?;
    return_payout(tx, payer_id, payout.points, id.0).await?;
    let of = (id.0.to_string(), payout.amount_minor);
    let ended = reversals::reverse_after_failure(tx, &purchase, of, &pledges).await?;
    let mail = AccountMail {
        account_id: payer_id,
        message: Message::PayoutFailed { payout_id: id.0 },
        order_key: format!("payout:{id}"),
        dedupe_key: format!("payout-failed:{id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await?;
    Ok(ended)
}
