//! Calls to Redis that go on when the caller is gone.

use std::sync::{Mutex, PoisonError};

use tokio::{runtime::Handle, sync::oneshot, task::JoinHandle};

/// Calls that one attempt leaves behind: each in a task of its own, which a dropped caller cannot
/// stop, and each after the one before has ended.
#[derive(Debug, Default)]
pub(crate) struct CallsBehind {
    /// Ends with the last call.
    last: Mutex<Option<oneshot::Receiver<()>>>,
}

impl CallsBehind {
    /// Makes `call` after the calls before it. `None` outside a runtime, where no call is made.
    pub(crate) fn send(
        &self,
        call: impl Future<Output = ()> + Send + 'static,
    ) -> Option<JoinHandle<()>> {
        let runtime = Handle::try_current().ok()?;
        let (ended, last) = oneshot::channel::<()>();
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(last);
        Some(runtime.spawn(async move {
            if let Some(before) = before {
                // It ends with its sender: nothing is sent.
                let _ = before.await;
            }
            call.await;
            drop(ended);
        }))
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::CallsBehind;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_call_waits_for_the_one_before() {
        let calls = CallsBehind::default();
        let (end, ends) = oneshot::channel();
        let (ended, first_ended) = std::sync::mpsc::channel();
        calls.send(async move {
            ends.await.unwrap();
            ended.send(()).unwrap();
        });
        let second = calls.send(async move { first_ended.try_recv().unwrap() }).unwrap();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!second.is_finished());
        end.send(()).unwrap();
        second.await.unwrap();
    }
}
