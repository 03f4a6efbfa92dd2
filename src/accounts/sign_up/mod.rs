//! Signing up, in and out.

pub(crate) mod pages;

use uuid::Uuid;

use super::{
    error::AccountError,
    log_in::password_check::PasswordCheck,
    model::{AccountId, Credentials, NewAccount, Role, SessionToken},
    password::PasswordGate,
    sessions, store,
};
use crate::{
    app::App,
    infra::{network::Network, postgres::Pool, security_log::SecurityEvent},
};

/// Sessions deleted in one statement.
const PURGED_ROWS_MAX: i64 = 1_000;
/// Statements of one purge.
const PURGES_MAX: usize = 20;

/// Opens an account and signs its owner in on `device`, both or neither.
///
/// The password is hashed before anybody looks whether the address is taken, so a
/// taken one answers no faster.
pub(crate) async fn sign_up(
    app: &App,
    gate: &PasswordGate,
    network: Network,
    new: NewAccount,
    device: &str,
) -> Result<(AccountId, SessionToken), AccountError> {
    let password_hash = gate.hash(network, new.password).await?;
    let (account_id, token) = (AccountId(Uuid::now_v7()), SessionToken::generate());
    let mut tx = app.db.begin().await?;
    store::insert_account(
        &mut *tx,
        account_id,
        &new.email,
        &new.name,
        &password_hash,
        Role::Customer,
    )
    .await?;
    sessions::store::insert(&mut *tx, &token.hash(), account_id, session_days(app), device).await?;
    tx.commit().await?;
    Ok((account_id, token))
}

/// Signs in whoever knows the password, on `device`.
pub(crate) async fn log_in(
    check: &PasswordCheck<'_>,
    credentials: Credentials,
    device: &str,
) -> Result<(AccountId, SessionToken), AccountError> {
    let account_id = check.check(credentials, SecurityEvent::LogInFailed).await?;
    let (app, token) = (check.app, SessionToken::generate());
    let days = session_days(app);
    // Locked since the password was looked at: then there is no session to be revived.
    match sessions::store::insert(&app.db, &token.hash(), account_id, days, device).await? {
        true => Ok((account_id, token)),
        false => Err(AccountError::Locked),
    }
}

/// Opens an account that may manage everything.
pub async fn create_admin(db: &Pool, new: NewAccount) -> Result<AccountId, AccountError> {
    let here = Network::of(std::net::Ipv4Addr::LOCALHOST.into());
    let password_hash = PasswordGate::new().hash(here, new.password).await?;
    let account_id = AccountId(Uuid::now_v7());
    store::insert_account(db, account_id, &new.email, &new.name, &password_hash, Role::Admin)
        .await?;
    Ok(account_id)
}

/// Deletes sessions that have run out, a bounded number; called now and then.
pub async fn purge_sessions(app: &App) -> Result<(), sqlx::Error> {
    for _ in 0..PURGES_MAX {
        let purged = sessions::store::delete_expired(&app.db, PURGED_ROWS_MAX).await?;
        if purged < PURGED_ROWS_MAX.unsigned_abs() {
            break;
        }
    }
    Ok(())
}

fn session_days(app: &App) -> i32 {
    i32::try_from(app.config.session_days.get()).unwrap_or(i32::MAX)
}
