//! A proxy to PostgreSQL or Redis that can fall silent: it accepts bytes, passes nothing on and
//! closes nothing, like a lost host or a dropped router entry.

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU16, AtomicU64, Ordering},
};

use sqlx::PgPool;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// Proxy that passes bytes on until it is muted. Connections are distinguished by their age: muted
/// ones stay silent for ever, and newer ones pass.
#[derive(Debug)]
pub struct SilentWire {
    pub port: u16,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    /// Number of the next connection.
    next: AtomicU64,
    /// Connections with a smaller number pass as many bytes as are left, and then no more.
    silent_below: AtomicU64,
    bytes_left: AtomicI64,
    /// Connections with a smaller number are closed.
    closed_below: watch::Sender<u64>,
    server_port: AtomicU16,
}

impl SilentWire {
    /// Opens a proxy to the server of `db`.
    pub async fn to_database(db: &PgPool) -> Self {
        let connect = db.connect_options();
        Self::to(connect.get_host(), connect.get_port()).await
    }

    /// Returns the value for `REDIS_URL` where it leads to Redis.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Opens a proxy to `host` and `port`.
    pub async fn to(host: &str, port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let state = Arc::new(State {
            next: AtomicU64::new(0),
            silent_below: AtomicU64::new(0),
            bytes_left: AtomicI64::new(0),
            closed_below: watch::Sender::new(0),
            server_port: AtomicU16::new(port),
        });
        let wire = Self { port: listener.local_addr().unwrap().port(), state: state.clone() };
        let host = host.to_owned();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let nth = state.next.fetch_add(1, Ordering::SeqCst);
                let port = state.server_port.load(Ordering::SeqCst);
                let Ok(server) = TcpStream::connect((host.as_str(), port)).await else { continue };
                tokio::spawn(pass_on(client, server, nth, state.clone()));
            }
        });
        wire
    }

    /// Makes every existing connection fall silent.
    pub fn mute(&self) {
        self.mute_after(0);
    }

    /// Makes every existing connection fall silent after `n_bytes` more over all of them together.
    pub fn mute_after(&self, n_bytes: i64) {
        self.state.bytes_left.store(n_bytes, Ordering::SeqCst);
        self.state.silent_below.store(self.state.next.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// Closes every existing connection, like a server that is restarted.
    pub fn close_all(&self) {
        self.state.closed_below.send_replace(self.state.next.load(Ordering::SeqCst));
    }

    /// Leads new connections to another port; existing ones stay.
    pub fn lead_to(&self, port: u16) {
        self.state.server_port.store(port, Ordering::SeqCst);
    }

    /// Returns the number of connections made so far.
    pub fn n_connections(&self) -> u64 {
        self.state.next.load(Ordering::SeqCst)
    }
}

impl State {
    /// Returns how many of `n` bytes of the connection `nth` may pass.
    fn passing(&self, nth: u64, n: usize) -> usize {
        if nth >= self.silent_below.load(Ordering::SeqCst) {
            return n;
        }
        let wanted = i64::try_from(n).unwrap();
        let left = self.bytes_left.fetch_sub(wanted, Ordering::SeqCst);
        usize::try_from(left.clamp(0, wanted)).unwrap()
    }
}

async fn pass_on(client: TcpStream, server: TcpStream, nth: u64, state: Arc<State>) {
    for end in [&client, &server] {
        end.set_nodelay(true).unwrap();
    }
    let mut closed_below = state.closed_below.subscribe();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let asking = copy(from_client, to_server, nth, &state);
    let answering = copy(from_server, to_client, nth, &state);
    tokio::select! {
        () = asking => {}
        () = answering => {}
        _ = closed_below.wait_for(|below| nth < *below) => {}
    }
}

async fn copy(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    nth: u64,
    state: &State,
) {
    let mut bytes = vec![0; 65_536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        let n_passing = state.passing(nth, n);
        if to.write_all(&bytes[..n_passing]).await.is_err() {
            break;
        }
    }
    // A silent connection does not report its end either.
    if nth < state.silent_below.load(Ordering::SeqCst) {
        std::future::pending::<()>().await;
    }
}
