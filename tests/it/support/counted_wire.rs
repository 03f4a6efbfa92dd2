//! A wire to PostgreSQL or Redis that counts how often its user waits for an answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What is counted.
#[derive(Clone, Copy, Debug)]
enum Unit {
    /// What a connection sends after it was answered begins a round trip, whatever and
    /// however much it sends before the next answer.
    RoundTrips,
    /// Commands of Redis: over its one connection several may wait at the same time, and
    /// whether they do is chance.
    Commands,
}

/// Passes bytes on, and counts.
#[derive(Debug)]
pub(crate) struct CountedWire {
    pub(crate) port: u16,
    count: Arc<AtomicU64>,
}

impl CountedWire {
    /// A wire to a PostgreSQL at `host` and `port`, whose round trips are counted.
    pub(crate) async fn to(host: &str, port: u16) -> Self {
        Self::at(0, host, port).await
    }

    /// The same at a port of the caller's own.
    pub(crate) async fn at(own_port: u16, host: &str, port: u16) -> Self {
        Self::open(own_port, host, port, Unit::RoundTrips).await
    }

    /// A wire to a Redis, whose commands are counted.
    pub(crate) async fn to_redis(host: &str, port: u16) -> Self {
        Self::open(0, host, port, Unit::Commands).await
    }

    async fn open(own_port: u16, host: &str, port: u16, unit: Unit) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", own_port)).await.unwrap();
        let wire = Self { port: listener.local_addr().unwrap().port(), count: Arc::default() };
        let (host, count) = (host.to_owned(), wire.count.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                for end in [&client, &server] {
                    end.set_nodelay(true).unwrap();
                }
                let count = count.clone();
                tokio::spawn(async move { pass_on(client, server, unit, &count).await });
            }
        });
        wire
    }

    /// Round trips or commands so far, of all connections.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }
}

async fn pass_on(client: TcpStream, server: TcpStream, unit: Unit, count: &AtomicU64) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let is_answered = AtomicBool::new(true);
    let mut commands = Commands::default();
    let asking = copy(from_client, to_server, |bytes| {
        let n_begun = match unit {
            Unit::RoundTrips => u64::from(is_answered.swap(false, Ordering::SeqCst)),
            Unit::Commands => commands.count(bytes),
        };
        count.fetch_add(n_begun, Ordering::SeqCst);
    });
    // Noted before it is passed on: nobody asks again before they have the answer.
    let answering = copy(from_server, to_client, |_| is_answered.store(true, Ordering::SeqCst));
    tokio::select! {
        () = asking => {}
        () = answering => {}
    }
}

/// Passes on until one end is closed, and calls `seen` before each piece.
async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut seen: impl FnMut(&[u8]),
) {
    let mut bytes = vec![0; 65_536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        seen(&bytes[..n]);
        if to.write_all(&bytes[..n]).await.is_err() {
            break;
        }
    }
}

/// What a client of Redis sends: arrays of strings, each behind its length.
#[derive(Debug, Default)]
struct Commands {
    unread: Vec<u8>,
}

impl Commands {
    /// How many commands are whole with these bytes.
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

    /// The number behind `sign` on the line at `at`, and where the next line begins.
    fn number(&self, at: usize, sign: u8) -> Option<(usize, usize)> {
        let rest = self.unread.get(at..)?;
        let length = rest.iter().position(|byte| *byte == b'\r')?;
        assert_eq!(rest[0], sign, "another protocol than expected");
        let number = std::str::from_utf8(&rest[1..length]).unwrap().parse().unwrap();
        Some((number, at + length + 2))
    }
}
