//! Refusals of changes of endpoints and of replays.

use super::{ENDPOINTS_MAX, model::EndpointId};
use crate::web::error::{KitError, problems};

problems! {
    /// Refusal of an administrator's change.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum WebhookError {
        TooMany = 409 "too-many-webhooks".number("count", ENDPOINTS_MAX),
        /// The endpoint is paused already, or was not paused.
        Unchanged(id: EndpointId) = 409 "webhook-unchanged"
            .recovery(format!("/admin/webhooks/{id}")),
        /// The delivery still waits, or its event was deleted.
        NotEnded(id: EndpointId) = 409 "delivery-not-ended"
            .recovery(format!("/admin/webhooks/{id}")),
        Sealing => KitError::Internal,
    }
}
