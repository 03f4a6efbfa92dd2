//! Receipt for another name or company: a new one with a number of its own, which replaces the one before.

use super::{
    error::ReceiptError,
    model::{EDITIONS_MAX, ReceiptNumber},
    store::receipts::{self as store, NewEdition},
};
use crate::{accounts::AccountId, app::App, infra::postgres::retry_stale};

/// Replaces the receipt `number` of an account by one for `buyer`; returns the new number. A receipt that has this
/// buyer already stays, so that a second click makes no second receipt.
pub(super) async fn replace(
    app: &App,
    account_id: AccountId,
    number: ReceiptNumber,
    buyer: &str,
) -> Result<ReceiptNumber, ReceiptError> {
    retry_stale(|_| replace_once(app, account_id, number, buyer)).await
}

async fn replace_once(
    app: &App,
    account_id: AccountId,
    number: ReceiptNumber,
    buyer: &str,
) -> Result<ReceiptNumber, ReceiptError> {
    let mut tx = app.db.begin().await?;
    // With the counter nothing else is numbered meanwhile, so what is read behind it is the last edition.
    let next = store::lock_next_number(&mut tx).await?;
    let found = store::find_edition(&mut tx, account_id, number).await?;
    let edition = found.ok_or(ReceiptError::NotFound)?;
    if edition.newest_buyer == buyer {
        return Ok(edition.newest);
    }
    if edition.newest != number {
        return Err(ReceiptError::Replaced { number: edition.newest });
    }
    if edition.edition >= EDITIONS_MAX {
        return Err(ReceiptError::TooMany { number });
    }
    let new = NewEdition { number: next, replaces: number, buyer };
    store::insert_edition(&mut tx, &new).await?;
    store::update_next_number(&mut tx, ReceiptNumber(next.0 + 1)).await?;
    tx.commit().await?;
    Ok(next)
}
