//! Changes of an account by its owner: name, password and address.
//!
//! # Invariants
//!
//! * A new password or address needs the present password, under the limits on guessing it. The
//!   password that was checked is still the present one when the change is written.
//! * A new password ends every other session of the account, and its API keys unless the owner keeps
//!   them.
//! * A new address takes effect when it is confirmed; until then the old one keeps working. Both addresses get
//!   a mail.
//! * A confirmed address stays confirmed: it is only ever replaced by another confirmed one.
//! * Asking for an address does not reveal whether it has another account.
//!
//! # Concurrency
//!
//! Changes race for the account's row. Of two changes of the password that were checked against the
//! same one, the second is refused as [`AccountError::WrongPassword`]. Two accounts that confirm one address race for
//! `accounts_email_key`; the loser gets [`AccountError::EmailTaken`].

pub mod address_pages;
pub mod pages;
mod store;

use uuid::Uuid;

pub(crate) use self::store::AccountDetails;
use super::{
    api_keys,
    error::AccountError,
    links::{self, LinkOwner, LinkPurpose, LinkToken},
    log_in::password_check::{CheckedPassword, PasswordCheck},
    model::{AccountId, Credentials, Password},
    name::Name,
    recovery::tell_password,
    sessions,
};
use crate::{
    app::App,
    infra::{ids::new_id, network::Network, postgres::Connection, security_log::SecurityEvent},
    outbox::{self, AccountMail, Message, NewMail},
    text::{email::Email, i18n::Locale},
};

/// Returns the account as its owner sees it; `None` if it does not exist.
pub async fn find(app: &App, account_id: AccountId) -> Result<Option<AccountDetails>, sqlx::Error> {
    store::find(&app.db, account_id).await
}

/// Changes the account's name.
pub async fn rename(app: &App, account_id: AccountId, name: &Name) -> Result<(), AccountError> {
    match store::write_name(&app.db, account_id, name).await? {
        true => Ok(()),
        false => Err(AccountError::Deleted),
    }
}

/// Checks the present password of the account; a wrong one counts as a guess.
pub(crate) async fn check_password(
    check: &PasswordCheck<'_>,
    details: &AccountDetails,
    password: &str,
) -> Result<CheckedPassword, AccountError> {
    let credentials = Email::parse(&details.email).zip(Password::typed(password));
    let Some((email, password)) = credentials else { return Err(AccountError::WrongPassword) };
    let credentials = Credentials { email, password };
    match check.check(credentials, SecurityEvent::ConfirmationFailed).await {
        Err(AccountError::WrongCredentials) => Err(AccountError::WrongPassword),
        checked => checked,
    }
}

/// Locks the row of the account whose password was checked; refuses if it has another one by now.
async fn lock(tx: &mut Connection, checked: &CheckedPassword) -> Result<(), AccountError> {
    let (account_id, hash) = (checked.account_id, &checked.password_hash);
    match super::store::lock_with_password(tx, account_id, hash).await? {
        true => Ok(()),
        false => Err(AccountError::WrongPassword),
    }
}

/// Changes the password and ends all sessions but `kept`, and the account's API keys unless
/// `keeps_keys`; returns the hashes of the ended sessions.
pub(crate) async fn change_password(
    check: &PasswordCheck<'_>,
    checked: &CheckedPassword,
    kept: Uuid,
    password: Password,
    keeps_keys: bool,
) -> Result<Vec<Vec<u8>>, AccountError> {
    let account_id = checked.account_id;
    let password_hash = check.gate.hash(Network::of(check.client), password).await?;
    let mut tx = check.app.db.begin().await?;
    lock(&mut tx, checked).await?;
    super::store::write_password(&mut tx, account_id, &password_hash).await?;
    links::end_links(&mut tx, account_id).await?;
    let ended = sessions::store::delete_others(&mut *tx, account_id, kept).await?;
    let keys = match keeps_keys {
        true => Vec::new(),
        false => api_keys::end_all(&mut tx, account_id, account_id).await?,
    };
    tell_password(&mut tx, account_id).await?;
    tx.commit().await?;
    api_keys::record_ended(check.app, account_id, &keys);
    Ok(ended)
}

/// Mails a link to confirm the account's own address, which leads on to the page `next_path`.
pub(crate) async fn ask_to_confirm(
    app: &App,
    account_id: AccountId,
    address: &Email,
    locale: Locale,
    next_path: Option<&str>,
) -> Result<(), AccountError> {
    let (purpose, mut tx) = (LinkPurpose::Confirm, app.db.begin().await?);
    links::mail_link(&mut tx, account_id, purpose, address, locale, next_path).await?;
    Ok(tx.commit().await?)
}

/// Mails a link to confirm the address that the account shall have, and a notice to the present address. Does
/// nothing for an address of another account.
pub(crate) async fn ask_for_address(
    app: &App,
    checked: &CheckedPassword,
    address: &Email,
    locale: Locale,
) -> Result<(), AccountError> {
    let account_id = checked.account_id;
    let mut tx = app.db.begin().await?;
    lock(&mut tx, checked).await?;
    let owner = super::store::find_addressee(&mut *tx, address).await?;
    let is_own = owner.is_some_and(|(owner, _)| owner == account_id);
    let is_free = owner.is_none();
    if !is_own && !is_free {
        return Ok(tx.rollback().await?);
    }
    let purpose = LinkPurpose::Confirm;
    let is_mailed = links::mail_link(&mut tx, account_id, purpose, address, locale, None).await?;
    if is_mailed && is_free {
        let message = Message::AddressChangeAsked { to: address.to_string() };
        tell(&mut tx, account_id, message).await?;
    }
    Ok(tx.commit().await?)
}

/// Confirms the address that a link was sent to, which becomes the account's. Returns the page that
/// the link leads on to; `None` if it names none.
pub async fn confirm_address(app: &App, token: &LinkToken) -> Result<Option<String>, AccountError> {
    let mut tx = app.db.begin().await?;
    let owner = links::use_link(&mut tx, token, LinkPurpose::Confirm).await?;
    if owner.address == owner.email {
        super::store::write_confirmed(&mut tx, owner.account_id).await?;
    } else {
        change_address(&mut tx, &owner).await?;
    }
    tx.commit().await?;
    Ok(owner.next_path)
}

/// Gives the account the address that its link was sent to, and writes mails to both.
async fn change_address(tx: &mut Connection, owner: &LinkOwner) -> Result<(), AccountError> {
    let message = Message::AddressChanged { to: owner.address.clone() };
    // Written first: it goes to the address that the account still has.
    tell(tx, owner.account_id, message.clone()).await?;
    store::write_email(tx, owner.account_id, &owner.address).await?;
    let Some(recipient) = Email::parse(&owner.address) else { return Ok(()) };
    let event = format!("address:{}", new_id());
    let mail = NewMail {
        message,
        secret: None,
        recipient,
        locale: Locale::parse(&owner.locale).unwrap_or_default(),
        order_key: event.clone(),
        dedupe_key: event,
    };
    Ok(outbox::write(tx, &mail).await?)
}

/// Writes a mail to the account's present address.
async fn tell(
    tx: &mut Connection,
    account_id: AccountId,
    message: Message,
) -> Result<(), sqlx::Error> {
    // Mails about an account wait for none of its others: the old address may take none any more.
    let event = format!("account:{}", new_id());
    let mail = AccountMail { account_id, message, order_key: event.clone(), dedupe_key: event };
    outbox::write_to_accounts(tx, &[mail]).await
}
