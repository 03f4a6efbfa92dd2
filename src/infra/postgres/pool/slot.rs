//! Slot of the pool, with the connection that occupies it.

use std::fmt;

use deadpool::managed::{self, Object};

use super::manager::Manager;
use crate::infra::postgres::connection::Reusable;

/// Connection with its place in the pool. [`give_back`](Self::give_back) returns the connection to
/// it; dropping the slot closes the connection.
pub(crate) struct PoolSlot<M: managed::Manager = Manager>(Option<Object<M>>);

impl<M: managed::Manager> fmt::Debug for PoolSlot<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolSlot").finish_non_exhaustive()
    }
}

impl<M: managed::Manager> PoolSlot<M> {
    pub(crate) fn new(connection: Object<M>) -> Self {
        Self(Some(connection))
    }

    /// Moves the connection to a slot of its own; `None` if it was given back.
    pub(crate) fn take(&mut self) -> Option<Self> {
        self.0.take().map(Self::new)
    }

    #[expect(clippy::expect_used, reason = "it goes in `take` and `give_back`, which end this")]
    pub(crate) fn connection(&self) -> &Object<M> {
        self.0.as_ref().expect("a slot in use has its connection")
    }

    #[expect(clippy::expect_used, reason = "it goes in `take` and `give_back`, which end this")]
    pub(crate) fn connection_mut(&mut self) -> &mut M::Type {
        self.0.as_mut().expect("a slot in use has its connection")
    }
}

impl<M: managed::Manager<Type: Reusable>> PoolSlot<M> {
    /// Returns the connection to the pool: the server has answered everything, and no transaction
    /// is open.
    pub(crate) fn give_back(&mut self) {
        if let Some(mut connection) = self.0.take() {
            connection.rest();
        }
    }

    /// Rolls back an open transaction and returns the connection to the pool; returns whether that
    /// succeeded.
    pub(crate) async fn reset(&mut self, is_open: bool) -> bool {
        let is_clean = self.connection_mut().reset(is_open).await;
        if is_clean {
            self.give_back();
        }
        is_clean
    }

    /// Ends a use that was dropped in the middle: resets the connection, or waits for `gone` and closes
    /// it. Its place in the pool and `permit` are kept until then. Returns the result of `gone`; `None`
    /// if the connection was reset.
    pub(crate) async fn recover<P, T>(
        mut self,
        permit: P,
        is_open: bool,
        gone: impl Future<Output = T>,
    ) -> Option<T> {
        if self.reset(is_open).await {
            return None;
        }
        let gone = gone.await;
        drop((self, permit));
        Some(gone)
    }
}

impl<M: managed::Manager> Drop for PoolSlot<M> {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}
