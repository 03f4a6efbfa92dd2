//! Endpoints of webhooks as administrators register, edit, pause and delete them, and replays of deliveries.
//!
//! # Invariants
//!
//! * Every change is named in the audit log, in the same transaction; no secret is.
//! * A secret is shown once, by the answer to the request that made it.
//!
//! # Concurrency
//!
//! Two administrators who change one endpoint race for its row; the second is refused with
//! [`WebhookError::Unchanged`] where nothing is left to change. The last edit wins, and the log has both; the last
//! rotation wins: both secrets were
//! shown, and the one before signs for a day.

pub mod pages;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    events::EventId,
    infra::ids::new_id,
    webhooks::{
        self, ENDPOINTS_MAX, HookSecret, OLD_SECRET_HOURS,
        error::WebhookError,
        model::{EndpointDetails, EndpointId, ListedEndpoint},
        store::{endpoints, replays},
    },
};

/// Deliveries that one replay of given-up deliveries makes due; a second press goes on.
const REPLAYED_MAX: i64 = 10_000;

/// Returns an endpoint that is not deleted.
async fn find(app: &App, id: EndpointId) -> Result<ListedEndpoint, AdminError> {
    endpoints::list(&app.db, Some(id), 1).await?.pop().ok_or(AdminError::NotFound)
}

/// Registers an endpoint, and returns its id with its secret.
pub async fn register(
    app: &App,
    by: AccountId,
    new: &EndpointDetails,
) -> Result<(EndpointId, HookSecret), AdminError> {
    let (id, secret) = (EndpointId(new_id()), HookSecret::generate());
    let sealed = secret.seal(app, id).ok_or(WebhookError::Sealing)?;
    audit::perform(app, async |tx| {
        if !endpoints::insert(tx, id, new, &sealed, ENDPOINTS_MAX).await? {
            return Err(AdminError::Webhook(WebhookError::TooMany));
        }
        let entry = AuditEntry::new(by, Act::WebhookRegistered, Subject::Webhook, id);
        Ok(((), entry.after(new)))
    })
    .await?;
    Ok((id, secret))
}

/// Changes the address, description and kinds of an endpoint, which keeps its secret. Deliveries that wait go to the
/// new address; kinds that are new are told from the next event on.
pub async fn edit(
    app: &App,
    by: AccountId,
    id: EndpointId,
    new: &EndpointDetails,
) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        let before = endpoints::lock(tx, id).await?.ok_or(AdminError::NotFound)?;
        endpoints::update(tx, id, new).await?;
        let entry = AuditEntry::new(by, Act::WebhookEdited, Subject::Webhook, id);
        Ok(((), entry.before(&before).after(new)))
    })
    .await
}

/// Replaces the secret of an endpoint and returns the new one; the one before signs too for
/// [`OLD_SECRET_HOURS`].
pub async fn rotate(app: &App, by: AccountId, id: EndpointId) -> Result<HookSecret, AdminError> {
    find(app, id).await?;
    let secret = HookSecret::generate();
    let sealed = secret.seal(app, id).ok_or(WebhookError::Sealing)?;
    audit::perform(app, async |tx| {
        match endpoints::write_secret(tx, id, &sealed, OLD_SECRET_HOURS).await? {
            true => Ok(((), AuditEntry::new(by, Act::WebhookRotated, Subject::Webhook, id))),
            false => Err(AdminError::NotFound),
        }
    })
    .await?;
    Ok(secret)
}

/// Pauses an endpoint, or lets it go on.
pub async fn pause(
    app: &App,
    by: AccountId,
    id: EndpointId,
    is_paused: bool,
) -> Result<(), AdminError> {
    find(app, id).await?;
    let act = if is_paused { Act::WebhookPaused } else { Act::WebhookResumed };
    audit::perform(app, async |tx| match endpoints::write_paused(tx, id, is_paused).await? {
        true => Ok(((), AuditEntry::new(by, act, Subject::Webhook, id))),
        false => Err(AdminError::Webhook(WebhookError::Unchanged(id))),
    })
    .await
}

/// Deletes an endpoint: deliveries that wait for it are not made any more.
pub async fn delete(app: &App, by: AccountId, id: EndpointId) -> Result<(), AdminError> {
    let before = find(app, id).await?;
    audit::perform(app, async |tx| {
        if !endpoints::write_deleted(tx, id).await? {
            return Err(AdminError::NotFound);
        }
        let entry = AuditEntry::new(by, Act::WebhookDeleted, Subject::Webhook, id);
        Ok(((), entry.before(&before)))
    })
    .await
}

/// Makes the delivery of one event due again, whether it was made or given up.
pub async fn replay(
    app: &App,
    by: AccountId,
    id: EndpointId,
    event_id: EventId,
) -> Result<(), AdminError> {
    find(app, id).await?;
    audit::perform(app, async |tx| {
        if !webhooks::replay(tx, id, event_id).await? {
            return Err(AdminError::Webhook(WebhookError::NotEnded(id)));
        }
        let entry = AuditEntry::new(by, Act::WebhookReplayed, Subject::Webhook, id);
        Ok(((), entry.after(&json!({ "event": event_id }))))
    })
    .await
}

/// Makes the deliveries due again that were given up at `since` or later, at most [`REPLAYED_MAX`];
/// returns how many.
pub(crate) async fn replay_failed(
    app: &App,
    by: AccountId,
    id: EndpointId,
    since: DateTime<Utc>,
) -> Result<u64, AdminError> {
    find(app, id).await?;
    audit::perform(app, async |tx| {
        let count = replays::write_failed_due(tx, id, since, REPLAYED_MAX).await?;
        let entry = AuditEntry::new(by, Act::WebhookReplayed, Subject::Webhook, id);
        Ok((count, entry.after(&json!({ "since": since, "events": count }))))
    })
    .await
}
