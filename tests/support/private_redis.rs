//! A Redis server of one test's own, to be emptied, killed and restarted.

use std::{
    net::TcpListener,
    ops::Range,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU16, Ordering},
    },
};

use redis::aio::MultiplexedConnection;

use super::eventually;

/// Server on a free loopback port, with a folder of its own; it ends with the test.
#[derive(Debug)]
pub struct PrivateRedis {
    pub port: u16,
    folder: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    server: Option<Child>,
}

impl PrivateRedis {
    /// Starts a server that keeps nothing on disk.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server with additional arguments of `redis-server`.
    pub async fn start_with(arguments: &[&str]) -> Self {
        Self::start_in(arguments, Vec::new()).await
    }

    /// Works as [`Self::start_with`], with variables added to the server's environment.
    pub async fn start_in(arguments: &[&str], environment: Vec<(String, String)>) -> Self {
        let port = free_port();
        let folder = std::env::temp_dir().join(format!("stagedoor-redis-{port}"));
        std::fs::create_dir_all(&folder).unwrap();
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let mut server = Self { port, folder, arguments, environment, server: None };
        server.restart().await;
        server
    }

    /// Returns the value for `REDIS_URL`.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Kills the server with SIGKILL.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    /// Starts the server again on the same port and folder, and waits until it answers.
    pub async fn restart(&mut self) {
        self.kill();
        let port = self.port.to_string();
        let server = Command::new("redis-server")
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .arg("--dir")
            .arg(&self.folder)
            .args(&self.arguments)
            .envs(self.environment.clone())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        self.server = Some(server);
        eventually("a start of redis-server", async || {
            let server = self.server.as_mut().unwrap();
            if let Some(status) = server.try_wait().unwrap() {
                panic!("redis-server ends at its start, at port {port}: {status}");
            }
            let mut link = self.try_connect().await?;
            redis::cmd("PING").query_async::<String>(&mut link).await
        })
        .await;
    }

    /// Runs one command on a connection of its own.
    pub async fn run<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        self.try_run(words).await.unwrap()
    }

    /// Works as [`Self::run`], for a server that may close connections, as one does whose role
    /// changes.
    pub async fn try_run<T: redis::FromRedisValue>(&self, words: &[&str]) -> redis::RedisResult<T> {
        let mut link = self.try_connect().await?;
        redis::cmd(words[0]).arg(&words[1..]).query_async(&mut link).await
    }

    /// Suspends the server without closing connections, or resumes it.
    pub fn pause(&self, is_paused: bool) {
        let signal = if is_paused { "-STOP" } else { "-CONT" };
        let id = self.server.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    async fn try_connect(&self) -> redis::RedisResult<MultiplexedConnection> {
        redis::Client::open(self.url())?.get_multiplexed_async_connection().await
    }
}

impl Drop for PrivateRedis {
    fn drop(&mut self) {
        self.kill();
        // A folder left behind does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Ports from which one is picked. The kernel gives none of them to a server that asks for any port, nor to a
/// connection, so what is free stays free while a test has nothing at it yet.
const PORTS: Range<u16> = 20_000..32_000;

/// Returns a port that is free, and that no other test of this process gets.
pub fn free_port() -> u16 {
    static PICKED: LazyLock<AtomicU16> = LazyLock::new(|| AtomicU16::new(rand::random()));
    let n_ports = PORTS.end - PORTS.start;
    let mut picked = PORTS.map(|_| PORTS.start + PICKED.fetch_add(1, Ordering::Relaxed) % n_ports);
    picked.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}

/// Three servers that share the slots of one cluster.
#[derive(Debug)]
pub struct PrivateCluster {
    pub nodes: Vec<PrivateRedis>,
}

impl PrivateCluster {
    const SLOTS: [(&str, &str); 3] = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];

    /// Starts the servers and waits until they know each other.
    pub async fn start() -> Self {
        let mut nodes = Vec::new();
        // Unless told, a node listens for the others 10,000 above its port, where the kernel gives ports to any
        // connection.
        let buses = Self::SLOTS.map(|_| free_port().to_string());
        for bus in &buses {
            let arguments = [
                ["--cluster-enabled", "yes"],
                ["--cluster-require-full-coverage", "no"],
                ["--cluster-node-timeout", "2000"],
                ["--cluster-port", bus],
            ];
            nodes.push(PrivateRedis::start_with(&arguments.concat()).await);
        }
        let first = nodes[0].port.to_string();
        for (node, (from, to)) in nodes.iter().zip(Self::SLOTS) {
            node.run::<()>(&["CLUSTER", "ADDSLOTSRANGE", from, to]).await;
            node.run::<()>(&["CLUSTER", "MEET", "127.0.0.1", &first, &buses[0]]).await;
        }
        let cluster = Self { nodes };
        for node in &cluster.nodes {
            cluster.until_whole(node).await;
        }
        cluster
    }

    /// Waits until `node` sees all slots served and serves its own, some seconds after its start.
    pub async fn until_whole(&self, node: &PrivateRedis) {
        eventually("a whole cluster", async || {
            let info: String = node.run(&["CLUSTER", "INFO"]).await;
            let is_whole =
                info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:16384");
            if is_whole { Ok(()) } else { Err(info) }
        })
        .await;
    }

    /// Returns the value for `REDIS_URL`.
    pub fn url(&self) -> String {
        let nodes: Vec<String> =
            self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!("redis+cluster://{}", nodes.join(","))
    }

    /// Returns the index of the node with the keys of this hash tag.
    pub async fn node_of(&self, tag: &str) -> usize {
        let slot: u64 = self.nodes[0].run(&["CLUSTER", "KEYSLOT", &format!("{{{tag}}}")]).await;
        Self::SLOTS.iter().position(|(_, to)| slot <= to.parse().unwrap()).unwrap()
    }
}
