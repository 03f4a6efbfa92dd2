//! Transaction on a connection of the pool.

use std::ops::{Deref, DerefMut};

use sqlx::Executor;

use super::{connection::Connection, pooled_connection::PooledConnection};
use crate::infra::failpoint::SourceFile;

/// Transaction: its statements take effect together or not at all. Dropped before
/// [`commit`](Self::commit), it is rolled back, at the latest before its connection is reused.
///
/// When `commit` fails because the server could not be asked, its outcome is unknown;
/// [`commit_kept`](crate::infra::idempotency::commit_kept) finds it out.
///
/// Transactions do not nest: an inner `begin` would open nothing, and its commit would commit
/// everything around it. So an inner `begin` does not compile:
///
/// ```compile_fail,E0599
/// # async fn nested(mut tx: stagedoor::infra::postgres::Transaction) {
/// let inner = tx.begin().await;
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # async fn nested(mut tx: stagedoor::infra::postgres::Transaction) {
/// let inner = sqlx::Connection::begin(&mut *tx).await;
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # async fn nested(mut tx: stagedoor::infra::postgres::Transaction) {
/// let inner = sqlx::Acquire::begin(&mut *tx).await;
/// # }
/// ```
#[derive(Debug)]
pub struct Transaction {
    connection: PooledConnection,
    /// Source file that opened it.
    place: SourceFile,
}

impl Transaction {
    pub(crate) async fn begin(
        mut connection: PooledConnection,
        place: SourceFile,
    ) -> Result<Self, sqlx::Error> {
        connection.connection_mut().execute("begin").await?;
        connection.opened();
        Ok(Self { connection, place })
    }

    /// Commits the transaction.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        let place = self.place;
        place.reach("before its commit").await;
        self.connection.commits();
        let ended = self.end("commit").await;
        if ended.is_ok() {
            place.reach("after its commit").await;
        }
        ended
    }

    /// Rolls the transaction back and waits for the server, so that its locks are free afterwards.
    pub async fn rollback(self) -> Result<(), sqlx::Error> {
        self.end("rollback").await
    }

    async fn end(mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        self.connection.connection_mut().execute(statement).await?;
        self.connection.finish();
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.connection()
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.connection_mut()
    }
}
