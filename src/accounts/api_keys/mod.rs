//! API keys: programs that act for administrators.
//!
//! A **key** is a random text that a program sends as `Authorization: Bearer`; its **scopes** are its
//! rights. An **actor** is an administrator, or a key that one made.
//!
//! # Invariants
//!
//! * A key is shown once. Only its SHA-256 is kept.
//! * A key that was revoked or has ended is refused, and so is one whose maker may not manage any more, or
//!   needs a second factor and has none. Each request reads that anew.
//! * Keys end for good with the protection of their maker's account: with a new password, unless its owner
//!   keeps them, with the second factor, and when the account is locked or gets another role. So a thief
//!   of an account loses the keys made in it with the account.
//! * A key opens only the paths whose handlers ask for one of its scopes.
//! * What a key does is in the audit log under its maker, with the key.
//!
//! # Concurrency
//!
//! Requests that find a key unused for a minute race for noting it; all of them go on. A request that
//! read its key before it was revoked is carried out. A transaction that ends the keys of an account has
//! its row locked, which a new key refers to: no key is made meanwhile and missed.

pub mod error;
pub mod model;
pub mod pages;
pub mod store;

use self::{
    error::ApiKeyError,
    model::{Actor, ApiKeyId, ApiScope, AuditWord, KeyToken},
};
use crate::{
    accounts::model::AccountId,
    app::App,
    infra::{ids::new_id, postgres::Connection, security_log::ActEvent},
    outbox::{self, AccountMail, Message},
};

/// Upper bound of usable keys.
pub const KEYS_MAX: i64 = 100;

/// Returns the actor of a key; fails unless it has `scope`.
pub(crate) async fn authorize(
    app: &App,
    token: &str,
    scope: ApiScope,
) -> Result<Actor, ApiKeyError> {
    let token = KeyToken::parse(token).ok_or(ApiKeyError::Unknown)?;
    let key = store::find(&app.db, &token.hash()).await?.ok_or(ApiKeyError::Unknown)?;
    if key.is_revoked || !key.is_maker_admin {
        return Err(ApiKeyError::Revoked);
    }
    if !(key.has_factor || key.is_demo && app.config.is_for_this_machine()) {
        return Err(ApiKeyError::Unprotected);
    }
    if key.is_over {
        return Err(ApiKeyError::Expired);
    }
    if !key.scopes.iter().any(|each| each == scope.name()) {
        return Err(ApiKeyError::LacksScope(scope));
    }
    if key.is_use_old {
        store::write_used(&app.db, key.id).await?;
    }
    Ok(Actor { account_id: key.made_by, api_key_id: Some(key.id) })
}

/// Ends all keys that an account made, whose row is locked, by an act of `by`: records each in the audit
/// log, writes the mail to their maker, and returns them.
pub(crate) async fn end_all(
    tx: &mut Connection,
    by: AccountId,
    made_by: AccountId,
) -> Result<Vec<ApiKeyId>, sqlx::Error> {
    let ended = store::write_all_revoked(tx, made_by).await?;
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    store::insert_ends(tx, by, AuditWord::ApiKeyEnded.as_ref(), &ended).await?;
    let event = format!("api-keys:{}", new_id());
    let message = Message::ApiKeysEnded { keys: ended.len() };
    let mail =
        AccountMail { account_id: made_by, message, order_key: event.clone(), dedupe_key: event };
    outbox::write_to_accounts(tx, &[mail]).await?;
    Ok(ended.into_iter().map(|(id, _)| id).collect())
}

/// Records in the security log that `by` ended keys, after the commit.
pub(crate) fn record_ended(app: &App, by: AccountId, ended: &[ApiKeyId]) {
    for id in ended {
        app.security_log.record_act(&ActEvent {
            by: by.0,
            act: AuditWord::ApiKeyEnded.as_ref(),
            subject: AuditWord::ApiKey.as_ref(),
            subject_id: &id.to_string(),
        });
    }
}
