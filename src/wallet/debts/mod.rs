//! Debts: points that were taken back after they had been spent, and are owed.
//!
//! A **debt** arises from reversals (`charges/reversals`). A **write-off** is an administrator's act
//! that ends a debt, whole or in part, without points.
//!
//! # Invariants
//!
//! * A write-off is a row of `debt_write_offs` and an entry of the wallet's history, which moves no
//!   points; both have the id of the act in the audit log. Rows are never changed.
//! * A wallet's debt is the points that the reversals of its account have not moved, less write-offs:
//!   rule C2 of `verify`.
//!
//! # Concurrency
//!
//! A write-off locks the wallet, as reversals do. A write-off of more than the debt at that moment is
//! refused.

mod store;

use std::collections::HashMap;

use uuid::Uuid;

use super::{
    error::WalletError,
    ledger::lock_wallet,
    model::{Kind, Movement},
    store::write_movement,
};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    points::Points,
};

/// Debt of a wallet before and after a write-off.
#[derive(Clone, Copy, Debug)]
pub struct WrittenOff {
    /// Points owed before.
    pub before: Points,
    /// Points owed after.
    pub after: Points,
}

/// Writes `points` of an account's debt off, by the act `act_id` of the audit log, which the caller's
/// transaction writes. Refused beyond the debt.
pub async fn write_off(
    tx: &mut Connection,
    account_id: AccountId,
    points: Points,
    act_id: Uuid,
) -> Result<WrittenOff, WalletError> {
    let wallet = lock_wallet(tx, account_id).await?;
    let debt = wallet.as_ref().map(|wallet| wallet.debt).unwrap_or_default();
    let (Some(wallet), Some(after)) = (wallet, debt.checked_sub(points)) else {
        return Err(WalletError::DebtSmaller { debt });
    };
    let movement = Movement {
        kind: Kind::WriteOff,
        amount: 0,
        pending_change: 0,
        debt_change: -points.get(),
        reference_id: act_id,
    };
    write_movement(tx, &wallet, &movement).await?;
    store::insert_write_off(tx, act_id, wallet.wallet_id, points).await?;
    Ok(WrittenOff { before: debt, after })
}

/// Returns the debts of the `accounts` that owe points.
pub async fn list_debts(
    db: &Pool,
    accounts: &[AccountId],
) -> Result<HashMap<AccountId, Points>, sqlx::Error> {
    Ok(store::list_debts(db, accounts).await?.into_iter().collect())
}
