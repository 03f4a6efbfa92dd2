//! Connection outside the pool, for work that takes long.

use std::ops::{Deref, DerefMut};

use sqlx::Executor;

use super::Connection;

/// Connection outside the pool, for work whose statements may take longer than a request may.
#[derive(Debug)]
pub struct DedicatedConnection(Connection);

impl DedicatedConnection {
    /// Wraps a connection that no pool has.
    pub fn new(connection: Connection) -> Self {
        Self(connection)
    }

    /// Opens a transaction.
    pub async fn begin(&mut self) -> Result<DedicatedTransaction<'_>, sqlx::Error> {
        self.open("begin").await
    }

    /// Opens a read-only transaction that sees one snapshot of the whole database.
    pub async fn begin_snapshot(&mut self) -> Result<DedicatedTransaction<'_>, sqlx::Error> {
        self.open("begin isolation level repeatable read read only").await
    }

    async fn open(
        &mut self,
        statement: &'static str,
    ) -> Result<DedicatedTransaction<'_>, sqlx::Error> {
        let transaction = DedicatedTransaction { connection: &mut self.0, is_ended: false };
        transaction.connection.execute(statement).await?;
        Ok(transaction)
    }
}

impl Deref for DedicatedConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl DerefMut for DedicatedConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.0
    }
}

/// Transaction on a connection outside the pool. Dropped before its commit, it is rolled back by
/// closing the connection, which accepts no more calls.
#[derive(Debug)]
pub struct DedicatedTransaction<'c> {
    connection: &'c mut Connection,
    is_ended: bool,
}

impl DedicatedTransaction<'_> {
    /// Commits the transaction.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        self.end("commit").await
    }

    /// Rolls the transaction back.
    pub async fn rollback(self) -> Result<(), sqlx::Error> {
        self.end("rollback").await
    }

    async fn end(mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        self.connection.execute(statement).await?;
        self.is_ended = true;
        Ok(())
    }
}

impl Drop for DedicatedTransaction<'_> {
    fn drop(&mut self) {
        if !self.is_ended {
            self.connection.lose();
        }
    }
}

impl Deref for DedicatedTransaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl DerefMut for DedicatedTransaction<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection
    }
}
