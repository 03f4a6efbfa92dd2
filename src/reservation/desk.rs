//! What one instance remembers of seats and places while it runs.

use crate::{
    app::App,
    infra::locks::{FairLocks, FairTerms},
};

/// The running state of this feature; clones share it.
#[derive(Clone, Debug)]
pub struct Desk {
    /// One fair lock a zone.
    pub(super) zones: FairLocks,
}

impl Desk {
    /// The desk of one instance.
    pub fn new(app: &App) -> Self {
        Self { zones: FairLocks::new(&app.redis, FairTerms::default()) }
    }
}
