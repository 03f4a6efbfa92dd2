//! Deletion of an account, as far as the accounts' own tables go.
//!
//! Every statement is part of a transaction of `account_deletion`, which decides whether an account
//! may be deleted, and ends what other features keep of it.

mod store;

pub(crate) use self::store::DeletableAccount;
use super::{
    links, log_in::second_step::store as pending, model::AccountId, second_factor, sessions,
};
use crate::infra::{idempotency, postgres::Connection};
use uuid::Uuid;

/// Locks an account so that nobody adds anything for it before the transaction ends, and waits for
/// nobody: `None` if another transaction uses the account, or there is none.
pub(crate) async fn lock(
    tx: &mut Connection,
    id: AccountId,
) -> Result<Option<DeletableAccount>, sqlx::Error> {
    store::lock_alone(tx, id).await
}

/// Returns whether a session of an account is still open.
pub(crate) async fn has_session(
    tx: &mut Connection,
    id: AccountId,
    session_id: Uuid,
) -> Result<bool, sqlx::Error> {
    store::has_session(tx, id, session_id).await
}

/// Makes a locked account nobody's, who is called `name`, and deletes its sessions, links, pending
/// log-ins, second factor, recovery codes and request keys. Returns the hashes of the sessions.
pub(crate) async fn erase(
    tx: &mut Connection,
    id: AccountId,
    name: &str,
) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    store::write_deleted(tx, id, name).await?;
    links::store::delete_all(tx, id).await?;
    second_factor::store::delete(tx, id).await?;
    pending::delete_all(tx, id).await?;
    idempotency::delete_keys_of(tx, id.0).await?;
    // Every session: no session has the nil id.
    sessions::store::delete_others(tx, id, Uuid::nil()).await
}
