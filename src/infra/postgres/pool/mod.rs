//! Pool of the connections of one instance.
//!
//! A caller waits for one of the `places`, and has its connection in a `slot` from then on. The `manager`
//! opens connections and checks them, a `pooled_connection` gives one back clean, and `abandoned` watches
//! what the server goes on doing for one that was given up. The stores use the pool in two ways: a single
//! statement goes to its `executor`, several go into a `transaction`.

mod abandoned;
mod executor;
mod manager;
mod places;
mod pooled_connection;
mod slot;
pub(super) mod transaction;

use std::{
    str::FromStr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use deadpool::managed::PoolError;
use sqlx::{
    AssertSqlSafe, SqlSafeStr, SqlStr,
    postgres::{PgConnectOptions, PgRow},
};
use tokio::time;

use self::{
    manager::Manager,
    places::PoolPlaces,
    pooled_connection::PooledConnection,
    transaction::{OpeningCall, Transaction},
};
use super::{
    connection::{Connection, dedicated::DedicatedConnection, generations::Life},
    error::is_cut_off,
    marks::{self, Mark, MarkMemory},
    settings::{REPORT_OPTIONS, SESSION_LIMITS, SOCKET_OPTIONS},
};
use crate::{
    config::Config,
    infra::{clock, failpoint::SourceFile},
};

/// Upper bound of a change's wait for a connection: its deadline must leave time for the work. A
/// read's own deadline is shorter.
const ACQUIRE_MAX: Duration = Duration::from_secs(3);
/// Upper bound of connecting outside the pool.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Rest after which a connection is checked before a single statement that writes, which cannot be
/// repeated.
const REST_BEFORE_WRITE_MAX: Duration = Duration::from_millis(250);
/// Connections on which a `begin` is tried: the first, and another when that was lost.
const BEGIN_ATTEMPTS_MAX: u32 = 2;

/// Pool of connections to one database, opened as they are needed and used by one caller at a time.
///
/// The pool is an [`Executor`](sqlx::Executor) for single statements; [`begin`](Self::begin) opens
/// a transaction for several. Acquiring costs no round trip: a connection whose work was finished
/// is reused as it is, and only one that was dropped in the middle of its work is reset first.
/// (sqlx's pool cannot tell the two apart, and asks the server each time.)
///
/// Callers are served in order of arrival and wait at most 3 seconds. Changes never hold all
/// connections: commits that get stuck, because a synchronous standby is away, leave some to reads.
///
/// A lost connection casts doubt on the connections that were opened before it: each is checked
/// before it is reused, and the first that does not answer condemns the rest. A `begin` or a read
/// on a connection that was lost unnoticed is repeated on another.
#[derive(Clone, Debug)]
pub struct Pool {
    places: Arc<PoolPlaces<Manager>>,
}

impl Pool {
    /// Creates the pool that `config` describes, without connecting.
    pub fn of(config: &Config) -> Result<Self, sqlx::Error> {
        let connect = PgConnectOptions::from_str(&config.database_url)?;
        Self::new(connect, config.db_connections_max.get())
    }

    /// Creates a pool of at most `connections_max` connections to the database that `connect`
    /// names, without connecting. The process goes by the clock of its server.
    pub fn new(connect: PgConnectOptions, connections_max: u32) -> Result<Self, sqlx::Error> {
        Self::with(connect, connections_max, true)
    }

    /// Works as [`new`](Self::new), for a server by whose clock nothing goes.
    pub(crate) fn of_standby(
        connect: PgConnectOptions,
        connections_max: u32,
    ) -> Result<Self, sqlx::Error> {
        Self::with(connect, connections_max, false)
    }

    fn with(
        connect: PgConnectOptions,
        connections_max: u32,
        tells_time: bool,
    ) -> Result<Self, sqlx::Error> {
        let connections_max = usize::try_from(connections_max).unwrap_or(usize::MAX);
        let (marks, generations, waiting_for_standby) = Default::default();
        let manager = Manager { connect, tells_time, marks, generations, waiting_for_standby };
        let places = PoolPlaces::new(manager, connections_max).map_err(sqlx::Error::config)?;
        Ok(Self { places: Arc::new(places) })
    }

    /// Opens a transaction. Dropped before its commit, it is rolled back.
    #[track_caller]
    pub fn begin(&self) -> impl Future<Output = Result<Transaction, sqlx::Error>> {
        let place = SourceFile::of_caller();
        async move { Ok(self.begin_at(place, SqlStr::from_static("begin")).await?.0) }
    }

    /// Opens a transaction with a call, which locks and reads, and returns the row that it returned.
    /// Both cost one round trip.
    #[track_caller]
    pub fn begin_with(
        &self,
        opening: &OpeningCall,
    ) -> impl Future<Output = Result<(Transaction, PgRow), sqlx::Error>> {
        let (place, message) = (SourceFile::of_caller(), AssertSqlSafe(opening.message()));
        async move {
            let (tx, row) = self.begin_at(place, message.into_sql_str()).await?;
            Ok((tx, row.ok_or(sqlx::Error::RowNotFound)?))
        }
    }

    async fn begin_at(
        &self,
        place: SourceFile,
        message: SqlStr,
    ) -> Result<(Transaction, Option<PgRow>), sqlx::Error> {
        let mut attempts_left = BEGIN_ATTEMPTS_MAX;
        loop {
            attempts_left -= 1;
            let connection = self.acquire_for_change().await?;
            match Transaction::begin(connection, place, message.clone()).await {
                // No work was done yet, so another connection is tried.
                Err(error) if attempts_left > 0 && is_cut_off(&error) => (),
                outcome => return outcome,
            }
        }
    }

    /// Acquires a connection for reads.
    pub(crate) async fn acquire(&self) -> Result<PooledConnection, sqlx::Error> {
        in_time(async {
            let connection = self.places.take().await.map_err(reason)?;
            Ok(PooledConnection::new(connection, None))
        })
        .await
    }

    async fn acquire_for_change(&self) -> Result<PooledConnection, sqlx::Error> {
        in_time(self.take_for_change()).await
    }

    /// Acquires a connection for a single statement that writes; one that rested is checked first.
    pub(crate) async fn acquire_to_write(&self) -> Result<PooledConnection, sqlx::Error> {
        let acquired = async {
            let pooled = self.take_for_change().await?;
            if pooled.connection().rested() < REST_BEFORE_WRITE_MAX {
                return Ok(pooled);
            }
            let (mut pooled, mut n_asked) = (pooled, 0);
            while !pooled.connection_mut().prove().await {
                n_asked += 1;
                if n_asked > self.places.status().max_size {
                    return Err(sqlx::Error::PoolTimedOut);
                }
                drop(pooled);
                pooled = self.take_for_change().await?;
            }
            Ok(pooled)
        };
        in_time(acquired).await
    }

    async fn take_for_change(&self) -> Result<PooledConnection, sqlx::Error> {
        let (connection, permit) = self.places.take_for_change().await.map_err(reason)?;
        Ok(PooledConnection::new(connection, Some(permit)))
    }

    /// Opens a connection outside the pool, known to the server as `name`. Connecting fails at once
    /// with the real reason. Each call on it ends after `call_max`; slow statements are not logged.
    pub async fn connect_beside(
        &self,
        name: &str,
        call_max: Duration,
    ) -> Result<DedicatedConnection, sqlx::Error> {
        use sqlx::ConnectOptions;
        let connect = self.places.manager().connect.clone().application_name(name);
        let connect = connect.options(SESSION_LIMITS).options(SOCKET_OPTIONS);
        let connect = connect.options(REPORT_OPTIONS).disable_statement_logging();
        let opened = Connection::open(&connect, call_max, Life::default());
        let opened = time::timeout(CONNECT_TIMEOUT, Box::pin(opened)).await;
        let (connection, _) = opened.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        Ok(DedicatedConnection::new(connection))
    }

    /// Measures where the server's clock stands.
    pub(crate) async fn measure_clock(&self) -> Result<(), sqlx::Error> {
        let mut pooled = self.acquire().await?;
        clock::keep(pooled.connection_mut().read_clock().await?);
        pooled.finish();
        Ok(())
    }

    /// Returns what the instance remembers of its database.
    pub fn marks(&self) -> &MarkMemory {
        &self.places.manager().marks
    }

    /// Reads the mark of the database, and writes a setback down where that went back.
    pub async fn watch_mark(&self) -> Result<(), sqlx::Error> {
        let mut pooled = self.acquire().await?;
        marks::watch(pooled.connection_mut(), self.marks()).await?;
        pooled.finish();
        Ok(())
    }

    /// Writes a setback down if the database is behind a mark that others knew.
    pub async fn compare_mark(&self, known: Mark) -> Result<(), sqlx::Error> {
        let mut pooled = self.acquire().await?;
        marks::note(pooled.connection_mut(), self.marks(), known).await?;
        pooled.finish();
        Ok(())
    }

    /// Closes the pool: waiting callers are refused, and returned connections are closed.
    pub fn close(&self) {
        self.places.close();
    }

    /// Returns the number of open connections.
    pub fn size(&self) -> u32 {
        saturated(self.places.status().size)
    }

    /// Returns the number of given-up commits that wait for a standby, as the server said at the
    /// last check; each keeps its place in the pool until the standby is back.
    pub fn n_waiting_for_standby(&self) -> u32 {
        self.places.manager().waiting_for_standby.load(Ordering::Relaxed)
    }

    /// Returns the number of idle connections.
    pub fn n_idle(&self) -> u32 {
        saturated(self.places.status().available)
    }
}

async fn in_time<T>(
    acquired: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    time::timeout(ACQUIRE_MAX, acquired).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Returns why nothing was acquired.
fn reason(error: PoolError<sqlx::Error>) -> sqlx::Error {
    match error {
        PoolError::Backend(cause) => cause,
        PoolError::Closed => sqlx::Error::PoolClosed,
        _ => sqlx::Error::PoolTimedOut,
    }
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
