//! Second factor: a code of an authenticator app beside the password, for staff and admins.
//!
//! A **secret** is shared with the app of the owner's phone, which makes a **code** of six digits
//! from it for each **step** of 30 seconds (RFC 6238). A **recovery code** replaces one of the app,
//! once. A secret is **sealed**: encrypted for one account.
//!
//! # Invariants
//!
//! * A factor is set, and its recovery codes renewed, only in a session in which the password was given
//!   lately, and so it is removed: a stolen session alone locks no owner out.
//! * A secret counts only after a code of it was given. Until then it is in the form of the page
//!   alone, sealed.
//! * A code is accepted once: the step of the last one is kept and grows.
//! * No recovery code is stored, only its SHA-256; it is shown once and works once.
//! * A session of an account with a second factor counts only if a code was given in it since the
//!   factor was set (`sessions`). Setting a factor ends the other sessions; a reset by staff ends all
//!   of them.
//! * Removing a factor ends the account's API keys.
//! * The owner gets a mail whenever a factor is set or removed, recovery codes are renewed, or one is
//!   used.
//!
//! # Concurrency
//!
//! Every change or use of a factor locks the account's row first. Of two set-ups the first wins; the
//! second is refused as [`AccountError::SecondFactorSet`]. Of two uses of one code the second finds it
//! used: [`AccountError::WrongCode`].

pub mod model;
pub mod pages;
pub mod store;

use uuid::Uuid;

use self::model::{RecoveryCode, SignInCode, TotpSecret};
use super::{
    api_keys,
    error::AccountError,
    log_in::second_step::store as pending,
    model::{AccountId, Role, TokenHash},
    roles::{self, model::Profile},
    sessions,
};
use crate::{
    accounts,
    app::App,
    infra::{ids::new_id, postgres::Connection, seal::Seal},
    outbox::{self, AccountMail, Message, ProtectionChange},
    text::email::Email,
};

/// Separates the key that seals from other uses of the signing key.
const PURPOSE: &[u8] = b"stagedoor/second-factor";
/// Recovery codes of an account.
const RECOVERY_CODES: usize = 10;

/// Secret that is offered for a set-up, with the form in which it comes back.
#[derive(Debug)]
pub struct Offer {
    pub secret: TotpSecret,
    pub sealed: Vec<u8>,
}

/// Makes a secret for the account to set up; `None` if it cannot be sealed.
pub fn offer(app: &App, account_id: AccountId) -> Option<Offer> {
    let secret = TotpSecret::generate();
    let sealed = Seal::of(&app.signing_key, PURPOSE)?.close(account_id.0, secret.as_bytes())?;
    Some(Offer { secret, sealed })
}

/// Returns the offer that comes back as `sealed`; `None` unless it was made for the account.
pub(crate) fn reopen(app: &App, account_id: AccountId, sealed: Vec<u8>) -> Option<Offer> {
    let secret = open(app, account_id, &sealed)?;
    Some(Offer { secret, sealed })
}

/// Decrypts a secret; `None` unless this deployment sealed it for the account.
fn open(app: &App, account_id: AccountId, sealed: &[u8]) -> Option<TotpSecret> {
    let secret = Seal::of(&app.signing_key, PURPOSE)?.open(account_id.0, sealed)?;
    TotpSecret::of_bytes(&secret)
}

/// Result of an operation that renewed recovery codes or ended sessions.
#[derive(Debug)]
pub struct Renewed {
    /// New recovery codes, to be shown once.
    pub codes: Vec<RecoveryCode>,
    /// Hashes of the sessions that ended.
    pub ended: Vec<Vec<u8>>,
}

/// Sets the account's second factor to the offered secret, whose `code` was given in the session
/// `session_id`; ends the other sessions.
pub async fn set_up(
    app: &App,
    account_id: AccountId,
    session_id: Uuid,
    offer: &Offer,
    code: Option<&SignInCode>,
) -> Result<Renewed, AccountError> {
    let Some(SignInCode::App(code)) = code else { return Err(AccountError::WrongCode) };
    let mut tx = app.db.begin().await?;
    let owner = roles::store::lock(&mut tx, &[account_id]).await?.pop();
    if !owner.is_some_and(|owner| owner.role != Role::Customer) {
        return Err(AccountError::Forbidden);
    }
    let now_secs = store::now_secs(&mut tx).await?;
    let step = offer.secret.step_of(code, now_secs).ok_or(AccountError::WrongCode)?;
    if !store::insert(&mut tx, account_id, &offer.sealed, step).await? {
        return Err(AccountError::SecondFactorSet);
    }
    let codes = write_codes(&mut tx, account_id).await?;
    sessions::store::write_code_given(&mut tx, session_id).await?;
    let ended = sessions::store::delete_others(&mut *tx, account_id, session_id).await?;
    tell(&mut tx, account_id, ProtectionChange::Set).await?;
    tx.commit().await?;
    Ok(Renewed { codes, ended })
}

