//! Endpoints and deliveries, as they are stored, claimed and listed.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{events::EventId, infra::ids::ids, text::times::rfc3339};

ids! {
    /// Id of an endpoint.
    pub EndpointId(Uuid),
}

/// Endpoint that deliveries are made to, with its sealed secrets: the current one, and the one before a
/// rotation while it signs too.
#[derive(Clone, Debug)]
pub(crate) struct ActiveEndpoint {
    pub id: EndpointId,
    pub url: String,
    pub sealed_secret: Option<Vec<u8>>,
    pub sealed_old_secret: Option<Vec<u8>>,
}

/// What administrators type of an endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointDetails {
    /// Address that events are sent to.
    pub url: String,
    pub description: String,
    /// Names of the kinds of events that it asks for, in their order.
    pub kinds: Vec<String>,
}

/// Endpoint as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedEndpoint {
    pub id: EndpointId,
    pub url: String,
    pub description: String,
    pub kinds: Vec<String>,
    pub paused_at: Option<DateTime<Utc>>,
    pub old_secret_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// Deliveries that wait, and deliveries that were given up, each up to [`COUNTED_MAX`].
    pub waiting: i64,
    pub failed: i64,
}

/// Deliveries counted of one state.
pub const COUNTED_MAX: i64 = 1_000;

/// State of a delivery.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum HookState {
    /// Still to be made.
    Waiting,
    /// Answered with 2xx.
    Delivered,
    /// Given up.
    Failed,
}

/// Delivery as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedDelivery {
    pub event_id: EventId,
    pub kind: String,
    pub subject_id: Uuid,
    pub state: HookState,
    pub attempts: i32,
    pub last_status: Option<i32>,
    pub last_error: Option<String>,
    pub last_latency_ms: Option<i32>,
    pub occurred_at: DateTime<Utc>,
    pub next_attempt_at: DateTime<Utc>,
    /// When it was made or given up; `None` while it waits.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Claimed delivery, with its event.
#[derive(Clone, Debug)]
pub struct ClaimedEvent {
    pub id: EventId,
    /// Number of the claim.
    pub claim: i32,
    /// Attempts before.
    pub attempts: i32,
    pub subject_id: Uuid,
    pub position: i64,
    pub kind: String,
    pub payload: Value,
    pub occurred_at: DateTime<Utc>,
}

impl ClaimedEvent {
    /// Returns the body of the request: the same for each attempt.
    pub(crate) fn body(&self) -> String {
        let document = json!({
            "id": self.id, "type": self.kind, "timestamp": rfc3339(self.occurred_at),
            "subject_id": self.subject_id, "sequence": self.position, "data": self.payload,
        });
        document.to_string()
    }
}
