//! Deletion of an account, as far as the accounts' own tables go.
//!
//! Every statement is part of a transaction of `account_deletion`, which decides whether an account
//! may be deleted, and ends its rows in other features.

mod store;

pub use self::store::{DeletableAccount, has_session, lock_alone};
use super::{
    links, log_in::second_step::store as pending, model::AccountId, receipt_name, second_factor,
    sessions,
};
use crate::infra::{idempotency, postgres::Connection};
use uuid::Uuid;

/// Removes the person from a locked account, whose name becomes `name`, and deletes its sessions,
/// links, pending log-ins, second factor, recovery codes, names for receipts and request keys. Returns the hashes of
/// the sessions.
pub async fn erase(
    tx: &mut Connection,
    id: AccountId,
    name: &str,
) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    store::write_deleted(tx, id, name).await?;
    links::store::delete_all(tx, id).await?;
    second_factor::store::delete(tx, id).await?;
    pending::delete_all(tx, id).await?;
    receipt_name::delete_all(tx, id).await?;
    idempotency::delete_keys_of(tx, id.0).await?;
    // Every session: no session has the nil id.
    sessions::store::delete_others(tx, id, Uuid::nil()).await
}
