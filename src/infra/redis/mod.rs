//! Redis: one handle for a single server, one behind sentinels or a cluster, with a breaker, so that
//! requests do not wait for a Redis that is away.
//!
//! A **link** is the connection of one thread. A **generation** is the set of links that one
//! failure condemns together. A **breaker** refuses calls for a moment after a failure. The **hash
//! tag** is the text in braces of a key, which decides the cluster slot.
//!
//! # Invariants
//!
//! * Any call may fail at any moment, and every caller has an answer for that: [`RedisAway`] is
//!   never shown to a user.
//! * Every call has a deadline of our own, connecting included, because the client library may wait
//!   longer: its cluster client waits without end while it looks for the nodes.
//! * Every key starts with the deployment's prefix.
//!
//! # Concurrency
//!
//! All threads meet one failure, each on a link of its own. The first begins a new generation and
//! opens the breaker; failures of links that are replaced already change nothing at a single
//! server. In a cluster each hash tag has a breaker of its own, which every failure opens.

mod breaker;
mod connection;
mod generations;
mod link;
#[cfg(test)]
mod outages;
mod script;
mod server;
mod subscription;

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use redis::{Arg, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, ServerErrorKind};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use tokio::time::timeout;

use breaker::{Breaker, Breakers};
use link::{Links, RedisLink};
pub use script::{Call, Script};
pub(crate) use subscription::Listening;

/// Upper bound of one call: connecting to a whole cluster, and the command.
const CALL_MAX: Duration = Duration::from_secs(4);
/// Keys read by one SCAN.
const SCANNED_AT_ONCE: u32 = 1_000;
/// Expiry of the key that [`Redis::is_present`] writes, in milliseconds.
const PRESENCE_KEPT_MS: u32 = 1_000;

/// Redis did not answer, or answered with an error.
#[derive(Debug, thiserror::Error)]
pub enum RedisAway {
    /// Redis failed a moment ago and is not asked again yet.
    #[error("Redis failed a moment ago")]
    Resting,
    /// The call failed.
    #[error(transparent)]
    Failed(#[from] RedisError),
}

/// Handle to Redis; clones share the connections.
#[derive(Clone)]
pub struct Redis {
    links: Links,
    prefix: Arc<str>,
    breakers: Breakers,
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Redis {
    /// Creates a handle that connects on first use; fails only for an address that cannot be
    /// parsed. Keys start with `prefix`.
    pub fn open(url: &str, prefix: &str) -> Result<Self, RedisError> {
        let links = Links::to(url)?;
        let breakers = Breakers::new(links.is_cluster());
        Ok(Self { links, prefix: prefix.into(), breakers })
    }

    /// Returns `name` under this deployment's prefix. The text in braces decides the cluster slot,
    /// so all keys of one script carry the same braces.
    pub fn key(&self, name: impl fmt::Display) -> String {
        format!("{}:{name}", self.prefix)
    }

    /// Returns a handle for one piece of work whose commands must arrive in the order in which they
    /// were sent, even when one is dropped before its answer and the next is sent by another
    /// thread.
    #[must_use]
    pub fn in_order(&self) -> Self {
        Self { links: self.links.pinned(), ..self.clone() }
    }

    /// Runs one command.
    pub async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisAway> {
        let mut link = self.links.mine();
        let breaker = self.breakers.of(tagged(command));
        self.guarded(&link.clone(), &breaker, command.query_async(&mut link.connection)).await
    }

    /// Runs several commands in one round trip.
    pub async fn pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisAway> {
        let mut link = self.links.mine();
        let breaker = self.breakers.of(commands.cmd_iter().find_map(tagged));
        self.guarded(&link.clone(), &breaker, commands.query_async(&mut link.connection)).await
    }

    /// Runs a script by its hash; sends the source when Redis does not know the hash.
    pub async fn run<T: FromRedisValue>(&self, call: &Call<'_>) -> Result<T, RedisAway> {
        let mut link = self.links.mine();
        let breaker = self.breakers.of(call.first_key());
        let used = link.clone();
        let running = async {
            let run_id = used.connection.run_id().await?;
            match call.by_hash(&run_id).query_async(&mut link.connection).await {
                Err(error) if is_forgotten(&error) => {
                    call.by_source(&run_id).query_async(&mut link.connection).await
                }
                answer => answer,
            }
        };
        let answer = self.guarded(&used, &breaker, running).await?;
        call.place().reach("after its script").await;
        Ok(answer)
    }

    /// Returns keys of this deployment that begin with `start`: about `keys_max`, or all of them in
    /// a cluster. For checks and maintenance, never within a request.
    pub async fn list_keys(&self, start: &str, keys_max: usize) -> Result<Vec<String>, RedisAway> {
        let pattern = self.key(format_args!("{start}*"));
        if self.links.is_cluster() {
            // A cursor belongs to one server, so a cluster's servers are asked with KEYS.
            return self.query(redis::cmd("KEYS").arg(pattern)).await;
        }
        let (mut cursor, mut keys) = (0_u64, Vec::new());
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(SCANNED_AT_ONCE);
            let (next, page): (u64, Vec<String>) = self.query(&scan).await?;
            keys.extend(page);
            cursor = next;
            if cursor == 0 || keys.len() >= keys_max {
                return Ok(keys);
            }
        }
    }

