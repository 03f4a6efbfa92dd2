//! Links that are mailed to the owner of an account.
//!
//! A **link** has a token of 256 random bits and a **purpose**: to choose a new password, or to
//! confirm an address. A link works once and for a limited time; reading its page does not use it,
//! because programs that check mails read it too.
//!
//! # Invariants
//!
//! * No token is stored, only its SHA-256; the outbox keeps it until the mail is sent.
//! * An account gets at most [`LINKS_PER_HOUR_MAX`] links of one purpose in an hour, at however
//!   many instances they are asked for.
//! * A locked or deleted account gets no link, and none of its links works.
//! * A change of the password or of the address ends the account's other links.
//!
//! # Concurrency
//!
//! Requests for links and uses of links race for the account's row. Of two uses of one link the
//! second finds it used ([`AccountError::link_dead`]).

pub(crate) mod model;
pub(super) mod store;

pub use self::model::LinkPurpose;
use self::model::NewLink;
pub(crate) use self::model::{LinkOwner, LinkToken};
use super::{
    error::AccountError,
    model::{AccountId, SessionToken},
};
use crate::{
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
        throwaway,
    },
    outbox::{self, MailSecret, NewMail},
    text::{email::Email, i18n::Locale},
};

/// Links of one purpose that one account gets in an hour.
pub(crate) const LINKS_PER_HOUR_MAX: i64 = 3;
/// Links deleted in one statement.
const PURGED_ROWS_MAX: i64 = 1_000;

/// Mails a link to `address`, in the caller's transaction; `false` if the account is locked, had its
/// links for this hour, or belongs to a rehearsal. The mail is in the language that the account chose
/// for its mails, or else in `locale`. The link leads on to the page `next_path`, if that is some.
pub(crate) async fn mail_link(
    tx: &mut Connection,
    account_id: AccountId,
    purpose: LinkPurpose,
    address: &Email,
    locale: Locale,
    next_path: Option<&str>,
) -> Result<bool, sqlx::Error> {
    if throwaway::is_marked(account_id.0) {
        return Ok(false);
    }
    let Some(account) = store::lock_open_account(tx, account_id).await? else { return Ok(false) };
    if store::count_recent(tx, account_id, purpose).await? >= LINKS_PER_HOUR_MAX {
        return Ok(false);
    }
    let (token, message) = (SessionToken::generate(), purpose.message());
    let ttl_secs = message.ttl().as_secs_f64();
    let link = NewLink { token_hash: token.hash(), account_id, purpose, address, next_path };
    store::insert(tx, &link, ttl_secs).await?;
    let event = format!("link:{}", new_id());
    let mail = NewMail {
        message,
        secret: Some(MailSecret::new(token.encode())),
        recipient: address.clone(),
        locale: account.mail_locale.unwrap_or(locale),
        // It waits for no other mail: one to an address that takes none would outlast the link.
        order_key: event.clone(),
        dedupe_key: event,
    };
    outbox::write(tx, &mail).await?;
    Ok(true)
}

/// Returns the owner of a link that works, without using it.
pub(crate) async fn find_owner(
    db: &Pool,
    token: &LinkToken,
    purpose: LinkPurpose,
) -> Result<LinkOwner, AccountError> {
    let found = store::find(db, &token.hash(), purpose).await?;
    found.ok_or(AccountError::link_dead(purpose))
}

/// Uses a link in the caller's transaction and ends the other links of its account, whose row it
/// leaves locked.
pub(crate) async fn use_link(
    tx: &mut Connection,
    token: &LinkToken,
    purpose: LinkPurpose,
) -> Result<LinkOwner, AccountError> {
    let dead = || AccountError::link_dead(purpose);
    let found = store::find(&mut *tx, &token.hash(), purpose).await?.ok_or_else(dead)?;
    if store::lock_open_account(tx, found.account_id).await?.is_none() {
        return Err(dead());
    }
    // The link is compared again, and with the clock, after the wait for the row.
    if !store::write_used(tx, &token.hash()).await? {
        return Err(dead());
    }
    end_links(tx, found.account_id).await?;
    Ok(found)
}

/// Ends all links of an account whose row is locked.
pub(crate) async fn end_links(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    store::write_all_used(tx, account_id).await
}

/// Deletes a bounded number of links that ended a day ago or earlier; called periodically.
pub async fn purge(db: &Pool) -> Result<(), sqlx::Error> {
    store::delete_old(db, PURGED_ROWS_MAX).await
}
