//! Waiting attempts of this instance, and their wake-ups.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

/// Waiting attempts of one instance, by their marks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wakeups(Arc<Mutex<HashMap<String, Arc<Notify>>>>);

impl Wakeups {
    /// Wakes the attempt with this `mark`, if it is one of this instance.
    pub(crate) fn wake(&self, mark: &str) {
        if let Some(waiting) = self.lock().get(mark) {
            waiting.notify_one();
        }
    }

    /// Registers the attempt with this `mark` to be woken until the result is dropped.
    pub(crate) fn register(&self, mark: &str) -> Wakeup {
        let notify = Arc::new(Notify::new());
        self.lock().insert(mark.to_owned(), notify.clone());
        Wakeup { wakeups: self.clone(), mark: mark.to_owned(), notify }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registered attempt; dropping it ends the registration.
#[derive(Debug)]
pub(crate) struct Wakeup {
    wakeups: Wakeups,
    mark: String,
    notify: Arc<Notify>,
}

impl Wakeup {
    /// Waits for the next wake-up; one that came since the last wait counts. A wake-up may be as
    /// old as the last pause of this process, so the attempt must ask Redis again.
    pub(crate) async fn heard(&self) {
        self.notify.notified().await;
    }
}

impl Drop for Wakeup {
    fn drop(&mut self) {
        self.wakeups.lock().remove(&self.mark);
    }
}
