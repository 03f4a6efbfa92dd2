//! What one instance remembers of seats and places while it runs.

use super::live::Maps;
use crate::{
    app::App,
    infra::locks::{FairLocks, FairTerms},
};

/// The running state of this feature; clones share it.
#[derive(Clone, Debug)]
pub struct Desk {
    /// One fair lock a zone.
    pub(super) zones: FairLocks,
    /// The maps that are watched here.
    pub(super) maps: Maps,
}

impl Desk {
    /// The desk of one instance.
    pub fn new(app: &App) -> Self {
        Self { zones: FairLocks::new(&app.redis, FairTerms::default()), maps: Maps::new(app) }
    }

    /// Ends every open stream: a stopping instance waits for none.
    pub fn close(&self) {
        self.maps.close();
    }
}
