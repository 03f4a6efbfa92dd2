//! Transaction on a connection of the pool, and the call that may open it.

use std::ops::{Deref, DerefMut};

use sqlx::{AssertSqlSafe, Executor, SqlSafeStr, SqlStr, postgres::PgRow};
use uuid::Uuid;

use super::pooled_connection::PooledConnection;
use crate::infra::{failpoint::SourceFile, postgres::connection::Connection};

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
/// # async fn nested(mut tx: stagedoor_base::infra::postgres::Transaction) {
/// let inner = tx.begin().await;
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # async fn nested(mut tx: stagedoor_base::infra::postgres::Transaction) {
/// let inner = sqlx::Connection::begin(&mut *tx).await;
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # async fn nested(mut tx: stagedoor_base::infra::postgres::Transaction) {
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
    /// Opens a transaction with `message`: a `begin`, and a call that may stand behind it in the same
    /// message. Returns the row that the call returned.
    pub(crate) async fn begin(
        mut connection: PooledConnection,
        place: SourceFile,
        message: SqlStr,
    ) -> Result<(Self, Option<PgRow>), sqlx::Error> {
        // Also when the call fails, or is dropped before its answer.
        connection.opened();
        let row = connection.connection_mut().fetch_optional(message).await?;
        Ok((Self { connection, place }, row))
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

/// Call of a function of the database that is sent in one message with `begin`, so that `begin` costs no
/// wait of its own.
///
/// `sqlx` sends a prepared statement only after the answer to everything before it, and one message
/// with two statements has no parameters. So the arguments are literals, made of ids and
/// never of texts; the server keeps the plans of the function's own statements.
#[derive(Clone, Debug)]
pub struct OpeningCall(String);

impl OpeningCall {
    /// Creates a call of `function`, which returns one row.
    pub fn of(function: &'static str) -> Self {
        Self(format!("select * from {function}("))
    }

    /// Adds an id as the next argument.
    #[must_use]
    pub fn id(self, id: Uuid) -> Self {
        self.argument(&format!("'{id}'"))
    }

    /// Adds a list of ids as the next argument.
    #[must_use]
    pub fn ids(self, ids: impl IntoIterator<Item = Uuid>) -> Self {
        let ids: Vec<String> = ids.into_iter().map(|id| id.to_string()).collect();
        self.argument(&format!("'{{{}}}'", ids.join(",")))
    }

    /// Adds a list of ids that are numbers as the next argument.
    #[must_use]
    pub fn numbers(self, ids: impl IntoIterator<Item = i64>) -> Self {
        let ids: Vec<String> = ids.into_iter().map(|id| id.to_string()).collect();
        self.argument(&format!("'{{{}}}'", ids.join(",")))
    }

    /// Adds a truth value as the next argument.
    #[must_use]
    pub fn flag(self, is_true: bool) -> Self {
        self.argument(if is_true { "true" } else { "false" })
    }

    fn argument(mut self, literal: &str) -> Self {
        if !self.0.ends_with('(') {
            self.0.push_str(", ");
        }
        self.0.push_str(literal);
        self
    }

    /// Returns the message that opens a transaction with the call.
    pub fn message(&self) -> String {
        format!("begin; {}", self.call())
    }

    /// Makes the call in a transaction that is open, and returns its row.
    pub async fn call_in(&self, tx: &mut Connection) -> Result<PgRow, sqlx::Error> {
        tx.fetch_one(AssertSqlSafe(self.call()).into_sql_str()).await
    }

    fn call(&self) -> String {
        format!("{})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_stands_behind_the_begin_with_its_arguments() {
        let id = Uuid::from_u128(7);
        let call =
            OpeningCall::of("lock_things").ids([id, id]).ids([]).id(id).numbers([4, -2]).flag(true);
        let expected =
            format!("select * from lock_things('{{{id},{id}}}', '{{}}', '{id}', '{{4,-2}}', true)");
        assert_eq!(call.call(), expected);
        assert_eq!(call.message(), format!("begin; {expected}"));
    }
}
