//! Connections behind a [`Redis`](super::Redis) handle.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use redis::{
    Client, RedisError,
    cluster::ClusterClient,
    io::tcp::{TcpSettings, socket2::TcpKeepalive},
};
use thread_local::ThreadLocal;
use tokio::runtime::Handle;

use super::{
    connection::RedisConnection,
    generations::LinkGenerations,
    server::{CONNECT_TIMEOUT, RESPONSE_TIMEOUT, RedisServer, client},
};

/// Shortest life of links to a cluster: a node that is away for long must not have the links to the
/// other nodes replaced again and again.
const CLUSTER_LINK_KEPT: Duration = Duration::from_secs(3);
/// Silence after which the system probes a peer, the interval of the probes, and the time after
/// which it gives up.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(5);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(2);
const USER_TIMEOUT: Duration = Duration::from_secs(10);
/// Scheme of a cluster's address: `redis+cluster://host:port,host:port`.
const CLUSTER_SCHEME: &str = "redis+cluster://";

/// One link for each thread that asks. A connection is driven by the thread that opened it, so that
/// sharing one between threads would wake two threads more for each command.
///
/// A link that failed is of no more use, and neither are the links of the other threads: one
/// failure begins a new generation, and each thread replaces its link when it next asks.
#[derive(Clone)]
pub(crate) struct Links {
    servers: Arc<Servers>,
    by_thread: Arc<ThreadLocal<Mutex<Slot>>>,
    generations: Arc<LinkGenerations>,
    /// Link that is used on every thread, if set.
    pinned: Option<Arc<Mutex<Slot>>>,
}

/// Link of one thread, and the link that replaces it once that is connected.
#[derive(Clone, Default)]
struct Slot {
    link: Option<RedisLink>,
    next: Option<RedisLink>,
}

/// Address of Redis: a server, or the nodes of a cluster.
enum Servers {
    Single(Arc<RedisServer>),
    Cluster { client: Arc<ClusterClient>, nodes: Vec<String> },
}

impl Links {
    /// Creates the links to the servers of `url`, without connecting.
    pub(crate) fn to(url: &str) -> Result<Self, RedisError> {
        let servers = match url.strip_prefix(CLUSTER_SCHEME) {
            Some(nodes) => Servers::cluster(nodes)?,
            None => Servers::Single(Arc::new(RedisServer::parse(url, tcp_settings())?)),
        };
        let kept = match servers {
            Servers::Single(_) => Duration::ZERO,
            Servers::Cluster { .. } => CLUSTER_LINK_KEPT,
        };
        Ok(Self {
            servers: Arc::new(servers),
            by_thread: Arc::default(),
            generations: Arc::new(LinkGenerations::new(kept)),
            pinned: None,
        })
    }

    pub(crate) fn is_cluster(&self) -> bool {
        matches!(*self.servers, Servers::Cluster { .. })
    }

    /// Returns clients to subscribe with: the server, or any node of a cluster, because each node
    /// repeats the messages of the others.
    pub(crate) async fn seeds(&self) -> Result<Vec<Client>, RedisError> {
        match &*self.servers {
            Servers::Single(primary) => Ok(vec![primary.client().await?]),
            Servers::Cluster { nodes, .. } => {
                nodes.iter().map(|node| client(node, tcp_settings())).collect()
            }
        }
    }

    /// Returns links that use this thread's link on every thread.
    pub(crate) fn pinned(&self) -> Self {
        let mine = lock(self.slot()).clone();
        Self { pinned: Some(Arc::new(Mutex::new(mine))), ..self.clone() }
    }

    /// Returns the link of this thread, or the pinned one.
    pub(crate) fn mine(&self) -> RedisLink {
        let mut slot = lock(self.slot());
        let newest = self.generations.newest();
        let link = match slot.link.take() {
            Some(link) if link.generation >= newest => link,
            Some(old) => self.replaced(old, &mut slot.next, newest),
            None => self.servers.link(newest),
        };
        slot.link.insert(link).clone()
    }

