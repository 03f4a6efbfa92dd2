//! Who of this instance waits to be handed a lock, and the listener that hears of it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

/// The attempts of one instance that wait, by their marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Handovers(Arc<Mutex<HashMap<String, watch::Sender<u64>>>>);

impl Handovers {
    /// Tells whoever is meant by `message`: a mark, a space, a fencing number.
    pub(super) fn hear(&self, message: &str) {
        let Some((mark, fence)) = message.rsplit_once(' ') else { return };
        if let (Some(waiting), Ok(fence)) = (self.lock().get(mark), fence.parse()) {
            waiting.send_replace(fence);
        }
    }

    /// Waits for locks to be handed to `mark` from now on: what is said between two looks
    /// is kept.
    pub(super) fn expect(&self, mark: &str) -> Expected {
        let (told, fence) = watch::channel(0);
        self.lock().insert(mark.to_owned(), told);
        Expected { handovers: self.clone(), mark: mark.to_owned(), fence }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt that waits; dropping it ends the waiting.
#[derive(Debug)]
pub(super) struct Expected {
    handovers: Handovers,
    mark: String,
    fence: watch::Receiver<u64>,
}

impl Expected {
    /// The fencing number with which the lock is handed over, once it is.
    pub(super) async fn fence(&mut self) -> u64 {
        // The sender stays until this is dropped.
        let _ = self.fence.changed().await;
        *self.fence.borrow_and_update()
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        self.handovers.lock().remove(&self.mark);
    }
}
