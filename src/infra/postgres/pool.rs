//! The connections that an instance keeps and lends.

use std::{io, str::FromStr, time::Duration};

use deadpool::managed::{self, Metrics, PoolError, QueueMode, RecycleResult};
use sqlx::{ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};
use tokio::time;

use super::{
    APPLICATION_NAME, PLANNER_OPTIONS, REPORT_OPTIONS, SESSION_LIMITS, Transaction, has_code,
    loan::{Loan, is_swept},
};
use crate::config::Config;

/// How long a change waits for a connection: within its deadline there must be time
/// left for the work. A read's own deadline is shorter.
const LEND_TIMEOUT: Duration = Duration::from_secs(3);
/// How long one beside the pool waits for the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Until a server that just starts is asked again, as long as somebody waits for it.
const CONNECT_PAUSE: Duration = Duration::from_millis(50);
/// A connection that rested longer is asked whether it still lives.
const REST_MAX: Duration = Duration::from_secs(5);
/// An older connection is replaced: what a server keeps for one only grows.
const AGE_MAX: Duration = Duration::from_mins(30);

/// Connections to one database, opened as they are needed, and lent to one at a time.
///
/// It is an [`Executor`](sqlx::Executor) for single statements, and [`begin`](Self::begin)
/// is for all others. A borrowing costs no round trip of its own: a connection whose work
/// was finished is lent again as it is, and only one whose borrower went away in the middle
/// is cleaned first. (sqlx's pool cannot know which is which, and asks the server each time.)
///
/// Whoever waits is served in order of arrival, for at most 3 seconds.
#[derive(Clone, Debug)]
pub struct Pool {
    connections: managed::Pool<Opener>,
}

impl Pool {
    /// The pool that `config` describes. Nothing is opened before it is used.
    pub fn of(config: &Config) -> Result<Self, sqlx::Error> {
        let connect = PgConnectOptions::from_str(&config.database_url)?;
        Self::new(connect, config.db_connections_max.get())
    }

    /// At most `connections_max` connections, with our rules, to the database that
    /// `connect` names.
    pub fn new(connect: PgConnectOptions, connections_max: u32) -> Result<Self, sqlx::Error> {
        let connections_max = usize::try_from(connections_max).unwrap_or(usize::MAX);
        let built = managed::Pool::builder(Opener { connect })
            .max_size(connections_max)
            // The one that was used last knows the statements best, and the others may rest.
            .queue_mode(QueueMode::Lifo)
            .build();
        let connections = built.map_err(sqlx::Error::config)?;
        Ok(Self { connections })
    }

    /// Opens a transaction. Dropped before its commit, it is rolled back.
    pub async fn begin(&self) -> Result<Transaction, sqlx::Error> {
        Transaction::begin(self.lend().await?).await
    }

    /// Lends a connection that nobody else uses.
    pub(super) async fn lend(&self) -> Result<Loan, sqlx::Error> {
        match time::timeout(LEND_TIMEOUT, self.connections.get()).await {
            Ok(Ok(connection)) => Ok(Loan::new(connection)),
            Ok(Err(PoolError::Backend(cause))) => Err(cause),
            Ok(Err(PoolError::Closed)) => Err(sqlx::Error::PoolClosed),
            Ok(Err(_)) | Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// A connection of its own beside the pool, known to the server as `name`. It fails at
    /// once with the real reason, and its statements may take long without a warning.
    pub async fn connect_beside(&self, name: &str) -> Result<PgConnection, sqlx::Error> {
        let connect = self.connections.manager().connect.clone().application_name(name);
        let connect =
            connect.options(SESSION_LIMITS).options(REPORT_OPTIONS).disable_statement_logging();
        let connected = time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(&connect)).await;
        connected.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Lends no more: whoever waits is refused, and what comes back is closed.
    pub fn close(&self) {
        self.connections.close();
    }

    /// How many connections are open.
    pub fn size(&self) -> u32 {
        saturated(self.connections.status().size)
    }

    /// How many of them nobody uses.
    pub fn n_idle(&self) -> u32 {
        saturated(self.connections.status().available)
    }
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Opens the connections of one pool.
#[derive(Debug)]
pub(super) struct Opener {
    connect: PgConnectOptions,
}

impl managed::Manager for Opener {
    type Type = PgConnection;
    type Error = sqlx::Error;

    /// Opens one; whoever borrows it sets the limit to how long a server may take to start.
    async fn create(&self) -> Result<PgConnection, sqlx::Error> {
        let connect = self.connect.clone().application_name(APPLICATION_NAME);
        let connect = connect.options(SESSION_LIMITS).options(PLANNER_OPTIONS);
        loop {
            match PgConnection::connect_with(&connect).await {
                Err(error) if is_starting(&error) => time::sleep(CONNECT_PAUSE).await,
                outcome => return outcome,
            }
        }
    }

    /// Whether one that rested may be lent again.
    async fn recycle(
        &self,
        connection: &mut PgConnection,
        metrics: &Metrics,
    ) -> RecycleResult<sqlx::Error> {
        let is_fit = metrics.age() < AGE_MAX
            && (metrics.last_used() < REST_MAX || is_swept(connection, false).await);
        is_fit.then_some(()).ok_or(sqlx::Error::PoolClosed.into())
    }
}

/// Whether a server is not there yet, or has no room for a moment.
fn is_starting(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(cause) => cause.kind() == io::ErrorKind::ConnectionRefused,
        _ => has_code(error, &["57P03", "53300"]),
    }
}
