//! Operations on wallets: charges, debits and credits.

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

/// Number of lost races after which a charge locks the wallet before reading it.
const LOST_BEFORE_LOCK: u32 = 3;

/// Result of a charge; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charged {
    /// Balance right after the charge.
    pub balance: Points,
}

/// Returns the wallet of `account_id` as it is shown; `None` before its first credit.
pub(crate) async fn find_wallet(
    db: &Pool,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    transfers::store::find_shown_wallet(db, account_id).await
}

/// Result of starting a charge.
#[derive(Clone, Debug)]
pub(crate) enum Charging {
    /// The points are in the wallet.
    Done(Charged),
    /// The payment continues at the provider.
    Elsewhere {
        /// Address to which the browser is sent.
        location: String,
    },
}

/// Asks `provider` for the money and credits the points. A `key` that charged before returns its
/// first result, without asking the provider.
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

/// Credits a charge that the provider confirmed, once: a charge that was settled before is
/// [`WalletError::MovedBefore`], or returns its first result under the same `key`.
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

/// Takes `amount` usable points out of a wallet in the caller's transaction, for the payment or
/// other cause `reference_id`. The wallet stays locked until the transaction ends, so this must
/// come last. Returns the balance after it.
pub(crate) async fn debit(
    tx: &mut Connection,
    account_id: AccountId,
    amount: Points,
    kind: Kind,
    reference_id: Uuid,
) -> Result<Points, WalletError> {
    let wallet = match store::lock_wallet(tx, account_id).await? {
        Some(wallet) => wallet,
        // An account without a wallet may still pay a total of zero.
        None if amount == Points::ZERO => open_wallet(tx, account_id).await?,
        None => return Err(WalletError::no_points(amount)),
    };
    let movement = Movement::debit(kind, amount, reference_id);
    Ok(store::write_movement(tx, &wallet, &movement).await?.balance)
}

/// Adds `amount` points to a wallet in the caller's transaction, for the refund or other cause
/// `reference_id`. Creates the wallet at its first credit. Returns the balance after it.
pub(crate) async fn credit(
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

/// Creates and locks the wallet. Of two concurrent first credits the second waits for the first and
/// then finds its row.
async fn open_wallet(tx: &mut Connection, account_id: AccountId) -> Result<Wallet, WalletError> {
    store::insert_wallet(tx, account_id).await?;
    store::lock_wallet(tx, account_id).await?.ok_or(WalletError::StaleVersion)
}
