//! Who of this instance waits for a wake-up, and the listener that hears them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

/// The waiters of one instance, by what the message that wakes them says.
#[derive(Clone, Debug, Default)]
pub(super) struct Wakes(Arc<Mutex<HashMap<String, Arc<Notify>>>>);

impl Wakes {
    /// Wakes whoever waits for `message` here.
    pub(super) fn ring(&self, message: &str) {
        if let Some(notify) = self.lock().get(message) {
            notify.notify_one();
        }
    }

    /// Waits for `message` from now on: one that comes between two looks is kept.
    pub(super) fn expect(&self, message: String) -> Expected {
        let notify = Arc::clone(self.lock().entry(message.clone()).or_default());
        Expected { wakes: self.clone(), message, notify }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A waiter; dropping it ends the waiting.
#[derive(Debug)]
pub(super) struct Expected {
    wakes: Wakes,
    message: String,
    notify: Arc<Notify>,
}

impl Expected {
    pub(super) async fn rung(&self) {
        self.notify.notified().await;
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        // The map's own, and this one: nobody else waits for the same.
        const LAST_TWO: usize = 2;
        let mut waiting = self.wakes.lock();
        if Arc::strong_count(&self.notify) <= LAST_TWO {
            waiting.remove(&self.message);
        }
    }
}
