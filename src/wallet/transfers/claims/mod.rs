//! Claims: requests to an address that had no account, which an account has confirmed since.
//!
//! A request to an address without an account is **claimed** for the first account that has confirmed
//! the address: the account is its receiver from then on, and gets the mails of any receiver. The
//! sender sees no difference.
//!
//! # Concurrency
//!
//! Instances race for a request's row; the loser finds it claimed. The account is read under a lock
//! that its deletion waits for.

mod store;

use uuid::Uuid;

use self::store::TransferClaim;
use super::{model::TransferId, store::lock_free_transfer, telling};
use crate::{
    accounts::AccountId,
    infra::{
        postgres::{Connection, Pool},
        throwaway,
    },
};

/// Requests of a page, and pages of one tick; the rest is left to the next one.
const PAGE_ROWS: i64 = 500;
const PAGES_MAX: usize = 20;
/// Addresses deleted in one tick.
const FORGOTTEN_MAX: i64 = 1_000;
/// Days after its end for which a request keeps the address that its sender typed.
const ADDRESS_DAYS: i32 = 30;

/// Claims the requests whose addresses accounts have confirmed, and deletes the addresses of requests
/// that ended long ago: one tick of a worker. Instances may run it concurrently.
pub async fn claim_transfers(db: &Pool) -> Result<(), sqlx::Error> {
    let mut after = TransferId(Uuid::nil());
    for _ in 0..PAGES_MAX {
        let page = store::list_claims(db, after, PAGE_ROWS).await?;
        let Some(last) = page.last() else { break };
        after = last.transfer_id;
        for claim in &page {
            claim_once(db, claim).await?;
        }
    }
    store::delete_old_addresses(db, ADDRESS_DAYS, FORGOTTEN_MAX).await
}

async fn claim_once(db: &Pool, claim: &TransferClaim) -> Result<(), sqlx::Error> {
    let &TransferClaim { transfer_id, sender_id, receiver_id } = claim;
    // Points of a rehearsal's accounts must not leave it.
    if throwaway::is_marked(sender_id.0) || throwaway::is_marked(receiver_id.0) {
        return Ok(());
    }
    let mut tx = db.begin().await?;
    if !lock_free_transfer(&mut tx, transfer_id).await? {
        return Ok(());
    }
    let has_started = store::write_claim(&mut tx, claim).await?;
    // The mail about a planned request follows at its start.
    if has_started == Some(true) {
        telling::tell_received(&mut tx, transfer_id, sender_id, receiver_id).await?;
    }
    tx.commit().await
}

/// Deletes the addresses that are kept with the ended requests of an account that is about to be
/// deleted: the addresses that it typed, and its own.
pub(crate) async fn forget_addresses_of(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    store::delete_addresses_of(tx, account_id).await
}
