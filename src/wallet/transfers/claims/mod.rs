//! Claims of requests to an address that had no account ([`AddressClaim`]), and the addresses that are kept with
//! requests. Instances race for a request's row.

mod store;

use super::{model::TransferId, store::lock_free_transfer, telling};
use crate::{
    accounts::{AccountId, AddressClaim, claim_each},
    infra::postgres::{Connection, Pool},
};

/// Addresses deleted in one tick.
const FORGOTTEN_MAX: i64 = 1_000;
/// Days after its end for which a request keeps the address that its sender typed.
const ADDRESS_DAYS: i32 = 30;

/// Claims the requests whose addresses accounts have confirmed, and deletes the addresses of requests
/// that ended long ago: one tick of a worker. Instances may run it concurrently.
pub async fn claim_transfers(db: &Pool) -> Result<(), sqlx::Error> {
    let list = |last, rows_max| store::list_claims(db, last, rows_max);
    claim_each(list, |claim| claim_once(db, claim)).await?;
    store::delete_old_addresses(db, ADDRESS_DAYS, FORGOTTEN_MAX).await
}

async fn claim_once(db: &Pool, claim: AddressClaim<TransferId>) -> Result<(), sqlx::Error> {
    let AddressClaim { id: transfer_id, sender_id, receiver_id } = claim;
    let mut tx = db.begin().await?;
    if !lock_free_transfer(&mut tx, transfer_id).await? {
        return Ok(());
    }
    let has_started = store::write_claim(&mut tx, &claim).await?;
    // The mail about a planned request follows at its start.
    if has_started == Some(true) {
        telling::tell_received(&mut tx, transfer_id, sender_id, receiver_id).await?;
    }
    tx.commit().await
}

/// Deletes the addresses that are kept with the ended requests of an account that is about to be
/// deleted: the addresses that it typed, and its own.
pub async fn forget_addresses_of(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    store::delete_addresses_of(tx, account_id).await
}
