//! Slot of the pool, with the connection that occupies it.

use deadpool::managed::Object;

use super::{connection::Connection, manager::Manager};

/// Connection with its place in the pool. [`give_back`](Self::give_back) returns the connection to
/// it; dropping the slot closes the connection.
#[derive(Debug)]
pub(crate) struct PoolSlot(Option<Object<Manager>>);

impl PoolSlot {
    pub(crate) fn new(connection: Object<Manager>) -> Self {
        Self(Some(connection))
    }

    /// Moves the connection to a slot of its own; `None` if it was given back.
    pub(crate) fn take(&mut self) -> Option<Self> {
        self.0.take().map(Self::new)
    }

    /// Returns the connection to the pool: the server has answered everything, and no transaction
    /// is open.
    pub(crate) fn give_back(&mut self) {
        if let Some(mut connection) = self.0.take() {
            connection.rest();
        }
    }

    /// Rolls back whatever is open and returns the connection to the pool; returns whether that
    /// succeeded.
    pub(crate) async fn reset(&mut self, is_open: bool) -> bool {
        let is_clean = self.connection_mut().reset(is_open).await;
        if is_clean {
            self.give_back();
        }
        is_clean
    }

    #[expect(clippy::expect_used, reason = "it goes in `take` and `give_back`, which end this")]
    pub(crate) fn connection(&self) -> &Object<Manager> {
        self.0.as_ref().expect("a slot in use has its connection")
    }

    #[expect(clippy::expect_used, reason = "it goes in `take` and `give_back`, which end this")]
    pub(crate) fn connection_mut(&mut self) -> &mut Connection {
        self.0.as_mut().expect("a slot in use has its connection")
    }
}

impl Drop for PoolSlot {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}
