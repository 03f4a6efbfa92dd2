//! A proxy to PostgreSQL or Redis that counts round trips or commands.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// Time for which the answers of one wait are held. What is asked meanwhile is asked beside it.
const WAIT: Duration = Duration::from_millis(15);

/// Waits in series, over any number of wires. The first bytes that are sent begin a wait, and no answer passes
/// before it is over: what is sent because of an answer begins the next one.
#[derive(Clone, Debug)]
pub struct Waits(Arc<WaitsState>);

#[derive(Debug)]
struct WaitsState {
    is_holding: AtomicBool,
    n_over: AtomicU64,
    is_open: watch::Sender<bool>,
}

impl Default for Waits {
    fn default() -> Self {
        Self::new()
    }
}

impl Waits {
    /// Creates a count that holds no answer yet.
    pub fn new() -> Self {
        let (is_open, _) = watch::channel(false);
        let (is_holding, n_over) = (AtomicBool::new(false), AtomicU64::new(0));
        Self(Arc::new(WaitsState { is_holding, n_over, is_open }))
    }

    /// Begins or ends to hold answers.
    pub fn hold(&self, is_holding: bool) {
        self.0.is_holding.store(is_holding, Ordering::SeqCst);
    }

    /// Returns how many waits are over. One whose answers are still held is not: who has an answer without
    /// them did not wait for it.
    pub fn count(&self) -> u64 {
        self.0.n_over.load(Ordering::SeqCst)
    }

    /// Notes that something is sent.
    fn begin(&self) {
        if !self.0.is_holding.load(Ordering::SeqCst) {
            return;
        }
        let begins = |is_open: &mut bool| !std::mem::replace(is_open, true);
        if self.0.is_open.send_if_modified(begins) {
            let waits = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(WAIT).await;
                waits.0.n_over.fetch_add(1, Ordering::SeqCst);
                waits.0.is_open.send_replace(false);
            });
        }
    }

    /// Holds an answer until the wait is over.
    async fn end(&self) {
        // The sender lives as long as this.
        let _ = self.0.is_open.subscribe().wait_for(|is_open| !is_open).await;
    }
}

/// Unit that is counted.
#[derive(Clone, Copy, Debug)]
enum Unit {
    /// Round trips: the first bytes a connection sends after an answer begin one, however much it
    /// sends before the next answer.
    RoundTrips,
    /// Commands of Redis: over its one connection several may wait at the same time, and whether
    /// they do depends on timing.
    Commands,
}

/// Proxy that passes bytes on and counts.
#[derive(Debug)]
pub struct CountedWire {
    pub port: u16,
    count: Arc<AtomicU64>,
    waits: Waits,
}

impl CountedWire {
    /// Opens a proxy to PostgreSQL at `host` and `port` that counts round trips.
    pub async fn to(host: &str, port: u16) -> Self {
        Self::at(0, host, port).await
    }

    /// Opens such a proxy at the port `own_port`.
    pub async fn at(own_port: u16, host: &str, port: u16) -> Self {
        Self::open(own_port, host, port, Unit::RoundTrips, Waits::new()).await
    }

    /// Opens a proxy to Redis that counts commands, and `waits` of it and of others in series.
    pub async fn to_redis(host: &str, port: u16, waits: Waits) -> Self {
        Self::open(0, host, port, Unit::Commands, waits).await
    }

    async fn open(own_port: u16, host: &str, port: u16, unit: Unit, waits: Waits) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", own_port)).await.unwrap();
        let port_of_wire = listener.local_addr().unwrap().port();
        let wire = Self { port: port_of_wire, count: Arc::default(), waits };
        let (host, count, waits) = (host.to_owned(), wire.count.clone(), wire.waits.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                for end in [&client, &server] {
                    end.set_nodelay(true).unwrap();
                }
                let (count, waits) = (count.clone(), waits.clone());
                tokio::spawn(async move { pass_on(client, server, unit, &count, &waits).await });
            }
        });
        wire
    }

    /// Returns the count of waits in series, which other proxies may share.
    pub fn waits(&self) -> Waits {
        self.waits.clone()
    }

    /// Returns the round trips or commands so far, of all connections.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }
}

async fn pass_on(
    client: TcpStream,
    server: TcpStream,
    unit: Unit,
    count: &AtomicU64,
    waits: &Waits,
) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let is_answered = AtomicBool::new(true);
    let mut commands = Commands::default();
    let asking = copy(from_client, to_server, None, |bytes| {
        waits.begin();
        let n_begun = match unit {
            Unit::RoundTrips => u64::from(is_answered.swap(false, Ordering::SeqCst)),
            Unit::Commands => commands.count(bytes),
        };
        count.fetch_add(n_begun, Ordering::SeqCst);
    });
    // The answer is noted before it is passed on, because the client sends again only after it.
    let answered = |_: &[u8]| is_answered.store(true, Ordering::SeqCst);
    let answering = copy(from_server, to_client, Some(waits), answered);
    tokio::select! {
        () = asking => {}
        () = answering => {}
    }
}

/// Copies until one end is closed, and calls `seen` before each piece. A piece is held until the wait that is
/// open in `held` is over.
async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    held: Option<&Waits>,
    mut seen: impl FnMut(&[u8]),
) {
    let mut bytes = vec![0; 65_536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        if let Some(waits) = held {
            waits.end().await;
        }
        seen(&bytes[..n]);
        if to.write_all(&bytes[..n]).await.is_err() {
            break;
        }
    }
}

/// Parser of a Redis client's commands: arrays of strings, each behind its length.
#[derive(Debug, Default)]
struct Commands {
    unread: Vec<u8>,
}

impl Commands {
    /// Adds `bytes` and returns the number of commands they complete.
    fn count(&mut self, bytes: &[u8]) -> u64 {
        self.unread.extend_from_slice(bytes);
        let mut n_whole = 0;
        while let Some(end) = self.end_of_first() {
            self.unread.drain(..end);
            n_whole += 1;
        }
        n_whole
    }

    fn end_of_first(&self) -> Option<usize> {
        let (n_strings, mut at) = self.number(0, b'*')?;
        for _ in 0..n_strings {
            let (length, begin) = self.number(at, b'$')?;
            at = begin + length + 2;
        }
        (at <= self.unread.len()).then_some(at)
    }

    /// Returns the number behind `sign` on the line at `at`, and where the next line begins; `None`
    /// if the line is incomplete.
    fn number(&self, at: usize, sign: u8) -> Option<(usize, usize)> {
        let rest = self.unread.get(at..)?;
        let length = rest.iter().position(|byte| *byte == b'\r')?;
        assert_eq!(rest[0], sign, "another protocol than expected");
        let number = std::str::from_utf8(&rest[1..length]).unwrap().parse().unwrap();
        Some((number, at + length + 2))
    }
}
