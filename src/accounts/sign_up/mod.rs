//! Sign-up and log-in of accounts, and the purge of expired sessions.
//!
//! A **sign-up** creates an account, its first session and the mail that confirms its address in
//! one transaction. An **admin**
//! account is created from the command line only.
//!
//! # Invariants
//!
//! * The password is hashed before the address is checked, so a taken address answers no
//!   faster.
//!
//! # Concurrency
//!
//! Two sign-ups with one address race for `accounts_email_key`; the loser gets
//! [`AccountError::EmailTaken`]. A log-in whose account is locked, or gets another password, after
//! the password check opens no session: the password is checked once more, and the answer is that of
//! the second check.

pub mod pages;

use super::{
    error::AccountError,
    links::{self, LinkPurpose},
    log_in::{password_check::PasswordCheck, second_step},
    model::{AccountId, Credentials, NewAccount, Role, SessionToken},
    password::PasswordGate,
    sessions, store,
};
use crate::{
    app::App,
    infra::{
        ids::new_id, network::Network, postgres::Pool, security_log::SecurityEvent, sweep::Sweep,
    },
    text::i18n::Locale,
};

/// Bounds of a deletion of expired sessions.
const EXPIRED: Sweep = Sweep { rows_max: 1_000, parts_max: 20 };
/// Password checks of one log-in: a second one where the account changed during the first.
const CHECKS_MAX: usize = 2;

/// Creates an account and signs it in on `device`, in one transaction.
///
/// The password is hashed before the address is checked, so a taken address answers no faster.
pub async fn sign_up(
    app: &App,
    gate: &PasswordGate,
    network: Network,
    new: NewAccount,
    device: &str,
) -> Result<(AccountId, SessionToken), AccountError> {
    let password_hash = gate.hash(network, new.password.clone()).await?;
    let (account_id, token) = (AccountId(new_id()), SessionToken::generate());
    let mut tx = app.db.begin().await?;
    store::insert_account(&mut *tx, account_id, &new, &password_hash, Role::Customer).await?;
    let owner = (account_id, password_hash.as_str());
    let days = session_days(app);
    sessions::store::insert(&mut *tx, &token.hash(), owner, days, device, false).await?;
    let (purpose, next_path) = (LinkPurpose::Confirm, new.next_path.as_deref());
    links::mail_link(&mut tx, account_id, purpose, &new.email, new.locale, next_path).await?;
    tx.commit().await?;
    Ok((account_id, token))
}

/// Result of a right password.
#[derive(Debug)]
pub enum LogInOutcome {
    /// A session was opened.
    Opened(AccountId, SessionToken),
    /// The account has a second factor, whose code is still to come.
    Pending(SessionToken),
}

/// Checks the password and opens a session on `device`, or asks for the code of the second factor.
/// Mails are written in `locale` from then on.
pub async fn log_in(
    check: &PasswordCheck<'_>,
    credentials: Credentials,
    device: &str,
    locale: Locale,
) -> Result<LogInOutcome, AccountError> {
    let (app, token) = (check.app, SessionToken::generate());
    for _ in 0..CHECKS_MAX {
        let checked = check.check(credentials.clone(), SecurityEvent::LogInFailed).await?;
        // A session that is opened while a factor is being set does not count (`sessions`).
        if checked.has_second_factor {
            return Ok(LogInOutcome::Pending(second_step::begin(app, &checked, device).await?));
        }
        let owner = (checked.account_id, checked.password_hash.as_str());
        let days = session_days(app);
        // Since the check the account may have been locked, or its password changed: then no
        // session is opened, and the next check says which.
        if sessions::store::insert(&app.db, &token.hash(), owner, days, device, false).await? {
            keep_locale(app, checked.account_id, locale).await;
            return Ok(LogInOutcome::Opened(checked.account_id, token));
        }
    }
    Err(AccountError::WrongCredentials)
}

/// Keeps the language of the pages for the account's mails.
pub(crate) async fn keep_locale(app: &App, account_id: AccountId, locale: Locale) {
    if let Err(error) = store::write_locale(&app.db, account_id, locale).await {
        tracing::warn!(%error, "mails stay in the language that they had");
    }
}

/// Creates an administrator's account.
pub async fn create_admin(db: &Pool, new: NewAccount) -> Result<AccountId, AccountError> {
    let here = Network::of(std::net::Ipv4Addr::LOCALHOST.into());
    let password_hash = PasswordGate::new().hash(here, new.password.clone()).await?;
    let account_id = AccountId(new_id());
    store::insert_account(db, account_id, &new, &password_hash, Role::Admin).await?;
    Ok(account_id)
}

/// Deletes a bounded number of expired sessions and pending log-ins; called periodically.
pub async fn purge_sessions(app: &App) -> Result<(), sqlx::Error> {
    EXPIRED.parts(|rows_max| sessions::store::delete_expired(&app.db, rows_max)).await?;
    second_step::purge(&app.db).await
}

/// Returns the lifetime of a session, in days.
pub fn session_days(app: &App) -> i32 {
    i32::try_from(app.config.session_days.get()).unwrap_or(i32::MAX)
}
