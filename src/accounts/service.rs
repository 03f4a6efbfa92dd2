//! Signing up, in and out.

use uuid::Uuid;

use super::{
    error::AccountError,
    model::{AccountId, Credentials, NewAccount, Role, SessionToken},
    password::PasswordGate,
    store,
};
use crate::{app::App, infra::postgres::Pool};

/// Sessions deleted in one statement.
const PURGED_ROWS_MAX: i64 = 1_000;
/// Statements of one purge.
const PURGES_MAX: usize = 20;

/// Opens an account and signs its owner in, both or neither.
///
/// The password is hashed before anybody looks whether the address is taken, so a
/// taken one answers no faster.
pub(super) async fn sign_up(
    app: &App,
    gate: &PasswordGate,
    new: NewAccount,
) -> Result<(AccountId, SessionToken), AccountError> {
    let password_hash = gate.hash(new.password).await?;
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
    store::insert_session(&mut *tx, &token.hash(), account_id, session_days(app)).await?;
    tx.commit().await?;
    Ok((account_id, token))
}

/// Signs in whoever knows the password.
pub(super) async fn log_in(
    app: &App,
    gate: &PasswordGate,
    credentials: Credentials,
) -> Result<(AccountId, SessionToken), AccountError> {
    let stored = store::find_credentials(&app.db, &credentials.email).await?;
    let hash = stored.as_ref().map(|stored| stored.password_hash.clone());
    let fits = gate.verify(credentials.password, hash).await?;
    let Some(stored) = stored.filter(|_| fits) else { return Err(AccountError::WrongCredentials) };
    if stored.is_locked {
        return Err(AccountError::Locked);
    }
    let token = SessionToken::generate();
    store::insert_session(&app.db, &token.hash(), stored.id, session_days(app)).await?;
    Ok((stored.id, token))
}

/// Opens an account that may manage everything.
pub async fn create_admin(db: &Pool, new: NewAccount) -> Result<AccountId, AccountError> {
    let password_hash = PasswordGate::new().hash(new.password).await?;
    let account_id = AccountId(Uuid::now_v7());
    store::insert_account(db, account_id, &new.email, &new.name, &password_hash, Role::Admin)
        .await?;
    Ok(account_id)
}

/// Deletes sessions that have run out, a bounded number; called now and then.
pub async fn purge_sessions(app: &App) -> Result<(), sqlx::Error> {
    for _ in 0..PURGES_MAX {
        let purged = store::delete_expired_sessions(&app.db, PURGED_ROWS_MAX).await?;
        if purged < PURGED_ROWS_MAX.unsigned_abs() {
            break;
        }
    }
    Ok(())
}

fn session_days(app: &App) -> i32 {
    i32::try_from(app.config.session_days.get()).unwrap_or(i32::MAX)
}
