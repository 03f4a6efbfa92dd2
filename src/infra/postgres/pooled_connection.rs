//! Use of a pooled connection by one caller.

use deadpool::managed::Object;
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit};

use super::{Connection, abandoned, manager::Manager};

/// Connection of the pool in use by one caller.
///
/// A future can be dropped at every `await`, and then it is unknown what the server received: a
/// `begin` that was sent and not waited for leaves a transaction open, and the writes of the next
/// caller would vanish in it, though each was acknowledged. So a connection is reused as it is only
/// after [`finish`](Self::finish). In every other case it is reset first, or closed.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    slot: Slot,
    /// Permit of a caller that may write, held for as long as the server may be writing.
    permit: Option<OwnedSemaphorePermit>,
    /// Whether a transaction is known to be open.
    is_open: bool,
    /// Whether the server may be committing.
    may_commit: bool,
}

impl PooledConnection {
    pub(crate) fn new(connection: Object<Manager>, permit: Option<OwnedSemaphorePermit>) -> Self {
        let slot = Slot(Some(connection));
        Self { slot, permit, is_open: false, may_commit: false }
    }

    /// Records that the server has opened a transaction.
    pub(crate) fn opened(&mut self) {
        self.is_open = true;
    }

    /// Records that the next statement commits.
    pub(crate) fn commits(&mut self) {
        self.may_commit = true;
    }

    /// Returns the connection to the pool: the server has answered everything, and no transaction
    /// is open.
    pub(crate) fn finish(mut self) {
        self.connection_mut().rest();
        self.slot.give_back();
    }

    #[expect(clippy::expect_used, reason = "it goes in `finish` and `drop`, which end this")]
    pub(crate) fn connection(&self) -> &Connection {
        self.slot.0.as_ref().expect("a borrowing has its connection")
    }

    #[expect(clippy::expect_used, reason = "it goes in `finish` and `drop`, which end this")]
    pub(crate) fn connection_mut(&mut self) -> &mut Connection {
        self.slot.0.as_mut().expect("a borrowing has its connection")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(connection) = self.slot.0.take() else { return };
        let mut slot = Slot(Some(connection));
        let (permit, is_open, may_commit) = (self.permit.take(), self.is_open, self.may_commit);
        // Without a runtime the connection cannot be reset, so it is closed.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            let Some(connection) = &mut slot.0 else { return };
            if connection.reset(is_open).await {
                connection.rest();
                slot.give_back();
                return;
            }
            let late = (Object::pool(connection), connection.backend_pid());
            // Only a commit keeps its place in the pool: any other statement ends by itself.
            let may_be_there = !may_commit || abandoned::keep_until_ended(connection).await;
            drop((slot, permit));
            if may_be_there && let (Some(pool), backend_pid) = late {
                abandoned::end_late(pool, backend_pid).await;
            }
        });
    }
}

/// Place in the pool. [`give_back`](Self::give_back) returns the connection to it; dropping it
/// closes the connection.
#[derive(Debug)]
struct Slot(Option<Object<Manager>>);

impl Slot {
    fn give_back(&mut self) {
        drop(self.0.take());
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}
