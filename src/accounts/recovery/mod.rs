//! Forgotten passwords: a link by mail, and a new password.
//!
//! # Invariants
//!
//! * The answer to a request for a link does not reveal whether the address has an account: neither
//!   by its words nor by its time.
//! * A new password ends every session and API key of the account and opens none.
//! * The owner gets a mail about every new password.
//!
//! # Concurrency
//!
//! Two resets with one link race for the account's row (`links`); the loser gets
//! [`AccountError::ResetLinkDead`]. A request that was checked with the old password before the reset,
//! and waits for the account's row, is refused as a wrong password: it compares the hash after the
//! wait.

pub mod pages;

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::{
    api_keys,
    error::AccountError,
    links::{self, LinkPurpose, LinkToken},
    model::{AccountId, Password},
    name::Name,
    password::PasswordGate,
    sessions, store,
};
use crate::{
    app::App,
    infra::{ids::new_id, network::Network, postgres::Connection},
    outbox::{self, AccountMail, Message},
    text::email::Email,
};

/// Requests for a link are answered after a multiple of this time, which the work fits into.
const ANSWER_STEP: Duration = Duration::from_millis(500);

/// Mails a link to the account with the address `email`, if there is one that may have it.
pub async fn ask(app: &App, email: &Email) -> Result<(), AccountError> {
    in_steps(mail_if_known(app, email)).await
}

/// Does `work`, and returns its result after a multiple of [`ANSWER_STEP`]: the moment of the answer
/// reveals nothing about the work.
pub(crate) async fn in_steps<T>(work: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = work.await;
    let steps = begun.elapsed().as_millis() / ANSWER_STEP.as_millis() + 1;
    sleep_until(begun + ANSWER_STEP * u32::try_from(steps).unwrap_or(1)).await;
    done
}

async fn mail_if_known(app: &App, email: &Email) -> Result<(), AccountError> {
    let Some((account_id, locale)) = store::find_addressee(&app.db, email).await? else {
        return Ok(());
    };
    let mut tx = app.db.begin().await?;
    links::mail_link(&mut tx, account_id, LinkPurpose::Reset, email, locale, None).await?;
    Ok(tx.commit().await?)
}

/// Sets a new password with a link. The password was chosen for the link's owner.
pub async fn reset(
    app: &App,
    gate: &PasswordGate,
    network: Network,
    token: &LinkToken,
    password: Password,
) -> Result<(), AccountError> {
    let password_hash = gate.hash(network, password).await?;
    let mut tx = app.db.begin().await?;
    let owner = links::use_link(&mut tx, token, LinkPurpose::Reset).await?;
    store::write_password(&mut tx, owner.account_id, &password_hash).await?;
    sessions::store::delete_all(&mut tx, owner.account_id).await?;
    let keys = api_keys::end_all(&mut tx, owner.account_id, owner.account_id).await?;
    // The holder of the link has read a mail to this address.
    if owner.address == owner.email {
        store::write_confirmed(&mut tx, owner.account_id).await?;
    }
    tell_password(&mut tx, owner.account_id).await?;
    tx.commit().await?;
    api_keys::record_ended(app, owner.account_id, &keys);
    Ok(())
}

/// Writes the mail about a changed password.
pub(crate) async fn tell_password(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    let event = format!("password:{}", new_id());
    let message = Message::PasswordChanged;
    let mail = AccountMail { account_id, message, order_key: event.clone(), dedupe_key: event };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Returns the address and the name that a password must not be like.
pub fn identity(email: &str, name: &str) -> (Option<Email>, Option<Name>) {
    (Email::parse(email), Name::parse(name))
}
