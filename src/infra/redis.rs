//! Redis: one handle for a single server and a cluster, and a breaker, so that a
//! Redis that is away costs each request nothing.
//!
//! Everything here may fail at any moment, and every caller has an answer for it:
//! [`RedisAway`] is not an error a person ever sees.

mod breaker;
mod script;

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{Stream, StreamExt, future::ready};
use redis::{
    Arg, Client, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisFuture, ServerErrorKind, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig},
    cluster::ClusterClient,
    cluster_async::ClusterConnection,
};
use tokio::sync::OnceCell;

use breaker::{Breaker, Breakers};
pub use script::{Call, Script};

/// How long one command may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Keys looked at by one step through all keys.
const SCANNED_AT_ONCE: u32 = 1_000;
/// The scheme that names a cluster: `redis+cluster://host:port,host:port`.
const CLUSTER_SCHEME: &str = "redis+cluster://";

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

/// A handle to Redis; clones share the connection.
#[derive(Clone)]
pub struct Redis {
    link: Link,
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
        let link = match url.strip_prefix(CLUSTER_SCHEME) {
            Some(nodes) => Link::cluster(nodes)?,
            None => Link::single(url)?,
        };
        let breakers = Breakers::new(matches!(link, Link::Cluster(..)));
        let seeds = match url.strip_prefix(CLUSTER_SCHEME) {
            Some(nodes) => node_urls(nodes).map(Client::open).collect::<Result<_, _>>()?,
            None => Arc::from([Client::open(url)?]),
        };
        Ok(Self { link, seeds, prefix: prefix.into(), breakers })
    }

    /// `name` under this deployment's prefix. What stands in braces decides the
    /// cluster slot, so all keys of one script carry the same braces.
    pub fn key(&self, name: impl fmt::Display) -> String {
        format!("{}:{name}", self.prefix)
    }

    /// Runs one command.
    pub async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisAway> {
        let mut link = self.link.clone();
        let breaker = self.breakers.of(tagged(command));
        guarded(&breaker, command.query_async(&mut link)).await
    }

    /// Runs several commands in one trip.
    pub async fn pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisAway> {
        let mut link = self.link.clone();
        let breaker = self.breakers.of(commands.cmd_iter().find_map(tagged));
        guarded(&breaker, commands.query_async(&mut link)).await
    }

    /// Runs a script by its hash; one that Redis forgot is sent whole.
    pub async fn run<T: FromRedisValue>(&self, call: &Call<'_>) -> Result<T, RedisAway> {
        let mut link = self.link.clone();
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
        if matches!(self.link, Link::Cluster(..)) {
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
        let ping: Result<String, _> = redis::cmd("PING").query_async(&mut self.link.clone()).await;
        match ping {
            Ok(_) => self.breakers.whole().close(),
            Err(_) => self.breakers.whole().open(),
        }
        ping.is_ok()
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

/// The connection behind a handle: one server, or a cluster that is found when it
/// is first needed (its client cannot connect lazily by itself).
#[derive(Clone)]
enum Link {
    Single(ConnectionManager),
    Cluster(Arc<ClusterClient>, Arc<OnceCell<ClusterConnection>>),
}

impl Link {
    fn single(url: &str) -> Result<Self, redis::RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_number_of_retries(1);
        let manager = ConnectionManager::new_lazy_with_config(Client::open(url)?, config)?;
        Ok(Self::Single(manager))
    }

    fn cluster(nodes: &str) -> Result<Self, redis::RedisError> {
        let client = ClusterClient::builder(node_urls(nodes))
            .response_timeout(RESPONSE_TIMEOUT)
            .connection_timeout(CONNECT_TIMEOUT)
            .build()?;
        Ok(Self::Cluster(Arc::new(client), Arc::new(OnceCell::new())))
    }
}

fn node_urls(nodes: &str) -> impl Iterator<Item = String> {
    nodes.split(',').map(|node| format!("redis://{}", node.trim()))
}

async fn found<'a>(
    client: &ClusterClient,
    cell: &'a OnceCell<ClusterConnection>,
) -> Result<&'a ClusterConnection, redis::RedisError> {
    cell.get_or_try_init(|| client.get_async_connection()).await
}

impl ConnectionLike for Link {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::Single(manager) => manager.req_packed_command(cmd),
            Self::Cluster(client, cell) => {
                Box::pin(
                    async move { found(client, cell).await?.clone().req_packed_command(cmd).await },
                )
            }
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::Single(manager) => manager.req_packed_commands(pipeline, offset, count),
            Self::Cluster(client, cell) => Box::pin(async move {
                let mut connection = found(client, cell).await?.clone();
                connection.req_packed_commands(pipeline, offset, count).await
            }),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::Single(manager) => manager.get_db(),
            // A cluster has only database 0.
            Self::Cluster(..) => 0,
        }
    }
}
