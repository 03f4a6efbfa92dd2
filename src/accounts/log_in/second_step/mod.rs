//! Second step of a log-in: the code, after the password was right.
//!
//! A **pending log-in** is the time between the two. Its token is in a cookie of its own and opens
//! nothing but the page that asks for the code.
//!
//! # Invariants
//!
//! * No session exists before the code was right; then it gets a token of its own.
//! * A pending log-in lasts [`PENDING_SECS`] and takes at most [`TRIES_MAX`] codes, beside the
//!   budgets of the network and the account.
//! * It ends with a change of the password, a lock of the account and a reset of its second factor.
//!
//! # Concurrency
//!
//! Codes of one account are compared one after the other, behind the account's row. A try is counted
//! before its code is compared; of two right ones the second finds no pending log-in any more.

pub mod pages;
pub mod store;

use self::store::PendingLogIn;
use super::{
    code_check::check_code,
    password_check::{CheckedPassword, PasswordCheck},
};
use crate::{
    accounts::{
        error::AccountError,
        model::{SessionToken, TokenHash},
        second_factor::{self, model::SignInCode},
        sessions,
        store::lock_with_password,
    },
    app::App,
    infra::postgres::Pool,
    text::email::Email,
};

/// Time for the code, in seconds.
pub(crate) const PENDING_SECS: u32 = 300;
/// Codes that may be tried after one password.
const TRIES_MAX: i32 = 5;
/// Pending log-ins deleted in one statement.
const PURGED_ROWS_MAX: i64 = 1_000;

/// Keeps a log-in whose password was right until its code comes; returns its token.
pub async fn begin(
    app: &App,
    checked: &CheckedPassword,
    device: &str,
) -> Result<SessionToken, sqlx::Error> {
    let token = SessionToken::generate();
    let owner = (checked.account_id, checked.password_hash.as_str());
    store::insert(&app.db, &token.hash(), owner, device, f64::from(PENDING_SECS)).await?;
    Ok(token)
}

/// Returns the pending log-in with this token, if it is not over.
pub async fn find(app: &App, token: &SessionToken) -> Result<Option<PendingLogIn>, sqlx::Error> {
    store::find(&app.db, &token.hash(), TRIES_MAX).await
}

/// Compares the code and opens a session of `lives_days`.
pub async fn finish(
    check: &PasswordCheck<'_>,
    token: &SessionToken,
    code: Option<&SignInCode>,
    lives_days: i32,
) -> Result<(PendingLogIn, SessionToken), AccountError> {
    let pending = find(check.app, token).await?.ok_or(AccountError::LogInOver)?;
    let email = Email::parse(&pending.email).ok_or(AccountError::LogInOver)?;
    let token_hash = token.hash();
    let work = try_code(check.app, &token_hash, &pending, code, lives_days);
    let session = check_code(check, &email, work).await?;
    Ok((pending, session))
}

async fn try_code(
    app: &App,
    token_hash: &TokenHash,
    pending: &PendingLogIn,
    code: Option<&SignInCode>,
    lives_days: i32,
) -> Result<SessionToken, AccountError> {
    let owner = (pending.account_id, pending.password_hash.as_str());
    let mut tx = app.db.begin().await?;
    let is_same = lock_with_password(&mut tx, owner.0, owner.1).await?;
    // Counted in a statement after the wait for the account's row, with the clock of then.
    if !is_same || !store::count_try(&mut tx, token_hash, TRIES_MAX).await? {
        tx.rollback().await?;
        return Err(AccountError::LogInOver);
    }
    let is_right = match code {
        Some(code) => second_factor::accept(&mut tx, app, owner.0, code).await?,
        None => false,
    };
    if !is_right {
        tx.commit().await?;
        return Err(AccountError::WrongCode);
    }
    store::delete(&mut *tx, token_hash).await?;
    let session = SessionToken::generate();
    let (hash, device) = (session.hash(), pending.device.as_str());
    if !sessions::store::insert(&mut *tx, &hash, owner, lives_days, device, true).await? {
        tx.rollback().await?;
        return Err(AccountError::Locked);
    }
    tx.commit().await?;
    Ok(session)
}

/// Ends a pending log-in whose code does not come any more.
pub async fn give_up(app: &App, token: &SessionToken) -> Result<(), sqlx::Error> {
    store::delete(&app.db, &token.hash()).await
}

/// Deletes a bounded number of pending log-ins whose time is over; called periodically.
pub async fn purge(db: &Pool) -> Result<(), sqlx::Error> {
    store::delete_old(db, PURGED_ROWS_MAX).await
}
