//! What can be done with points.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    charges::provider::{Begun, Provider},
    error::WalletError,
    model::{Charge, Kind, Movement, Wallet},
    store, transfers,
};
use crate::{
    accounts::AccountId,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::{Connection, Pool, retry_stale},
    },
    points::Points,
};

/// A charge that lost so many races locks the wallet before it reads it.
const LOST_BEFORE_LOCK: u32 = 3;

/// What a charge is answered with, and what its request key keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charged {
    /// The balance right after the charge.
    pub balance: Points,
}

/// The wallet of `account_id` as it is shown; `None` before its first credit.
pub async fn find_wallet(db: &Pool, account_id: AccountId) -> Result<Option<Wallet>, sqlx::Error> {
    transfers::store::find_shown_wallet(db, account_id).await
}

/// What became of a charge.
#[derive(Clone, Debug)]
pub(crate) enum Charging {
    /// The points are in the wallet.
    Done(Charged),
    /// The person pays at the provider first.
    Elsewhere {
        /// Where the browser is sent.
        location: String,
    },
}

/// Asks `provider` for the money and puts the points into the wallet. Under a `key`
/// that did so before, nothing is asked and nothing moves.
pub(crate) async fn charge(
    db: &Pool,
    provider: &Provider,
    charge: &Charge,
    key: Option<&RequestKey>,
) -> Result<Charging, WalletError> {
    if let Some(key) = key
        && let Some(charged) = key.find_outcome(db).await?
    {
        return Ok(Charging::Done(charged));
    }
    match provider.0.begin(charge).await? {
        Begun::Confirmed => settle_charge(db, charge, key).await.map(Charging::Done),
        Begun::Elsewhere { location } => Ok(Charging::Elsewhere { location }),
    }
}

/// Puts the points of a charge whose money is there into the wallet, once: a charge
/// that was settled before is [`WalletError::MovedBefore`], or, under the same `key`,
/// answered as it was then.
pub async fn settle_charge(
    db: &Pool,
    charge: &Charge,
    key: Option<&RequestKey>,
) -> Result<Charged, WalletError> {
    retry_stale(|n_lost| settle_charge_once(db, charge, key, n_lost)).await
}

async fn settle_charge_once(
    db: &Pool,
    charge: &Charge,
    key: Option<&RequestKey>,
    n_lost: u32,
) -> Result<Charged, WalletError> {
    let mut tx = db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(charged) = key.claim(&mut tx).await?
    {
        return Ok(charged);
    }
    let wallet = match n_lost < LOST_BEFORE_LOCK {
        true => store::find_wallet(&mut *tx, charge.account_id).await?,
        false => store::lock_wallet(&mut tx, charge.account_id).await?,
    };
    let wallet = match wallet {
        Some(wallet) => wallet,
        None => open_wallet(&mut tx, charge.account_id).await?,
    };
    let movement = Movement::credit(Kind::Charge, charge.amount.points(), charge.charge_id);
    let after = store::write_movement(&mut tx, &wallet, &movement).await?;
    let charged = Charged { balance: after.balance };
    Ok(commit_kept(db, tx, key, charged).await?)
}

/// Takes `amount` usable points out of a wallet, in the caller's transaction, for what
/// `reference_id` names. The wallet stays locked until that ends, so it comes last.
/// Answers with the balance after it.
pub async fn debit(
    tx: &mut Connection,
    account_id: AccountId,
    amount: Points,
    kind: Kind,
    reference_id: Uuid,
) -> Result<Points, WalletError> {
    let wallet = match store::lock_wallet(tx, account_id).await? {
        Some(wallet) => wallet,
        // What costs nothing is paid by somebody who never had points, too.
        None if amount == Points::ZERO => open_wallet(tx, account_id).await?,
        None => return Err(WalletError::no_points(amount)),
    };
    let movement = Movement::debit(kind, amount, reference_id);
    Ok(store::write_movement(tx, &wallet, &movement).await?.balance)
}

/// Puts `amount` points into a wallet, in the caller's transaction, for what
/// `reference_id` names; makes the wallet if this is its first credit. Answers with
/// the balance after it.
pub async fn credit(
    tx: &mut Connection,
    account_id: AccountId,
    amount: Points,
    kind: Kind,
    reference_id: Uuid,
) -> Result<Points, WalletError> {
    let wallet = match store::lock_wallet(tx, account_id).await? {
        Some(wallet) => wallet,
        None => open_wallet(tx, account_id).await?,
    };
    let movement = Movement::credit(kind, amount, reference_id);
    Ok(store::write_movement(tx, &wallet, &movement).await?.balance)
}

/// Makes the wallet and locks it. Of two first credits at once the second waits here
/// for the first and then finds its row.
async fn open_wallet(tx: &mut Connection, account_id: AccountId) -> Result<Wallet, WalletError> {
    store::insert_wallet(tx, account_id).await?;
    store::lock_wallet(tx, account_id).await?.ok_or(WalletError::StaleVersion)
}
