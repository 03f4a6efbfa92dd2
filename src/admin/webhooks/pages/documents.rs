//! JSON documents of the pages of webhooks.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    events::EventId,
    webhooks::model::{EndpointId, ListedDelivery, ListedEndpoint},
};

/// All endpoints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksDocument<'a> {
    pub(super) webhooks: &'a [ListedEndpoint],
}

/// Endpoint with its secret.
#[derive(Serialize, JsonSchema)]
pub struct SecretDocument {
    pub(super) id: EndpointId,
    /// The secret, which is shown once.
    pub(super) secret: String,
}

impl fmt::Debug for SecretDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretDocument").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Endpoint with its deliveries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookDocument<'a> {
    pub(super) webhook: &'a ListedEndpoint,
    pub(super) deliveries: &'a [ListedDelivery],
    pub(super) next: Option<Uuid>,
}

/// Event that is delivered again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayDocument {
    pub(super) event_id: EventId,
}

/// Number of events that are delivered again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplaysDocument {
    pub(super) replayed: u64,
}
