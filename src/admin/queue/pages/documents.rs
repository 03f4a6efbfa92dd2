//! JSON documents of the pages of a queue.

use schemars::JsonSchema;
use serde::Serialize;

use super::purge_view::PurgeView;
use crate::{
    admin::queue::{
        Prediction,
        store::{Minute, QueueFigures},
    },
    catalog::Program,
    entry_queue::{Effect, QueueNumber},
};

/// Queue of a show, as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueueDocument<'a> {
    pub(super) program: &'a Program,
    pub(super) figures: &'a QueueFigures,
    /// Prediction for the present limits.
    pub(super) prediction: Option<&'a Prediction>,
    pub(super) guard_effects: &'a [Effect],
    /// Prediction for the limits in the query string.
    pub(super) with_these: Option<&'a Prediction>,
    /// The last hour, oldest first.
    pub(super) minutes: &'a [Minute],
    pub(super) purge: Option<&'a PurgeView>,
}

/// Number of the account that was let in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdmissionDocument {
    pub(super) queue_number: QueueNumber,
}