    /// Records that `link` failed. Returns whether that was the first failure of its generation.
    pub(crate) fn lose(&self, link: &RedisLink) -> bool {
        self.generations.lose(link.generation)
    }

    /// Whether `link` is of the newest generation: what it met is true of the others too.
    pub(crate) fn is_newest(&self, link: &RedisLink) -> bool {
        link.generation >= self.generations.newest()
    }

    fn slot(&self) -> &Mutex<Slot> {
        match &self.pinned {
            Some(pinned) => pinned,
            None => self.by_thread.get_or_default(),
        }
    }

    /// Returns the link to use instead of `old`. For a cluster the new link connects in the
    /// background, while the old one still serves the nodes that are there.
    fn replaced(&self, old: RedisLink, next: &mut Option<RedisLink>, newest: u64) -> RedisLink {
        if !self.is_cluster() {
            return self.servers.link(newest);
        }
        match next.take() {
            Some(ready) if ready.connection.stands() => ready,
            Some(coming) if coming.generation >= newest => {
                *next = Some(coming);
                old
            }
            _ => {
                let coming = self.servers.link(newest);
                let Ok(runtime) = Handle::try_current() else { return coming };
                *next = Some(coming.clone());
                runtime.spawn(coming.prepare());
                old
            }
        }
    }
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns settings with which a socket notices a peer that is gone.
fn tcp_settings() -> TcpSettings {
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_AFTER)
        .with_interval(KEEPALIVE_EVERY)
        .with_retries(2);
    let settings = TcpSettings::default().set_nodelay(true).set_keepalive(keepalive);
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(USER_TIMEOUT);
    settings
}

impl Servers {
    fn cluster(nodes: &str) -> Result<Self, RedisError> {
        let nodes: Vec<String> =
            nodes.split(',').map(|node| format!("redis://{}", node.trim())).collect();
        let client = ClusterClient::builder(nodes.iter().cloned())
            .response_timeout(RESPONSE_TIMEOUT)
            .connection_timeout(CONNECT_TIMEOUT)
            .tcp_settings(tcp_settings())
            .build()?;
        Ok(Self::Cluster { client: Arc::new(client), nodes })
    }

    fn link(&self, generation: u64) -> RedisLink {
        let connection = match self {
            Self::Single(primary) => RedisConnection::to_server(primary.clone()),
            Self::Cluster { client, .. } => RedisConnection::to_cluster(client.clone()),
        };
        RedisLink { connection, generation }
    }
}

/// Connection to one server or to a cluster, of one generation.
#[derive(Clone)]
pub(crate) struct RedisLink {
    pub connection: RedisConnection,
    generation: u64,
}

impl RedisLink {
    /// Connects to the cluster, so that no request waits for it later.
    async fn prepare(self) {
        const ATTEMPTS_MAX: u32 = 10;
        const PAUSE: Duration = Duration::from_millis(500);
        for _ in 0..ATTEMPTS_MAX {
            match self.connection.connect().await {
                Ok(()) => return,
                Err(error) => tracing::debug!(%error, "the cluster was not found"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_links_of_all_threads_fail_as_one() {
        let links = Links::to("redis://127.0.0.1:1").unwrap();
        let runtime = Handle::current();
        let by_thread: Vec<RedisLink> = std::thread::scope(|scope| {
            let ask = || {
                let _runtime = runtime.enter();
                links.mine()
            };
            let threads: Vec<_> = (0..64).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let n_news = by_thread.iter().filter(|link| links.lose(link)).count();
        assert_eq!(n_news, 1, "one failure rests once, however many threads met it");
        assert_eq!(links.mine().generation, 1);
    }

    #[tokio::test]
    async fn a_pinned_link_is_replaced_too() {
        let pinned = Links::to("redis://127.0.0.1:1").unwrap().pinned();
        let failed = pinned.mine();
        assert!(pinned.lose(&failed));
        assert!(pinned.mine().generation > failed.generation);
        assert!(!pinned.lose(&failed), "what comes late from a replaced link is no news");
    }
}
