//! Refusals of changes of endpoints and of replays.

use super::{ENDPOINTS_MAX, model::EndpointId};
use crate::web::error::{HttpError, Internal, Problem};

/// Refusal of an administrator's change. The texts are for logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WebhookError {
    /// There are as many endpoints as may be.
    #[error("there are {ENDPOINTS_MAX} endpoints already")]
    TooMany,
    /// The endpoint is paused already, or was not.
    #[error("endpoint {0} is so already")]
    Unchanged(EndpointId),
    /// The delivery still waits, or its event was deleted.
    #[error("a delivery to endpoint {0} has not ended")]
    NotEnded(EndpointId),
    /// The secret could not be sealed.
    #[error("the secret could not be sealed")]
    Sealing,
}

impl HttpError for WebhookError {
    fn problem(&self) -> Problem {
        match self {
            Self::TooMany => Problem::new(409, "too-many-webhooks").number("count", ENDPOINTS_MAX),
            Self::Unchanged(id) => {
                Problem::new(409, "webhook-unchanged").recovery(format!("/admin/webhooks/{id}"))
            }
            Self::NotEnded(id) => {
                Problem::new(409, "delivery-not-ended").recovery(format!("/admin/webhooks/{id}"))
            }
            Self::Sealing => Internal.problem(),
        }
    }
}
