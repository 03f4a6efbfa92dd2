//! Webhooks and the keys of programs.

use super::{AdminError, KitError, WebhookError};
use crate::{
    accounts::api_keys::model::ApiKeyId,
    admin::{
        api_keys::pages::{self as api_keys, ApiKeysDocument, NewKeyDocument},
        webhooks::pages::{
            self as webhooks,
            documents::{
                ReplayDocument, ReplaysDocument, SecretDocument, WebhookDocument, WebhooksDocument,
            },
        },
    },
    payment::checkout::pages::webhook::{self, ReceivedDocument},
    web::{
        error::codes,
        page::Identified,
        path::{
            Path, at,
            operation::{changes, creates, gives, shows},
        },
    },
    webhooks::model::EndpointId,
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/admin/webhooks")
            .get(webhooks::list_webhooks, shows::<WebhooksDocument<'_>>("Lists the endpoints of webhooks."))
            .post(webhooks::create_webhook, creates::<SecretDocument>("Adds an endpoint, whose secret is shown once.").or_page(201).refuses(codes![WebhookError::TooMany])),
        at("/admin/webhooks/{id}")
            .get(webhooks::show_webhook, shows::<WebhookDocument<'_>>("Shows an endpoint with its deliveries."))
            .post(webhooks::update_webhook, changes::<Identified<EndpointId>>("Changes the address, the description and the kinds of an endpoint.")),
        at("/admin/webhooks/{id}/secret")
            .post(webhooks::create_secret, creates::<SecretDocument>("Makes another secret for an endpoint, which is shown once.").or_page(201)),
        at("/admin/webhooks/{id}/pause")
            .post(webhooks::create_pause, changes::<Identified<EndpointId>>("Pauses the deliveries.").refuses(codes![WebhookError::Unchanged])),
        at("/admin/webhooks/{id}/resumption")
            .post(webhooks::create_resumption, changes::<Identified<EndpointId>>("Resumes the deliveries.").refuses(codes![WebhookError::Unchanged])),
        at("/admin/webhooks/{id}/deletion")
            .post(webhooks::create_deletion, changes::<Identified<EndpointId>>("Deletes an endpoint.")),
        at("/admin/webhooks/{id}/replays")
            .post(webhooks::create_replays, changes::<ReplaysDocument>("Delivers the failed events of the last hours again.")),
        at("/admin/webhooks/{id}/deliveries/{event_id}/replay")
            .post(webhooks::create_replay, changes::<ReplayDocument>("Delivers an event again.").refuses(codes![WebhookError::NotEnded])),
        at("/admin/api-keys")
            .get(api_keys::list_keys, shows::<ApiKeysDocument<'_>>("Lists the API keys."))
            .post(api_keys::create_key, creates::<NewKeyDocument>("Makes a key, which is shown once.").or_page(201).refuses(codes![AdminError::TooManyKeys])),
        at("/admin/api-keys/{id}/revocation")
            .post(api_keys::create_revocation, changes::<Identified<ApiKeyId>>("Revokes a key.")),
        at("/webhooks/stripe")
            .post(webhook::create_event, gives::<ReceivedDocument>("Takes an event of the payment provider, by its signature.").refuses(codes![KitError::NotFound])),
    ]
}
