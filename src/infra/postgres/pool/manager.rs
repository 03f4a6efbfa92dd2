//! Opening connections of the pool, and giving them back clean.

use std::{
    io,
    sync::{Arc, atomic::AtomicU32},
    time::Duration,
};

use deadpool::managed::{self, Metrics, RecycleResult};
use sqlx::postgres::PgConnectOptions;
use tokio::time;

use crate::infra::{
    clock,
    postgres::{
        connection::{
            CALL_MAX, Connection,
            generations::{Generations, Life, Trust},
        },
        error::has_code,
        marks::{self, MarkMemory},
        settings::{APPLICATION_NAME, PLANNER_OPTIONS, SESSION_LIMITS, SOCKET_OPTIONS},
    },
};

/// Pause before a server that is starting is asked again, while a request waits for it.
const CONNECT_PAUSE: Duration = Duration::from_millis(50);

/// Age at which a connection is replaced: the server's memory for one only grows.
const AGE_MAX: Duration = Duration::from_mins(30);

/// Rest after which a connection is checked before it is used again.
const REST_MAX: Duration = Duration::from_secs(5);

/// Opens and checks the connections of one pool.
#[derive(Debug)]
pub(crate) struct Manager {
    pub connect: PgConnectOptions,
    /// Whether the instance goes by the clock and the mark of this server.
    pub(crate) tells_time: bool,
    pub(crate) marks: MarkMemory,
    pub(crate) generations: Arc<Generations>,
    pub(crate) waiting_for_standby: Arc<AtomicU32>,
}

impl Manager {
    /// Returns the count of given-up commits that wait for a standby.
    pub(crate) fn waiting_for_standby(&self) -> &Arc<AtomicU32> {
        &self.waiting_for_standby
    }

    async fn open(
        &self,
        connect: &PgConnectOptions,
        life: Life,
    ) -> Result<Connection, sqlx::Error> {
        let (mut connection, reading) = Connection::open(connect, CALL_MAX, life).await?;
        if self.tells_time {
            clock::keep(reading);
            marks::watch(&mut connection, &self.marks).await?;
        }
        Ok(connection)
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = sqlx::Error;

    /// Opens a connection. The caller's deadline limits how long a starting server is waited for.
    async fn create(&self) -> Result<Connection, sqlx::Error> {
        let connect = self.connect.clone().application_name(APPLICATION_NAME);
        let connect = connect.options(SESSION_LIMITS).options(SOCKET_OPTIONS);
        let connect = connect.options(PLANNER_OPTIONS);
        loop {
            let life = Life::new(&self.generations, self.generations.newest());
            // The future is large and seldom needed, so it is boxed.
            match Box::pin(self.open(&connect, life)).await {
                Err(error) if is_starting(&error) => time::sleep(CONNECT_PAUSE).await,
                outcome => return outcome,
            }
        }
    }

    /// Whether a rested connection may be reused.
    async fn recycle(
        &self,
        connection: &mut Connection,
        metrics: &Metrics,
    ) -> RecycleResult<sqlx::Error> {
        let is_fit = !connection.is_lost()
            && metrics.age() < AGE_MAX
            && match connection.trust() {
                Trust::Condemned => false,
                Trust::Trusted if connection.rested() < REST_MAX => true,
                Trust::Trusted | Trust::Suspected => connection.prove().await,
            };
        is_fit.then_some(()).ok_or(sqlx::Error::PoolClosed.into())
    }
}

/// Whether a server is not there yet, or has no free connection for a moment.
fn is_starting(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(cause) => cause.kind() == io::ErrorKind::ConnectionRefused,
        _ => has_code(error, &["57P03", "53300"]),
    }
}
