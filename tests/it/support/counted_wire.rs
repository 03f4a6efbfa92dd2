//! A wire to PostgreSQL or Redis that counts how often its user waits for an answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Passes bytes on. What a connection sends after it was answered begins a round trip,
/// whatever and however much it sends before the next answer.
#[derive(Debug)]
pub(crate) struct CountedWire {
    pub(crate) port: u16,
    trips: Arc<AtomicU64>,
}

impl CountedWire {
    /// A wire to the server at `host` and `port`.
    pub(crate) async fn to(host: &str, port: u16) -> Self {
        Self::at(0, host, port).await
    }

    /// The same at a port of the caller's own.
    pub(crate) async fn at(own_port: u16, host: &str, port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", own_port)).await.unwrap();
        let wire = Self { port: listener.local_addr().unwrap().port(), trips: Arc::default() };
        let (host, trips) = (host.to_owned(), wire.trips.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                for end in [&client, &server] {
                    end.set_nodelay(true).unwrap();
                }
                let trips = trips.clone();
                tokio::spawn(async move { pass_on(client, server, &trips).await });
            }
        });
        wire
    }

    /// The round trips so far, of all connections.
    pub(crate) fn trips(&self) -> u64 {
        self.trips.load(Ordering::SeqCst)
    }
}

async fn pass_on(client: TcpStream, server: TcpStream, trips: &AtomicU64) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let is_answered = AtomicBool::new(true);
    let asking = copy(from_client, to_server, || {
        if is_answered.swap(false, Ordering::SeqCst) {
            trips.fetch_add(1, Ordering::SeqCst);
        }
    });
    // Noted before it is passed on: nobody asks again before they have the answer.
    let answering = copy(from_server, to_client, || is_answered.store(true, Ordering::SeqCst));
    tokio::select! {
        () = asking => {}
        () = answering => {}
    }
}

/// Passes on until one end is closed, and calls `seen` before each piece.
async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, seen: impl Fn()) {
    let mut bytes = vec![0; 65_536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        seen();
        if to.write_all(&bytes[..n]).await.is_err() {
            break;
        }
    }
}
