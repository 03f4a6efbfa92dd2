//! Connection of the stores: every call on it ends within a deadline.
//!
//! Whether one that rests in the pool may be used again follows from the `generations` of that pool. One
//! outside of it, for work that takes long, is `dedicated`.

pub(super) mod dedicated;
pub(super) mod generations;

use std::{
    future::ready,
    io,
    time::{Duration, Instant},
};

use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use sqlx::{
    ConnectOptions, Describe, Either, Execute, Executor, PgConnection, Postgres, Row, SqlStr,
    migrate::MigrateError,
    postgres::{PgConnectOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};
use tokio::time::{self, timeout, timeout_at};

use self::generations::{Life, Trust};
use super::migrations::MIGRATIONS;
use crate::infra::clock::ClockReading;

/// Upper bound of a call on a connection of the pool: `statement_timeout` and two seconds. A live
/// server has answered before that.
pub(crate) const CALL_MAX: Duration = Duration::from_secs(7);
/// Upper bound of the check whether a connection still lives and is clean.
const RESET_MAX: Duration = Duration::from_secs(1);
/// Question for the server's process and its clock, in microseconds since the epoch.
const GREETING: &str =
    "select pg_backend_pid(), (extract(epoch from clock_timestamp()) * 1000000)::bigint";
/// Bytes of COPY in one message.
const COPY_CHUNK_BYTES: usize = 64 * 1024;

/// Connection that a pool keeps between two uses.
pub(crate) trait Reusable {
    /// Records that the work is done and the connection rests.
    fn rest(&mut self);

    /// Ends any transaction that was left open; `is_open` says that one is known to be. False when
    /// the server does not answer.
    fn reset(&mut self, is_open: bool) -> impl Future<Output = bool> + Send;
}

/// Connection to PostgreSQL on which every call ends, answered or not.
///
/// A call that the server has not answered at the connection's deadline fails with an
/// [`sqlx::Error::Io`] of the kind `TimedOut`. What the server did is then unknown:
/// [`is_unavailable`](super::is_unavailable) is true of the error, and the connection accepts no
/// more calls and is closed. `sqlx` itself waits for ever on a wire that carries nothing, and has
/// no way to set the socket's keepalive; this deadline stands in for both.
#[derive(Debug)]
pub struct Connection {
    wire: PgConnection,
    call_max: Duration,
    life: Life,
    /// Server process of this connection.
    backend_pid: i32,
    rested_since: Instant,
}

impl Connection {
    /// Connects, and reads the server's clock. The caller sets the deadline.
    pub(crate) async fn open(
        options: &PgConnectOptions,
        call_max: Duration,
        life: Life,
    ) -> Result<(Self, ClockReading), sqlx::Error> {
        let mut wire = options.connect().await?;
        let (backend_pid, reading) = greet(&mut wire).await?;
        let connection = Self { wire, call_max, life, backend_pid, rested_since: Instant::now() };
        Ok((connection, reading))
    }

    /// Asks the server what time it is.
    pub(crate) async fn read_clock(&mut self) -> Result<ClockReading, sqlx::Error> {
        let Self { wire, life, call_max, .. } = self;
        Ok(in_time(life, *call_max, greet(wire)).await?.1)
    }

    pub(crate) fn backend_pid(&self) -> i32 {
        self.backend_pid
    }

    /// Whether the connection accepts no more calls.
    pub fn is_lost(&self) -> bool {
        self.life.is_lost()
    }

    /// Marks the connection as lost: it accepts no more calls.
    pub(crate) fn lose(&mut self) {
        self.life.lose();
    }

    pub(crate) fn trust(&self) -> Trust {
        self.life.trust()
    }

    /// Returns the time since the last work.
    pub(crate) fn rested(&self) -> Duration {
        self.rested_since.elapsed()
    }

    /// Asks the server whether an idle connection still lives. The answer also decides about the
    /// connections that were opened before.
    pub async fn prove(&mut self) -> bool {
        let newest = self.life.newest();
        let is_alive = self.reset(false).await;
        match is_alive {
            true => self.life.prove(newest),
            false => self.life.condemn_elders(newest),
        }
        is_alive
    }

    /// Writes `rows` in the format of `COPY … FROM STDIN`.
    pub async fn copy_in(
        &mut self,
        statement: &'static str,
        rows: &[u8],
    ) -> Result<(), sqlx::Error> {
        let Self { wire, life, call_max, .. } = self;
        let copying = async {
            let mut copy = wire.copy_in_raw(statement).await?;
            for chunk in rows.chunks(COPY_CHUNK_BYTES) {
                copy.send(chunk).await?;
            }
            copy.finish().await?;
            Ok(())
        };
        in_time(life, *call_max, copying).await
    }

    /// Applies the missing migrations, all of them within one call's deadline.
    pub async fn migrate(&mut self) -> Result<(), MigrateError> {
        let migrating = MIGRATIONS.run_direct(None, &mut self.wire, false);
        timeout(self.call_max, migrating).await.unwrap_or_else(|_| {
            self.life.lose();
            Err(MigrateError::Execute(silence()))
        })
    }
}

impl Reusable for Connection {
    fn rest(&mut self) {
        self.rested_since = Instant::now();
    }

    /// Where no transaction is known to be open, `begin` comes first, because a bare `rollback` would
    /// log a warning.
    async fn reset(&mut self, is_open: bool) -> bool {
        let ending = if is_open { "rollback" } else { "begin; rollback" };
        if self.life.is_lost() {
            return false;
        }
        let is_clean = matches!(timeout(RESET_MAX, self.wire.execute(ending)).await, Ok(Ok(_)));
        if !is_clean {
            self.life.lose();
        }
        is_clean
    }
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        if self.life.is_lost() {
            return stream::once(ready(Err(lost()))).boxed();
        }
        let Connection { wire, life, call_max, .. } = self;
        let ends = time::Instant::now() + *call_max;
        // All steps of one call share its deadline.
        let steps = stream::unfold(Some((wire.fetch_many(query), life)), move |left| async move {
            let (mut steps, life) = left?;
            match timeout_at(ends, steps.next()).await {
                Ok(Some(Ok(step))) => Some((Ok(step), Some((steps, life)))),
                Ok(Some(Err(error))) => {
                    life.note(&error);
                    Some((Err(error), None))
                }
                Ok(None) => None,
                Err(_) => {
                    life.lose();
                    Some((Err(silence()), None))
                }
            }
        });
        steps.boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let Connection { wire, life, call_max, .. } = self;
        in_time(life, *call_max, async move { wire.fetch_optional(query).await }).boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'c: 'e,
    {
        let Connection { wire, life, call_max, .. } = self;
        in_time(life, *call_max, async move { wire.prepare_with(sql, parameters).await }).boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'c: 'e,
    {
        let Connection { wire, life, call_max, .. } = self;
        in_time(life, *call_max, async move { wire.describe(sql).await }).boxed()
    }
}

/// Asks the server for the process of a connection, and for its clock.
async fn greet(wire: &mut PgConnection) -> Result<(i32, ClockReading), sqlx::Error> {
    let asked_at = Instant::now();
    let row = wire.fetch_one(GREETING).await?;
    Ok((row.try_get(0)?, ClockReading::new(asked_at, row.try_get(1)?)))
}

async fn in_time<T>(
    life: &mut Life,
    call_max: Duration,
    call: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    if life.is_lost() {
        return Err(lost());
    }
    let answer = timeout(call_max, call).await.unwrap_or_else(|_| Err(silence()));
    answer.inspect_err(|error| life.note(error))
}

/// Returns the error of a call that the server did not answer in time; its work may have been done.
pub(crate) fn silence() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "PostgreSQL did not answer in time").into()
}

/// Returns the error of a call on a lost connection; the call was not sent.
fn lost() -> sqlx::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the connection was lost before").into()
}
