//! One borrowing of a connection.

use std::time::Duration;

use deadpool::managed::Object;
use sqlx::{Executor, PgConnection};
use tokio::{runtime::Handle, time};

use super::pool::Opener;

/// How long a connection may take to prove that nothing is left open in it.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection that somebody borrowed.
///
/// A future can be dropped at every `await`, and then nobody knows what the server was told:
/// a `begin` that was sent and not waited for leaves a transaction open, and the writes of
/// the next borrower would vanish in it, though each was acknowledged. So a connection is
/// lent again as it is only after its borrower said that the work is [`done`](Self::done).
/// In every other case it is swept first, or closed.
#[derive(Debug)]
pub(super) struct Loan {
    connection: Unswept,
    /// Whether a transaction is known to be open.
    is_open: bool,
}

impl Loan {
    pub(super) fn new(connection: Object<Opener>) -> Self {
        Self { connection: Unswept(Some(connection)), is_open: false }
    }

    /// A transaction was opened, and the server has said so.
    pub(super) fn opened(&mut self) {
        self.is_open = true;
    }

    /// The server has answered everything, and nothing is open: the next may have it.
    pub(super) fn done(mut self) {
        self.connection.give_back();
    }

    #[expect(clippy::expect_used, reason = "it goes back in `done` and `drop`, which end the loan")]
    pub(super) fn connection(&self) -> &PgConnection {
        self.connection.0.as_ref().expect("a loan has its connection")
    }

    #[expect(clippy::expect_used, reason = "it goes back in `done` and `drop`, which end the loan")]
    pub(super) fn connection_mut(&mut self) -> &mut PgConnection {
        self.connection.0.as_mut().expect("a loan has its connection")
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let Some(connection) = self.connection.0.take() else { return };
        let (mut unswept, is_open) = (Unswept(Some(connection)), self.is_open);
        // Where nothing runs any more, it is closed.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            let Some(connection) = &mut unswept.0 else { return };
            if is_swept(connection, is_open).await {
                unswept.give_back();
            }
        });
    }
}

/// A connection that the pool gets back by [`give_back`](Self::give_back) only; dropped, it
/// is closed.
#[derive(Debug)]
struct Unswept(Option<Object<Opener>>);

impl Unswept {
    fn give_back(&mut self) {
        drop(self.0.take());
    }
}

impl Drop for Unswept {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}

/// Ends whatever transaction was left open; false when the server does not answer. Where
/// none is known to be open, `begin` comes first: a bare `rollback` would log a warning.
pub(super) async fn is_swept(connection: &mut PgConnection, is_open: bool) -> bool {
    let ending = if is_open { "rollback" } else { "begin; rollback" };
    let swept = time::timeout(SWEEP_TIMEOUT, connection.execute(ending)).await;
    matches!(swept, Ok(Ok(_)))
}
