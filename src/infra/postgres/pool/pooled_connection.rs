//! Use of a pooled connection by one caller.

use deadpool::managed::Object;
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit};

use super::{abandoned, manager::Manager, slot::PoolSlot};
use crate::infra::postgres::connection::Connection;

/// Connection of the pool in use by one caller.
///
/// A future can be dropped at every `await`, and then the caller does not know what the server
/// received: a `begin` that was sent and not waited for leaves a transaction open, and the writes
/// of the next caller would vanish in it, though each was acknowledged. So a connection is reused
/// as it is only after [`finish`](Self::finish). In every other case it is reset first, or closed.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    slot: PoolSlot,
    /// Permit of a caller that may write, held for as long as the server may be writing.
    permit: Option<OwnedSemaphorePermit>,
    /// Whether a `begin` was sent and the end of its transaction is not known.
    is_open: bool,
    /// Whether the server may be committing.
    may_commit: bool,
}

impl PooledConnection {
    pub(crate) fn new(connection: Object<Manager>, permit: Option<OwnedSemaphorePermit>) -> Self {
        let slot = PoolSlot::new(connection);
        Self { slot, permit, is_open: false, may_commit: false }
    }

    /// Records that the next message opens a transaction.
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
        self.slot.give_back();
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.slot.connection()
    }

    pub(crate) fn connection_mut(&mut self) -> &mut Connection {
        self.slot.connection_mut()
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(slot) = self.slot.take() else { return };
        let (permit, is_open, may_commit) = (self.permit.take(), self.is_open, self.may_commit);
        // Without a runtime the connection cannot be reset, so it is closed.
        let Ok(runtime) = Handle::try_current() else { return };
        let connection = slot.connection();
        let (Some(pool), backend_pid) = (Object::pool(connection), connection.backend_pid()) else {
            return;
        };
        runtime.spawn(async move {
            // Only a commit keeps its place in the pool: any other statement ends by itself.
            let gone =
                async { !may_commit || abandoned::keep_until_ended(&pool, backend_pid).await };
            let may_be_there = slot.recover(permit, is_open, gone).await;
            if may_be_there == Some(true) {
                abandoned::end_late(pool, backend_pid).await;
            }
        });
    }
}
