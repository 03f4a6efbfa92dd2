//! Roles and locks of accounts: statements inside the caller's transaction.
//!
//! A **profile** is an account as administrators see it. Every request reads role and lock with
//! its session, so a change takes effect at once.
//!
//! # Invariants
//!
//! * Changing the role or locking ends every session and API key of the account: an open session never
//!   gains rights, and none is revived by unlocking.
//! * No administrator changes their own account, so at least one remains.
//!
//! # Concurrency
//!
//! Two administrators who act on each other race for the rows of both accounts, locked in id
//! order; the second one is refused as [`AccountError::Forbidden`].

pub mod confirmation_pages;
pub mod model;
pub mod pages;
pub mod store;

use uuid::Uuid;

use self::model::Profile;
use super::{
    api_keys,
    error::AccountError,
    model::{AccountId, Role},
    sessions,
};
use crate::{
    infra::postgres::{Connection, Pool},
    text::email,
};

/// Finds accounts whose address, name or last name begins with `text`, unordered, at most a
/// thousand by each; a `text` that is an id is returned without a look-up.
pub async fn find_accounts(db: &Pool, text: &str) -> Result<Vec<Uuid>, sqlx::Error> {
    match Uuid::try_parse(text) {
        Ok(id) => Ok(vec![id]),
        Err(_) => store::find_beginning(db, text, &email::fold(text)).await,
    }
}

/// Lists the accounts that [`find_accounts`] finds, or all for an empty `text`, newest first;
/// up to one more than a page.
pub async fn search_profiles(
    db: &Pool,
    text: &str,
    after: Option<Uuid>,
) -> Result<Vec<Profile>, sqlx::Error> {
    match text {
        "" => store::list(db, None, after).await,
        _ => store::list(db, Some(&find_accounts(db, text).await?), after).await,
    }
}

/// Returns one account; `None` if it does not exist.
pub async fn find_profile(db: &Pool, id: AccountId) -> Result<Option<Profile>, sqlx::Error> {
    Ok(store::list(db, Some(&[id.0]), None).await?.pop())
}

/// Locks the rows of `id` and `by`, in id order, and requires that `by` is still an unlocked
/// admin. Of two administrators who act on each other the second one is refused, so the last
/// administrator never goes. `None` if there is no account `id`; refused if it was deleted.
pub(super) async fn lock_beside(
    tx: &mut Connection,
    by: AccountId,
    id: AccountId,
) -> Result<Option<Profile>, AccountError> {
    if by == id {
        return Err(AccountError::OwnAccount);
    }
    let mut locked = store::lock(tx, &[by, id]).await?;
    let may_manage = |profile: &Profile| {
        profile.account_id == by && profile.role == Role::Admin && profile.locked_at.is_none()
    };
    if !locked.iter().any(may_manage) {
        return Err(AccountError::Forbidden);
    }
    locked.retain(|profile| profile.account_id == id);
    match locked.pop() {
        Some(profile) if profile.deleted_at.is_some() => Err(AccountError::Deleted),
        found => Ok(found),
    }
}

/// Locks an account or unlocks it, and returns its profile before and after. An account already
/// in that state is [`AccountError::Stale`]; `None` if there is no such account.
pub async fn lock_out(
    tx: &mut Connection,
    by: AccountId,
    id: AccountId,
    is_locked: bool,
) -> Result<Option<(Profile, Profile)>, AccountError> {
    let Some(before) = lock_beside(tx, by, id).await? else { return Ok(None) };
    if before.locked_at.is_some() == is_locked {
        return Err(AccountError::Stale);
    }
    store::write(tx, id, before.role, is_locked).await?;
    if is_locked {
        sessions::store::delete_all(tx, id).await?;
        api_keys::end_all(tx, by, id).await?;
    }
    Ok(store::lock(tx, &[id]).await?.pop().map(|after| (before, after)))
}

/// Changes an account's role and returns its profile before and after. A role other than `from`
/// is [`AccountError::Stale`]; `None` if there is no such account.
pub async fn change_role(
    tx: &mut Connection,
    by: AccountId,
    id: AccountId,
    from: Role,
    to: Role,
) -> Result<Option<(Profile, Profile)>, AccountError> {
    let Some(before) = lock_beside(tx, by, id).await? else { return Ok(None) };
    if before.role != from {
        return Err(AccountError::Stale);
    }
    store::write(tx, id, to, before.locked_at.is_some()).await?;
    sessions::store::delete_all(tx, id).await?;
    api_keys::end_all(tx, by, id).await?;
    Ok(store::lock(tx, &[id]).await?.pop().map(|after| (before, after)))
}
