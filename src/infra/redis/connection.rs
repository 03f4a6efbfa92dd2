//! Connection of one link: to a single server, which sentinels may name, or to a cluster.
//!
//! The **run id** names one process of a Redis server: it is made at every start, and is stored in no
//! file. A script that gets it from here need not ask the server, which takes longer than all
//! else that a poll does.
//!
//! # Invariants
//!
//! * A connection to a single server ends with the process that it was made to: it never connects
//!   again, and its run id is read over it before any other command. So a command that goes over it
//!   with that id reaches the process of that id or none. The client library's connections that
//!   reconnect by themselves would carry an old id to a server that was restarted.
//! * A connection to a cluster reconnects by itself and goes to many servers, so it has no run id.

use std::{sync::Arc, time::Duration};

use redis::{
    AsyncConnectionConfig, Cmd, Pipeline, RedisError, RedisFuture, Value,
    aio::{ConnectionLike, MultiplexedConnection},
    cluster::ClusterClient,
    cluster_async::ClusterConnection,
};
use tokio::{sync::OnceCell, time::timeout};

use super::server::{CONNECT_TIMEOUT, RedisServer};

/// Upper bound of connecting to a whole cluster, with nodes that are away.
const CLUSTER_CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Connection that is made on first use; clones share it.
#[derive(Clone)]
pub(crate) enum RedisConnection {
    Server(Arc<RedisServer>, Arc<OnceCell<ServerConnection>>),
    Cluster(Arc<ClusterClient>, Arc<OnceCell<ClusterConnection>>),
}

/// Connection to one process of a server.
pub(crate) struct ServerConnection {
    connection: MultiplexedConnection,
    /// Empty for a server that does not report it.
    run_id: Arc<str>,
}

impl RedisConnection {
    pub(crate) fn to_server(primary: Arc<RedisServer>) -> Self {
        Self::Server(primary, Arc::default())
    }

    pub(crate) fn to_cluster(client: Arc<ClusterClient>) -> Self {
        Self::Cluster(client, Arc::default())
    }

    /// Whether it is connected.
    pub(crate) fn stands(&self) -> bool {
        match self {
            Self::Server(_, cell) => cell.initialized(),
            Self::Cluster(_, cell) => cell.initialized(),
        }
    }

    /// Connects, unless it is connected.
    pub(crate) async fn connect(&self) -> Result<(), RedisError> {
        match self {
            Self::Server(primary, cell) => server(primary, cell).await.map(|_| ()),
            Self::Cluster(client, cell) => cluster(client, cell).await.map(|_| ()),
        }
    }

    /// Returns the run id of the server at the other end; empty where that may change.
    pub(crate) async fn run_id(&self) -> Result<Arc<str>, RedisError> {
        match self {
            Self::Server(primary, cell) => Ok(server(primary, cell).await?.run_id.clone()),
            Self::Cluster(..) => Ok(Arc::default()),
        }
    }
}

async fn server<'a>(
    primary: &RedisServer,
    cell: &'a OnceCell<ServerConnection>,
) -> Result<&'a ServerConnection, RedisError> {
    // Boxed: a connection is made once, and every command would carry the size of this.
    let connecting = || {
        Box::pin(async {
            let config = AsyncConnectionConfig::new()
                .set_response_timeout(Some(primary.response_timeout()))
                .set_connection_timeout(Some(CONNECT_TIMEOUT));
            let client = primary.client().await?;
            let mut connection =
                client.get_multiplexed_async_connection_with_config(&config).await?;
            let info: String =
                redis::cmd("INFO").arg("server").query_async(&mut connection).await?;
            let run_id = info.lines().find_map(|line| line.strip_prefix("run_id:"));
            Ok(ServerConnection { connection, run_id: run_id.unwrap_or_default().trim().into() })
        })
    };
    cell.get_or_try_init(connecting).await
}

async fn cluster<'a>(
    client: &ClusterClient,
    cell: &'a OnceCell<ClusterConnection>,
) -> Result<&'a ClusterConnection, RedisError> {
    let connecting = async {
        let connected = timeout(CLUSTER_CONNECT_TIMEOUT, client.get_async_connection()).await;
        connected.unwrap_or_else(|elapsed| Err(std::io::Error::from(elapsed).into()))
    };
    cell.get_or_try_init(|| connecting).await
}

impl ConnectionLike for RedisConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            match self {
                Self::Server(primary, cell) => {
                    server(primary, cell).await?.connection.clone().req_packed_command(cmd).await
                }
                Self::Cluster(client, cell) => {
                    cluster(client, cell).await?.clone().req_packed_command(cmd).await
                }
            }
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            match self {
                Self::Server(primary, cell) => {
                    let mut connection = server(primary, cell).await?.connection.clone();
                    connection.req_packed_commands(pipeline, offset, count).await
                }
                Self::Cluster(client, cell) => {
                    let mut connection = cluster(client, cell).await?.clone();
                    connection.req_packed_commands(pipeline, offset, count).await
                }
            }
        })
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::Server(primary, _) => primary.database(),
            // A cluster has only database 0.
            Self::Cluster(..) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use redis::io::tcp::TcpSettings;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
    };

    use super::*;

    /// Answers as the server with the run id `nth`; the first process dies of its first PING.
    async fn serve(mut stream: TcpStream, nth: u64) {
        let mut bytes = vec![0; 4_096];
        while let Ok(n @ 1..) = stream.read(&mut bytes).await {
            let sent = String::from_utf8_lossy(&bytes[..n]).into_owned();
            for command in sent.split('*').skip(1) {
                let answer = match command {
                    command if command.contains("INFO") => {
                        let info = format!("run_id:{nth}\r\n");
                        format!("${}\r\n{info}\r\n", info.len())
                    }
                    command if command.contains("PING") && nth == 1 => return,
                    _ => "+OK\r\n".to_owned(),
                };
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_connection_never_reaches_a_server_that_was_started_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            for nth in 1.. {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, nth));
            }
        });
        let primary = Arc::new(RedisServer::parse(&url, TcpSettings::default()).unwrap());
        let ping = async |connection: &RedisConnection| {
            redis::cmd("PING").query_async::<String>(&mut connection.clone()).await
        };
        let first = RedisConnection::to_server(primary.clone());
        assert_eq!(&*first.run_id().await.unwrap(), "1");
        for _ in 0..3 {
            assert!(ping(&first).await.is_err(), "the server of this connection is gone");
        }
        assert_eq!(&*first.run_id().await.unwrap(), "1");
        let second = RedisConnection::to_server(primary);
        assert_eq!(&*second.run_id().await.unwrap(), "2");
        assert!(ping(&second).await.is_ok());
    }
}
