//! The connections that an instance keeps and lends.

use std::{
    io,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{self, Metrics, PoolError, QueueMode, RecycleResult};
use sqlx::postgres::PgConnectOptions;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

use super::{
    APPLICATION_NAME, Connection, DedicatedConnection, PLANNER_OPTIONS, REPORT_OPTIONS,
    SESSION_LIMITS, SOCKET_OPTIONS, Transaction,
    connection::CALL_MAX,
    executor::is_cut_off,
    generations::{Generations, Life, Trust},
    has_code,
    pooled_connection::PooledConnection,
};
use crate::config::Config;

/// How long a change waits for a connection: within its deadline there must be time
/// left for the work. A read's own deadline is shorter.
const ACQUIRE_MAX: Duration = Duration::from_secs(3);
/// How long one beside the pool waits for the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Until a server that just starts is asked again, as long as somebody waits for it.
const CONNECT_PAUSE: Duration = Duration::from_millis(50);
/// A connection that rested longer is asked whether it still lives.
const REST_MAX: Duration = Duration::from_secs(5);
/// The same before a single statement that writes, which cannot be put twice.
const REST_BEFORE_WRITE_MAX: Duration = Duration::from_millis(250);
/// An older connection is replaced: what a server keeps for one only grows.
const AGE_MAX: Duration = Duration::from_mins(30);
/// Connections on which a `begin` is tried: the one at hand, and another when that was lost.
const BEGIN_ATTEMPTS_MAX: u32 = 2;
/// Connections that changes leave to reads, but no more than a quarter of a small pool.
const READS_RESERVED: usize = 4;

/// Connections to one database, opened as they are needed, and lent to one at a time.
///
/// It is an [`Executor`](sqlx::Executor) for single statements, and [`begin`](Self::begin)
/// is for all others. A borrowing costs no round trip of its own: a connection whose work
/// was finished is lent again as it is, and only one whose borrower went away in the middle
/// is cleaned first. (sqlx's pool cannot know which is which, and asks the server each time.)
///
/// Whoever waits is served in order of arrival, for at most 3 seconds. Changes never hold all
/// connections: commits that get stuck, because a synchronous standby is away, leave some to
/// reads.
///
/// A connection that was lost casts doubt on those that were opened before: they answer a
/// question before they are lent again, and the first one that does not condemns the rest. A
/// `begin` or a read on one that was lost unnoticed is put to another connection.
#[derive(Clone, Debug)]
pub struct Pool {
    connections: managed::Pool<Manager>,
    changes: Arc<Semaphore>,
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
        let manager =
            Manager { connect, generations: Arc::default(), waiting_for_standby: Arc::default() };
        let built = managed::Pool::builder(manager)
            .max_size(connections_max)
            // The one that was used last knows the statements best, and the others may rest.
            .queue_mode(QueueMode::Lifo)
            .build();
        let connections = built.map_err(sqlx::Error::config)?;
        let n_reserved = READS_RESERVED.min(connections_max / 4);
        let n_changes = (connections_max - n_reserved).min(Semaphore::MAX_PERMITS);
        Ok(Self { connections, changes: Arc::new(Semaphore::new(n_changes)) })
    }

    /// Opens a transaction. Dropped before its commit, it is rolled back.
    pub async fn begin(&self) -> Result<Transaction, sqlx::Error> {
        let mut attempts_left = BEGIN_ATTEMPTS_MAX;
        loop {
            attempts_left -= 1;
            match Transaction::begin(self.acquire_for_change().await?).await {
                // Nothing was done yet.
                Err(error) if attempts_left > 0 && is_cut_off(&error) => (),
                outcome => return outcome,
            }
        }
    }

    /// Lends a connection that nobody else uses, to read.
    pub(crate) async fn acquire(&self) -> Result<PooledConnection, sqlx::Error> {
        in_time(async { self.lend(None).await }).await
    }

    async fn acquire_for_change(&self) -> Result<PooledConnection, sqlx::Error> {
        in_time(async { self.lend(Some(self.permit().await?)).await }).await
    }

    /// The same for a single statement that writes: one that rested is asked first.
    pub(crate) async fn acquire_to_write(&self) -> Result<PooledConnection, sqlx::Error> {
        let acquired = async {
            let pooled = self.lend(Some(self.permit().await?)).await?;
            if pooled.connection().rested() < REST_BEFORE_WRITE_MAX {
                return Ok(pooled);
            }
            let (mut pooled, mut n_asked) = (pooled, 0);
            while !pooled.connection_mut().prove().await {
                n_asked += 1;
                if n_asked > self.connections.status().max_size {
                    return Err(sqlx::Error::PoolTimedOut);
                }
                drop(pooled);
                pooled = self.lend(Some(self.permit().await?)).await?;
            }
            Ok(pooled)
        };
        in_time(acquired).await
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, sqlx::Error> {
        let permit = Arc::clone(&self.changes).acquire_owned().await;
        permit.map_err(|_closed| sqlx::Error::PoolClosed)
    }

    async fn lend(
        &self,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<PooledConnection, sqlx::Error> {
        match self.connections.get().await {
            Ok(connection) => Ok(PooledConnection::new(connection, permit)),
            Err(PoolError::Backend(cause)) => Err(cause),
            Err(PoolError::Closed) => Err(sqlx::Error::PoolClosed),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// A connection of its own beside the pool, known to the server as `name`. It fails at
    /// once with the real reason; each call on it ends after `call_max`, and takes long
    /// without a warning.
    pub async fn connect_beside(
        &self,
        name: &str,
        call_max: Duration,
    ) -> Result<DedicatedConnection, sqlx::Error> {
        use sqlx::ConnectOptions;
        let connect = self.connections.manager().connect.clone().application_name(name);
        let connect = connect.options(SESSION_LIMITS).options(SOCKET_OPTIONS);
        let connect = connect.options(REPORT_OPTIONS).disable_statement_logging();
        let opened = Connection::open(&connect, call_max, Life::default());
        let opened = time::timeout(CONNECT_TIMEOUT, Box::pin(opened)).await;
        opened.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map(DedicatedConnection::new)
    }

    /// Lends no more: whoever waits is refused, and what comes back is closed.
    pub fn close(&self) {
        self.connections.close();
        self.changes.close();
    }

    /// How many connections are open.
    pub fn size(&self) -> u32 {
        saturated(self.connections.status().size)
    }

    /// Commits of which the server said a moment ago that they wait for a standby, and that
    /// keep their place among the connections until it is back.
    pub fn n_waiting_for_standby(&self) -> u32 {
        self.connections.manager().waiting_for_standby.load(Ordering::Relaxed)
    }

    /// How many of them nobody uses.
    pub fn n_idle(&self) -> u32 {
        saturated(self.connections.status().available)
    }
}

async fn in_time<T>(
    acquired: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    time::timeout(ACQUIRE_MAX, acquired).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Opens the connections of one pool.
#[derive(Debug)]
pub(crate) struct Manager {
    connect: PgConnectOptions,
    generations: Arc<Generations>,
    waiting_for_standby: Arc<AtomicU32>,
}

impl Manager {
    /// Count of commits that nobody waits for but the server.
    pub(crate) fn waiting_for_standby(&self) -> &Arc<AtomicU32> {
        &self.waiting_for_standby
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = sqlx::Error;

    /// Opens one; whoever borrows it sets the limit to how long a server may take to start.
    async fn create(&self) -> Result<Connection, sqlx::Error> {
        let connect = self.connect.clone().application_name(APPLICATION_NAME);
        let connect = connect.options(SESSION_LIMITS).options(SOCKET_OPTIONS);
        let connect = connect.options(PLANNER_OPTIONS);
        loop {
            let life = Life::new(&self.generations, self.generations.newest());
            // A large future, and seldom needed.
            match Box::pin(Connection::open(&connect, CALL_MAX, life)).await {
                Err(error) if is_starting(&error) => time::sleep(CONNECT_PAUSE).await,
                outcome => return outcome,
            }
        }
    }

    /// Whether one that rested may be lent again.
    async fn recycle(
        &self,
        connection: &mut Connection,
        metrics: &Metrics,
    ) -> RecycleResult<sqlx::Error> {
        let is_fit = !connection.is_lost()
            && metrics.age() < AGE_MAX
            && match connection.standing() {
                Trust::Condemned => false,
                Trust::Trusted if connection.rested() < REST_MAX => true,
                Trust::Trusted | Trust::Suspected => connection.prove().await,
            };
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