/// Compares a code with the second factor of an account whose row is locked, and uses it up;
/// `false` for a wrong or used code, and without a second factor.
pub async fn accept(
    tx: &mut Connection,
    app: &App,
    account_id: AccountId,
    code: &SignInCode,
) -> Result<bool, AccountError> {
    match code {
        SignInCode::App(digits) => {
            let Some((sealed, now_secs)) = store::find_secret(tx, account_id).await? else {
                return Ok(false);
            };
            let Some(secret) = open(app, account_id, &sealed) else {
                tracing::error!(%account_id, "a second factor was sealed with another SECRET_KEY");
                return Ok(false);
            };
            match secret.step_of(digits, now_secs) {
                Some(step) => Ok(store::write_step(tx, account_id, step).await?),
                None => Ok(false),
            }
        }
        SignInCode::Recovery(code) => {
            let is_used = store::write_code_used(tx, account_id, &code.hash(account_id)).await?;
            if is_used {
                tell(tx, account_id, ProtectionChange::RecoveryCodeUsed).await?;
            }
            Ok(is_used)
        }
    }
}

/// Replaces the recovery codes of the account.
pub(crate) async fn renew_codes(
    app: &App,
    account_id: AccountId,
) -> Result<Vec<RecoveryCode>, AccountError> {
    let mut tx = app.db.begin().await?;
    roles::store::lock(&mut tx, &[account_id]).await?;
    // A concurrent removal may have come first.
    if store::find_secret(&mut tx, account_id).await?.is_none() {
        return Err(AccountError::SecondFactorMissing);
    }
    store::delete_codes(&mut tx, account_id).await?;
    let codes = write_codes(&mut tx, account_id).await?;
    tell(&mut tx, account_id, ProtectionChange::CodesRenewed).await?;
    tx.commit().await?;
    Ok(codes)
}

/// Removes the account's own second factor, and ends its other sessions, whose hashes it returns.
pub async fn remove(
    app: &App,
    account_id: AccountId,
    session_id: Uuid,
) -> Result<Vec<Vec<u8>>, AccountError> {
    let mut tx = app.db.begin().await?;
    roles::store::lock(&mut tx, &[account_id]).await?;
    if !store::delete(&mut tx, account_id).await? {
        return Err(AccountError::SecondFactorMissing);
    }
    let ended = sessions::store::delete_others(&mut *tx, account_id, session_id).await?;
    let keys = api_keys::end_all(&mut tx, account_id, account_id).await?;
    tell(&mut tx, account_id, ProtectionChange::Removed).await?;
    tx.commit().await?;
    api_keys::record_ended(app, account_id, &keys);
    Ok(ended)
}

/// Removes the second factor of an account that lost it, by the act of the administrator `by`;
/// returns its profile before and after. `None` if there is no such account.
pub async fn reset(
    tx: &mut Connection,
    by: AccountId,
    id: AccountId,
) -> Result<Option<(Profile, Profile)>, AccountError> {
    let Some(profile) = roles::lock_beside(tx, by, id).await? else { return Ok(None) };
    reset_locked(tx, by, id).await?;
    Ok(Some((profile.clone(), profile)))
}

/// Removes the second factor of the account with an address, for the command line, without asking for a
/// code; returns the account's id.
pub async fn reset_at_address(tx: &mut Connection, email: &str) -> Result<AccountId, AccountError> {
    let email = Email::parse(email).ok_or(AccountError::WrongCredentials)?;
    let found = accounts::store::find_addressee(&mut *tx, &email).await?;
    let (id, _) = found.ok_or(AccountError::WrongCredentials)?;
    roles::store::lock(tx, &[id]).await?;
    reset_locked(tx, id, id).await?;
    Ok(id)
}

/// Removes the second factor of an account whose row is locked, and ends all its sessions and API keys.
async fn reset_locked(
    tx: &mut Connection,
    by: AccountId,
    account_id: AccountId,
) -> Result<(), AccountError> {
    if !store::delete(tx, account_id).await? {
        return Err(AccountError::SecondFactorMissing);
    }
    pending::delete_all(tx, account_id).await?;
    sessions::store::delete_all(tx, account_id).await?;
    api_keys::end_all(tx, by, account_id).await?;
    Ok(tell(tx, account_id, ProtectionChange::Removed).await?)
}

async fn write_codes(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Vec<RecoveryCode>, sqlx::Error> {
    let codes: Vec<RecoveryCode> =
        std::iter::repeat_with(RecoveryCode::generate).take(RECOVERY_CODES).collect();
    let hashes: Vec<TokenHash> = codes.iter().map(|code| code.hash(account_id)).collect();
    store::insert_codes(tx, account_id, &hashes).await?;
    Ok(codes)
}

/// Writes the mail about a change.
async fn tell(
    tx: &mut Connection,
    account_id: AccountId,
    change: ProtectionChange,
) -> Result<(), sqlx::Error> {
    let event = format!("second-factor:{}", new_id());
    let message = Message::SignInProtectionChanged { change };
    let mail = AccountMail { account_id, message, order_key: event.clone(), dedupe_key: event };
    outbox::write_to_accounts(tx, &[mail]).await
}
