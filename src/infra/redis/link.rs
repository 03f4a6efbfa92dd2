//! The connections behind a handle.

use std::{sync::Arc, time::Duration};

use redis::{
    Client, Cmd, Pipeline, RedisError, RedisFuture, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig},
    cluster::ClusterClient,
    cluster_async::ClusterConnection,
};
use thread_local::ThreadLocal;
use tokio::sync::OnceCell;

/// How long one command may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The scheme that names a cluster: `redis+cluster://host:port,host:port`.
const CLUSTER_SCHEME: &str = "redis+cluster://";

/// One connection for each thread that asks. A connection is driven by the thread that
/// opened it; shared by all of them, each question from another one would wake two threads
/// more than it needs.
#[derive(Clone)]
pub(super) struct Links {
    servers: Arc<Servers>,
    by_thread: Arc<ThreadLocal<Link>>,
    /// The one that is used whichever thread asks.
    pinned: Option<Link>,
}

/// Where Redis is.
enum Servers {
    Single(Box<Client>),
    Cluster { client: Arc<ClusterClient>, nodes: Vec<String> },
}

impl Links {
    /// To the server or the cluster that `url` names; none is opened yet.
    pub(super) fn to(url: &str) -> Result<Self, RedisError> {
        let servers = match url.strip_prefix(CLUSTER_SCHEME) {
            Some(nodes) => Servers::cluster(nodes)?,
            None => Servers::Single(Box::new(Client::open(url)?)),
        };
        Ok(Self { servers: Arc::new(servers), by_thread: Arc::default(), pinned: None })
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(*self.servers, Servers::Cluster { .. })
    }

    /// Servers to listen at: the one, or any node of a cluster, which repeats every message
    /// of the others.
    pub(super) fn seeds(&self) -> Result<Arc<[Client]>, RedisError> {
        match &*self.servers {
            Servers::Single(client) => Ok(Arc::from([Client::clone(client)])),
            Servers::Cluster { nodes, .. } => {
                nodes.iter().map(|node| Client::open(node.as_str())).collect()
            }
        }
    }

    /// The same, with the connection of this thread for every other as well.
    pub(super) fn pinned(&self) -> Self {
        // Where none can be made, nothing is sent that could arrive in another order.
        Self { pinned: self.mine().ok(), ..self.clone() }
    }

    /// The one of this thread, unless one is pinned.
    pub(super) fn mine(&self) -> Result<Link, RedisError> {
        if let Some(link) = &self.pinned {
            return Ok(link.clone());
        }
        self.by_thread.get_or_try(|| self.servers.link()).cloned()
    }
}

impl Servers {
    fn cluster(nodes: &str) -> Result<Self, RedisError> {
        let nodes: Vec<String> =
            nodes.split(',').map(|node| format!("redis://{}", node.trim())).collect();
        let client = ClusterClient::builder(nodes.iter().cloned())
            .response_timeout(RESPONSE_TIMEOUT)
            .connection_timeout(CONNECT_TIMEOUT)
            .build()?;
        Ok(Self::Cluster { client: Arc::new(client), nodes })
    }

    fn link(&self) -> Result<Link, RedisError> {
        match self {
            Self::Single(client) => {
                let config = ConnectionManagerConfig::new()
                    .set_response_timeout(Some(RESPONSE_TIMEOUT))
                    .set_connection_timeout(Some(CONNECT_TIMEOUT))
                    .set_number_of_retries(1);
                ConnectionManager::new_lazy_with_config(Client::clone(client), config)
                    .map(Link::Single)
            }
            Self::Cluster { client, .. } => Ok(Link::Cluster(client.clone(), Arc::default())),
        }
    }
}

/// A connection to one server, or to a cluster that is found when it is first needed (its
/// client cannot connect lazily by itself).
#[derive(Clone)]
pub(super) enum Link {
    Single(ConnectionManager),
    Cluster(Arc<ClusterClient>, Arc<OnceCell<ClusterConnection>>),
}

async fn found<'a>(
    client: &ClusterClient,
    cell: &'a OnceCell<ClusterConnection>,
) -> Result<&'a ClusterConnection, RedisError> {
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
