//! What those who manage do to accounts, as steps of the caller's transaction.
//!
//! Sessions are asked for role and lock at every request, so both count at once. Either ends
//! every session of the account: what was left open somewhere is not somebody with more, or
//! somebody who is let in again.

pub(crate) mod confirmation_pages;
pub(crate) mod pages;
pub(crate) mod store;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::{
    email,
    error::AccountError,
    model::{AccountId, Role},
    sessions,
};
use crate::infra::postgres::{Connection, Pool};

/// An account as those see it who manage.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// The account.
    pub account_id: AccountId,
    /// Its address.
    pub email: String,
    /// Its owner's name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Since when it cannot sign in.
    pub locked_at: Option<DateTime<Utc>>,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
}

/// Accounts whose address, name or last name begins with `text`, or the one whose id it
/// is, in no order; at most a thousand of each.
pub async fn find_accounts(db: &Pool, text: &str) -> Result<Vec<Uuid>, sqlx::Error> {
    match Uuid::try_parse(text) {
        Ok(id) => Ok(vec![id]),
        Err(_) => store::find_beginning(db, text, &email::fold(text)).await,
    }
}

/// The accounts that [`find_accounts`] finds, or all for no text, newest first; one more
/// than a page.
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

/// One account.
pub async fn find_profile(db: &Pool, id: AccountId) -> Result<Option<Profile>, sqlx::Error> {
    Ok(store::list(db, Some(&[id.0]), None).await?.pop())
}

/// Locks the account `id` together with that of `by`, in id order, and requires that `by` may
/// still manage. Of two administrators who act on each other at once the second finds that it
/// may not any more: so whoever acts remains, and never does the last one go.
async fn lock_beside(
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
    Ok(locked.pop())
}

/// Locks an account, or lets it sign in again. Answers with how it was and how it is;
/// one that is so already is [`AccountError::Stale`], none at all `None`.
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
    }
    Ok(store::lock(tx, &[id]).await?.pop().map(|after| (before, after)))
}

/// Gives an account another role, if it still has the one that was shown.
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
    Ok(store::lock(tx, &[id]).await?.pop().map(|after| (before, after)))
}
