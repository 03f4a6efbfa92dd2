//! API keys: programs that act for administrators.
//!
//! A **key** is a random text that a program sends as `Authorization: Bearer`; its **scopes** say what it
//! may do. An **actor** is an administrator, or a key that one made.
//!
//! # Invariants
//!
//! * A key is shown once. Only its SHA-256 is kept.
//! * A key that was revoked or has ended does nothing, and neither does one whose maker may not manage any
//!   more. Each request reads that anew.
//! * A key opens only the paths whose handlers ask for one of its scopes.
//! * What a key does is in the audit log under its maker, with the key.
//!
//! # Concurrency
//!
//! Requests that find a key unused for a minute race for noting it; all of them go on. A request that
//! read its key before it was revoked is carried out.

pub(crate) mod error;
pub(crate) mod model;
pub(crate) mod pages;
pub(crate) mod store;

use self::{
    error::ApiKeyError,
    model::{Actor, ApiScope, KeyToken},
};
use crate::app::App;

/// Keys that may do something, at most.
pub(crate) const KEYS_MAX: i64 = 100;

/// Returns who acts with a key; fails unless it has `scope`.
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