    /// Subscribes to `channel` at the first server that answers.
    pub async fn subscribe(&self, channel: &str) -> Result<Listening, RedisAway> {
        let mut failure = RedisAway::Resting;
        for seed in in_time(self.links.seeds()).await? {
            match Listening::open(&seed, channel).await {
                Ok(subscription) => return Ok(subscription),
                Err(error) => failure = error.into(),
            }
        }
        Err(failure)
    }

    /// Keeps a note at `key` for `kept_for`, in whole seconds.
    pub async fn keep(
        &self,
        key: &str,
        note: &impl Serialize,
        kept_for: Duration,
    ) -> Result<(), RedisAway> {
        let note = json!(note).to_string();
        let mut write = redis::cmd("SET");
        self.query(write.arg(key).arg(note).arg("EX").arg(kept_for.as_secs())).await
    }

    /// Returns the note at `key`; `None` if none is kept, or one that is no `T`.
    pub async fn kept<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, RedisAway> {
        let note: Option<String> = self.query(redis::cmd("GET").arg(key)).await?;
        Ok(note.and_then(|note| serde_json::from_str(&note).ok()))
    }

    /// Deletes the keys of this deployment that begin with `start`.
    pub async fn forget_keys(&self, start: &str) -> Result<(), RedisAway> {
        for key in self.list_keys(start, usize::MAX).await? {
            self.query::<()>(redis::cmd("UNLINK").arg(key)).await?;
        }
        Ok(())
    }

    /// Whether Redis serves at this moment, regardless of the breaker. A server that only reads,
    /// because it was made a replica, does not.
    pub async fn is_present(&self) -> bool {
        let mut link = self.links.mine();
        let asked: Result<(), _> = in_time(self.question().query_async(&mut link.connection)).await;
        let is_present = asked.as_ref().err().is_none_or(|error| !is_absence(error));
        if is_present {
            self.note_presence(&link);
        } else {
            self.note_absence(&link, self.breakers.whole());
        }
        is_present
    }

    /// Returns the command that tests whether Redis serves: a write. In a cluster only a PING,
    /// because one server's answer to a write says nothing about the others.
    fn question(&self) -> Cmd {
        if self.links.is_cluster() {
            return redis::cmd("PING");
        }
        let mut write = redis::cmd("SET");
        write.arg(self.key("present")).arg(1).arg("PX").arg(PRESENCE_KEPT_MS);
        write
    }

    async fn guarded<T>(
        &self,
        link: &RedisLink,
        breaker: &Breaker,
        call: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, RedisAway> {
        if breaker.is_open() {
            return Err(RedisAway::Resting);
        }
        let begun = Instant::now();
        let outcome = in_time(call).await;
        metrics::histogram!("stagedoor_redis_duration_seconds")
            .record(begun.elapsed().as_secs_f64());
        if let Err(error) = &outcome
            && is_absence(error)
        {
            if self.note_absence(link, breaker) {
                tracing::warn!(%error, "Redis is away");
            }
            metrics::counter!("stagedoor_redis_failures_total").increment(1);
        }
        Ok(outcome?)
    }

    /// Opens the breaker after a failure of `link`; returns whether it did. Each thread meets the same
    /// failure on a link of its own, and a late failure of a link that is replaced already says nothing
    /// about the server.
    fn note_absence(&self, link: &RedisLink, breaker: &Breaker) -> bool {
        let is_news = self.links.lose(link) || self.links.is_cluster();
        if is_news {
            breaker.open();
        }
        is_news
    }

    /// Closes the breaker after an answer on `link`, unless a failure was met since it was sent.
    fn note_presence(&self, link: &RedisLink) {
        if self.links.is_newest(link) {
            self.breakers.whole().close();
        }
    }
}

/// Ends `call` at [`CALL_MAX`] with an error that counts as an absence.
async fn in_time<T>(call: impl Future<Output = Result<T, RedisError>>) -> Result<T, RedisError> {
    let ended = timeout(CALL_MAX, call).await;
    ended.unwrap_or_else(|elapsed| Err(std::io::Error::from(elapsed).into()))
}

/// Returns the first argument of `command` that has a hash tag.
fn tagged(command: &Cmd) -> Option<&[u8]> {
    command.args_iter().find_map(|word| match word {
        Arg::Simple(word) if breaker::tag_of(word).is_some() => Some(word),
        _ => None,
    })
}

fn is_forgotten(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// Whether the server could not be reached or cannot serve, as opposed to having refused. A server
/// that is loading its data, was made a replica or has lost its primary is away too.
fn is_absence(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_timeout()
        || error.is_connection_dropped()
        || matches!(
            error.kind(),
            ErrorKind::Server(
                ServerErrorKind::ReadOnly
                    | ServerErrorKind::MasterDown
                    | ServerErrorKind::BusyLoading
                    | ServerErrorKind::ClusterDown
            )
        )
}
