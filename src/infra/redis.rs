//! Redis: one handle for a single server and a cluster, and a breaker, so that a
//! Redis that is away costs each request nothing.
//!
//! Everything here may fail at any moment, and every caller has an answer for it:
//! [`RedisAway`] is not an error a person ever sees.

mod breaker;
mod link;
mod script;

use std::{fmt, sync::Arc, time::Instant};

use futures_util::{Stream, StreamExt, future::ready};
use redis::{Arg, Client, Cmd, ErrorKind, FromRedisValue, Pipeline, ServerErrorKind};

use breaker::{Breaker, Breakers};
use link::Links;
pub use script::{Call, Script};

/// Keys looked at by one step through all keys.
const SCANNED_AT_ONCE: u32 = 1_000;
/// Redis did not answer, or not with what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum RedisAway {
    /// It failed a moment ago and is not asked again yet.
    #[error("Redis failed a moment ago")]
    Resting,
    /// It failed now.
    #[error(transparent)]
    Failed(#[from] redis::RedisError),
}

/// A handle to Redis; clones share the connections.
#[derive(Clone)]
pub struct Redis {
    links: Links,
    /// Servers to listen at: the one, or any node of a cluster, which repeats every
    /// message of the others.
    seeds: Arc<[Client]>,
    prefix: Arc<str>,
    breakers: Breakers,
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Redis {
    /// A handle that connects when it is first used; only an address that cannot
    /// be understood fails. Keys start with `prefix`.
    pub fn open(url: &str, prefix: &str) -> Result<Self, redis::RedisError> {
        let links = Links::to(url)?;
        let breakers = Breakers::new(links.is_cluster());
        let seeds = links.seeds()?;
        Ok(Self { links, seeds, prefix: prefix.into(), breakers })
    }

    /// `name` under this deployment's prefix. What stands in braces decides the
    /// cluster slot, so all keys of one script carry the same braces.
    pub fn key(&self, name: impl fmt::Display) -> String {
        format!("{}:{name}", self.prefix)
    }

    /// A handle for one piece of work whose steps must arrive in the order in which they were
    /// sent, also when one is dropped before its answer and the next is sent by another thread.
    #[must_use]
    pub fn in_order(&self) -> Self {
        Self { links: self.links.pinned(), ..self.clone() }
    }

    /// Runs one command.
    pub async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisAway> {
        let mut link = self.links.mine()?;
        let breaker = self.breakers.of(tagged(command));
        guarded(&breaker, command.query_async(&mut link)).await
    }

    /// Runs several commands in one trip.
    pub async fn pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisAway> {
        let mut link = self.links.mine()?;
        let breaker = self.breakers.of(commands.cmd_iter().find_map(tagged));
        guarded(&breaker, commands.query_async(&mut link)).await
    }

    /// Runs a script by its hash; one that Redis forgot is sent whole.
    pub async fn run<T: FromRedisValue>(&self, call: &Call<'_>) -> Result<T, RedisAway> {
        let mut link = self.links.mine()?;
        let breaker = self.breakers.of(call.first_key());
        let answer = guarded(&breaker, call.by_hash().query_async(&mut link)).await;
        match answer {
            Err(RedisAway::Failed(error)) if is_forgotten(&error) => {
                guarded(&breaker, call.by_source().query_async(&mut link)).await
            }
            answer => answer,
        }
    }

    /// Keys of this deployment that begin with `start`, about `keys_max` of them: for looking
    /// into Redis from outside, never on a request's way.
    pub async fn list_keys(&self, start: &str, keys_max: usize) -> Result<Vec<String>, RedisAway> {
        let pattern = self.key(format_args!("{start}*"));
        if self.links.is_cluster() {
            // A cursor belongs to one server, so a cluster's servers are asked whole.
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

    /// The messages of `channel` until the connection breaks.
    pub async fn subscribe(
        &self,
        channel: &str,
    ) -> Result<impl Stream<Item = String> + use<>, RedisAway> {
        let mut failure = RedisAway::Resting;
        for seed in self.seeds.iter() {
            match seed.get_async_pubsub().await {
                Ok(mut subscription) => {
                    subscription.subscribe(channel).await?;
                    let messages = subscription.into_on_message();
                    return Ok(messages.filter_map(|message| ready(message.get_payload().ok())));
                }
                Err(error) => failure = error.into(),
            }
        }
        Err(failure)
    }

    /// Forgets the keys of this deployment that begin with `start`.
    pub async fn forget_keys(&self, start: &str) -> Result<(), RedisAway> {
        for key in self.list_keys(start, usize::MAX).await? {
            self.query::<()>(redis::cmd("UNLINK").arg(key)).await?;
        }
        Ok(())
    }

    /// Whether Redis answers now, whatever the breaker believes.
    pub async fn is_present(&self) -> bool {
        let is_present = self.ping().await.is_ok();
        match is_present {
            true => self.breakers.whole().close(),
            false => self.breakers.whole().open(),
        }
        is_present
    }

    async fn ping(&self) -> Result<String, redis::RedisError> {
        redis::cmd("PING").query_async(&mut self.links.mine()?).await
    }
}

async fn guarded<T>(
    breaker: &Breaker,
    call: impl Future<Output = Result<T, redis::RedisError>>,
) -> Result<T, RedisAway> {
    if breaker.is_open() {
        return Err(RedisAway::Resting);
    }
    let begun = Instant::now();
    let outcome = call.await;
    metrics::histogram!("stagedoor_redis_duration_seconds").record(begun.elapsed().as_secs_f64());
    if let Err(error) = &outcome
        && is_absence(error)
    {
        breaker.open();
        metrics::counter!("stagedoor_redis_failures_total").increment(1);
        tracing::warn!(%error, "Redis is away");
    }
    Ok(outcome?)
}

/// The first word of `command` that has a tag.
fn tagged(command: &Cmd) -> Option<&[u8]> {
    command.args_iter().find_map(|word| match word {
        Arg::Simple(word) if breaker::tag_of(word).is_some() => Some(word),
        _ => None,
    })
}

fn is_forgotten(error: &redis::RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// Whether the server could not be reached, as opposed to having refused.
fn is_absence(error: &redis::RedisError) -> bool {
    error.is_io_error() || error.is_timeout() || error.is_connection_dropped()
}
