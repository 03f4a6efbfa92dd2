//! Reads that may be some seconds old: from the standby while it is known to be fresh, else from the
//! primary.
//!
//! A **stale read** is one whose answer no decision rests on. The **staleness** of the standby is the age of
//! the last moment from which on it may lack something that the primary acknowledged.
//!
//! # Invariants
//!
//! * The standby is read from only while it is at most [`STALENESS_MAX`](freshness::STALENESS_MAX) behind a
//!   primary that answers, or [`STALENESS_WITHOUT_PRIMARY_MAX`](freshness::STALENESS_WITHOUT_PRIMARY_MAX)
//!   behind one that does not.
//! * A read that fails at the standby, for any reason, is repeated at the primary.
//! * A page of several reads waits at most once for a standby that does not answer.
//!
//! # Concurrency
//!
//! A worker of each instance asks both servers once a second. Reads use what it noted last, and a read that
//! loses its connection to the standby ends its use until the next good answer.

mod freshness;
mod questions;

use std::{
    str::FromStr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::select_ok;
use sqlx::postgres::PgConnectOptions;
use tokio::time::timeout;

pub use self::freshness::LEFT_AFTER_SLOW_READ;
use self::freshness::{Freshness, StandbyAnswer};
use super::{Pool, is_unavailable};
use crate::config::Config;

/// Upper bound of one question to one server, with the wait for a connection.
const QUESTION_MAX: Duration = Duration::from_secs(1);
/// Upper bound of one instance's connections to the standby.
const CONNECTIONS_MAX: u32 = 4;
/// Time after which a read that the standby has not answered is put to the primary as well; the first
/// answer counts. It leaves the primary almost three quarters of a page's deadline.
const PATIENCE: Duration = Duration::from_millis(500);

/// Server that answered a stale read, as the label of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum AnsweredBy {
    Standby,
    /// The primary, because the standby was not known to be fresh, or kept another read waiting just before.
    PrimaryNotFresh,
    /// The primary, because the standby failed, or took longer.
    PrimaryAfterStandby,
}

/// Reader of data that may be some seconds old; clones share the measured state of the standby.
#[derive(Clone, Debug)]
pub struct StaleReads {
    primary: Pool,
    /// `None` where no standby is configured.
    standby: Option<Arc<Standby>>,
}

#[derive(Debug)]
struct Standby {
    pool: Pool,
    freshness: Mutex<Freshness>,
    /// Whether it was read from when its state was last logged.
    was_fresh: AtomicBool,
}

impl Standby {
    fn freshness(&self) -> MutexGuard<'_, Freshness> {
        self.freshness.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StaleReads {
    /// Creates a reader of the standby that `config` names, without connecting; an error says that its
    /// address cannot be understood.
    pub fn new(config: &Config, primary: &Pool) -> Result<Self, sqlx::Error> {
        let open = |url: &String| {
            let connect = PgConnectOptions::from_str(url)?;
            let pool = Pool::of_standby(connect, CONNECTIONS_MAX)?;
            let (freshness, was_fresh) = (Mutex::default(), AtomicBool::default());
            Ok::<_, sqlx::Error>(Arc::new(Standby { pool, freshness, was_fresh }))
        };
        let standby = config.standby_database_url.as_ref().map(open).transpose()?;
        Ok(Self { primary: primary.clone(), standby })
    }

    /// Whether a standby is configured.
    pub fn has_standby(&self) -> bool {
        self.standby.is_some()
    }

    /// Asks both servers how far they are; one tick of a worker. That a server is away is no failure of it.
    pub async fn follow(&self) {
        let Some(standby) = &self.standby else { return };
        // Before the question: later acknowledged writes may be missing from the answer.
        let asked_at = Instant::now();
        let written = timeout(QUESTION_MAX, questions::ask_primary(&self.primary)).await;
        let written = written.ok().and_then(Result::ok);
        standby.freshness().note_primary(asked_at, written);
        let answer = match timeout(QUESTION_MAX, questions::ask_standby(&standby.pool)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the standby does not say how far it is");
                StandbyAnswer::Silent
            }
            Err(_) => StandbyAnswer::Silent,
        };
        standby.freshness().note_standby(answer);
        standby.tell();
    }

