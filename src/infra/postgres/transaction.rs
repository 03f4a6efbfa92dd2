//! A transaction on a connection of the pool.

use std::ops::{Deref, DerefMut};

use sqlx::{Executor, PgConnection};

use super::loan::Loan;

/// Statements that happen together or not at all. Dropped before [`commit`](Self::commit),
/// for whatever reason, it is rolled back, at the latest when its connection is used again.
///
/// When `commit` fails because the server could not be asked, nobody knows whether it
/// happened: [`commit_kept`](crate::infra::idempotency::commit_kept) finds out.
#[derive(Debug)]
pub struct Transaction {
    loan: Loan,
}

impl Transaction {
    pub(super) async fn begin(mut loan: Loan) -> Result<Self, sqlx::Error> {
        loan.connection_mut().execute("begin").await?;
        loan.opened();
        Ok(Self { loan })
    }

    /// Makes all of it happen.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        self.end("commit").await
    }

    /// Undoes all of it, and waits until that is done: its locks are free afterwards.
    pub async fn rollback(self) -> Result<(), sqlx::Error> {
        self.end("rollback").await
    }

    async fn end(mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        self.loan.connection_mut().execute(statement).await?;
        self.loan.done();
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.loan.connection()
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.loan.connection_mut()
    }
}
