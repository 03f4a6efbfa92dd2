//! API keys as administrators make and revoke them.
//!
//! # Invariants
//!
//! * A key is shown once, by the answer to the request that made it.
//! * Who made or revoked a key is in the audit log, in the same transaction; the key is not.

pub mod pages;

use serde_json::json;

use super::error::AdminError;
use crate::{
    accounts::{
        AccountId,
        api_keys::{
            KEYS_MAX,
            model::{ApiKeyId, KeyToken, NewKey},
            store,
        },
    },
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    infra::ids::new_id,
};

/// Makes a key, and returns its id with the key.
pub async fn make(
    app: &App,
    by: AccountId,
    new: &NewKey,
) -> Result<(ApiKeyId, KeyToken), AdminError> {
    let (id, token) = (ApiKeyId(new_id()), KeyToken::generate());
    audit::perform(app, async |tx| {
        if !store::insert(tx, id, by, new, &token.hash(), KEYS_MAX).await? {
            return Err(AdminError::TooManyKeys);
        }
        let scopes: Vec<&str> = new.scopes.iter().map(|scope| scope.name()).collect();
        let after = json!({ "name": new.name, "scopes": scopes, "days": new.days });
        let entry = AuditEntry::new(by, Act::ApiKeyMade, Subject::ApiKey, id);
        Ok(((), entry.after(&after)))
    })
    .await?;
    Ok((id, token))
}

/// Revokes a key for good.
pub async fn revoke(app: &App, by: AccountId, id: ApiKeyId) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        let name = store::write_revoked(tx, id).await?.ok_or(AdminError::NotFound)?;
        let entry = AuditEntry::new(by, Act::ApiKeyRevoked, Subject::ApiKey, id);
        Ok(((), entry.before(&json!({ "name": name }))))
    })
    .await
}