    /// Runs `read` on the standby while that is fresh, else on the primary. A read that fails on the standby
    /// is repeated on the primary, once.
    ///
    /// `name` is what the metrics call the read.
    pub async fn read<T, F>(
        &self,
        name: &'static str,
        read: impl Fn(Pool) -> F,
    ) -> Result<T, sqlx::Error>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        Ok(self.answer(name, read).await?.1)
    }

    /// Works as [`read`](Self::read), and asks the primary too for rows that the standby does not have.
    pub async fn find<T, F>(
        &self,
        name: &'static str,
        find: impl Fn(Pool) -> F,
    ) -> Result<Option<T>, sqlx::Error>
    where
        F: Future<Output = Result<Option<T>, sqlx::Error>>,
    {
        match self.answer(name, &find).await? {
            (AnsweredBy::Standby, None) => find(self.primary.clone()).await,
            (_, found) => Ok(found),
        }
    }

    async fn answer<T, F>(
        &self,
        name: &'static str,
        read: impl Fn(Pool) -> F,
    ) -> Result<(AnsweredBy, T), sqlx::Error>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        let Some(standby) = &self.standby else {
            return Ok((AnsweredBy::PrimaryNotFresh, read(self.primary.clone()).await?));
        };
        let ask = |by: AnsweredBy, pool: &Pool| {
            let answer = read(pool.clone());
            Box::pin(async move { answer.await.map(|answer| (by, answer)) })
        };
        let outcome = if standby.freshness().is_read_from(Instant::now()) {
            let mut first = ask(AnsweredBy::Standby, &standby.pool);
            let by_primary = || ask(AnsweredBy::PrimaryAfterStandby, &self.primary);
            match timeout(PATIENCE, &mut first).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(error)) => {
                    standby.note_failure(&error);
                    by_primary().await
                }
                Err(_) => {
                    standby.freshness().note_slow_read(Instant::now());
                    select_ok([first, by_primary()]).await.map(|(answer, _)| answer)
                }
            }
        } else {
            ask(AnsweredBy::PrimaryNotFresh, &self.primary).await
        };
        let (by, answer) = outcome?;
        let from: &'static str = by.into();
        metrics::counter!("stagedoor_stale_reads_total", "read" => name, "from" => from)
            .increment(1);
        Ok((by, answer))
    }
}

impl Standby {
    /// Ends the use of a standby that cannot be reached, until it answers the next question. One that refuses
    /// a single statement, because a table is missing or was cleaned meanwhile, is used on.
    fn note_failure(&self, error: &sqlx::Error) {
        tracing::debug!(%error, "a read failed at the standby and is put to the primary");
        if is_unavailable(error) {
            self.freshness().note_standby(StandbyAnswer::Silent);
        }
    }

    /// Sets the metrics, and logs a change.
    fn tell(&self) {
        let now = Instant::now();
        let (is_fresh, staleness) = {
            let freshness = self.freshness();
            (freshness.is_fresh(now), freshness.staleness(now))
        };
        metrics::gauge!("stagedoor_standby_up").set(if is_fresh { 1.0 } else { 0.0 });
        if let Some(staleness) = staleness {
            metrics::gauge!("stagedoor_standby_staleness_seconds").set(staleness.as_secs_f64());
        }
        match (self.was_fresh.swap(is_fresh, Ordering::Relaxed), is_fresh) {
            (false, true) => tracing::info!("the standby is fresh: it is read from"),
            (true, false) => {
                tracing::warn!(
                    ?staleness,
                    "the standby is not known to be fresh: it is not read from"
                );
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
