//! Tokens of several accounts in one transaction.

pub(crate) mod model;
mod store;

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, Utc};

use self::model::OwnedToken;
use super::{
    model::{TokenId, TokenStatus},
    projection::project,
    store::write_ends,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    infra::postgres::{Connection, WhenHeld},
};

/// Bound on the stays that one statement prolongs.
const EXTENDED_AT_ONCE: usize = 10_000;

/// Locks the live tokens of accounts, each in its program's queue; waits for none. Returns whether
/// no other transaction has one of them locked. In the order of locks this comes before `reservations`.
pub async fn lock_live_tokens(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
) -> Result<bool, sqlx::Error> {
    let locked = store::lock_live(tx, owners, WhenHeld::Skip).await?;
    let found: HashSet<_> = locked.iter().map(OwnedToken::owner).collect();
    let missing: Vec<_> = owners.iter().filter(|owner| !found.contains(owner)).copied().collect();
    // A missing owner has no live token, or one that another transaction has locked.
    Ok(missing.is_empty() || store::list_with_live_token(tx, &missing).await?.is_empty())
}

/// Locks the live token of one account, and waits for it while another transaction holds it.
pub async fn wait_for_token(
    tx: &mut Connection,
    owner: (ProgramId, AccountId),
) -> Result<Option<OwnedToken>, sqlx::Error> {
    Ok(store::lock_live(tx, &[owner], WhenHeld::Wait).await?.pop())
}

/// Locks every live token of an account that is being deleted, and waits for tokens that another
/// transaction has locked.
pub async fn lock_tokens_of(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Vec<OwnedToken>, sqlx::Error> {
    let mut tokens = store::lock_of_account(tx, account_id).await?;
    tokens.retain(|token| matches!(token.status, TokenStatus::Waiting | TokenStatus::Active));
    Ok(tokens)
}

/// Ends the locked tokens of an account whose row is locked for its deletion; `false`, with nothing
/// written, if the account has joined a queue since they were locked. Call
/// [`project`](crate::entry_queue::project()) after the commit.
pub async fn end_tokens_of(
    tx: &mut Connection,
    account_id: AccountId,
    tokens: &[OwnedToken],
) -> Result<bool, sqlx::Error> {
    let ids: Vec<TokenId> = tokens.iter().map(|token| token.id).collect();
    if store::has_live_beside(tx, account_id, &ids).await? {
        return Ok(false);
    }
    write_ends(tx, &ids, TokenStatus::Cancelled).await?;
    Ok(true)
}

/// Extends the expiries of locked stays to at least the ends of holds. The moments until which new
/// holds may start do not change.
pub async fn extend_stays(
    tx: &mut Connection,
    untils: &[(TokenId, DateTime<Utc>)],
) -> Result<(), sqlx::Error> {
    match untils {
        [] => Ok(()),
        untils => store::write_expiries(tx, untils).await,
    }
}

/// Locks every stay of a program that no worker has ended, and waits where another transaction has one locked.
pub async fn lock_stays(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Vec<TokenId>, sqlx::Error> {
    store::lock_stays(tx, program_id).await
}

/// Moves the ends of the locked stays that had not ended at the first moment, and began before the second if there is
/// one, by `length`, and returns how many. Call [`project_inside`] after the commit.
pub async fn extend_all(
    tx: &mut Connection,
    stays: &[TokenId],
    length: Duration,
    live: (DateTime<Utc>, Option<DateTime<Utc>>),
) -> Result<usize, sqlx::Error> {
    let mut n_extended = 0;
    for some in stays.chunks(EXTENDED_AT_ONCE) {
        n_extended += store::extend_all(tx, some, length.as_secs_f64(), live).await?;
    }
    Ok(n_extended)
}

/// Writes to Redis what PostgreSQL says of the accounts that are inside.
pub async fn project_inside(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    let accounts = store::list_inside(&app.db, program_id).await?;
    project(app, program_id, &accounts).await;
    Ok(())
}
