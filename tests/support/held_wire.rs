//! A proxy to Redis that holds back what an instance sends, so that it arrives late.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    time::timeout,
};

/// Longest wait: ample for a machine that has other work.
const WAIT_MAX: Duration = Duration::from_mins(1);

/// Proxy that passes bytes on until it sees some that it watches for. Then it holds these and what
/// comes after them; no answer reaches the instance any more, and what it sent is passed on only by
/// [`HeldWire::pass_held`].
#[derive(Debug)]
pub struct HeldWire {
    pub port: u16,
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes that are watched for.
    watched: Vec<u8>,
    is_holding: bool,
    /// Rises whenever held bytes are to be passed on.
    n_passed: u64,
    /// Connections that hold bytes now.
    n_held: usize,
    /// Connections whose bytes were passed on, and wait for an answer of the server.
    n_unanswered: usize,
}

impl HeldWire {
    /// Opens a proxy to the server at `host` and `port`.
    pub async fn to(host: &str, port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port_of_wire = listener.local_addr().unwrap().port();
        let wire = Self { port: port_of_wire, state: Arc::new(watch::Sender::default()) };
        let (host, state) = (host.to_owned(), wire.state.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect((host.as_str(), port)).await else { continue };
                for end in [&client, &server] {
                    end.set_nodelay(true).unwrap();
                }
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let connection = Connection {
                    wire: state.clone(),
                    is_awaited: Arc::new(AtomicBool::new(false)),
                };
                tokio::spawn(connection.clone().ask(from_client, to_server));
                tokio::spawn(connection.answer(from_server, to_client));
            }
        });
        wire
    }

    /// Holds everything that is sent from the first `bytes` on.
    pub fn watch_for(&self, bytes: &[u8]) {
        self.state.send_modify(|state| state.watched = bytes.to_vec());
    }

    /// Waits until bytes are held.
    pub async fn until_it_holds(&self) {
        self.wait_for("held bytes", |state| state.n_held > 0).await;
    }

    /// Passes on what is held, and returns once the server has answered all of that. What is sent
    /// later is held again.
    pub async fn pass_held(&self) {
        self.state.send_modify(|state| {
            state.n_passed += 1;
            state.n_unanswered += std::mem::take(&mut state.n_held);
        });
        self.wait_for("answers", |state| state.n_unanswered == 0).await;
    }

    async fn wait_for(&self, what: &str, is_so: impl FnMut(&State) -> bool) {
        let mut state = self.state.subscribe();
        let waited = timeout(WAIT_MAX, state.wait_for(is_so)).await;
        assert!(waited.is_ok(), "{what} never come: {:?}", self.state.borrow());
    }
}

/// One connection through the proxy.
#[derive(Clone)]
struct Connection {
    wire: Arc<watch::Sender<State>>,
    /// Whether bytes that were held are with the server, unanswered.
    is_awaited: Arc<AtomicBool>,
}

impl Connection {
    async fn ask(self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut bytes = vec![0; 65_536];
        while let Ok(n @ 1..) = from.read(&mut bytes).await {
            self.hold(&bytes[..n]).await;
            if to.write_all(&bytes[..n]).await.is_err() {
                break;
            }
        }
    }

    /// Returns once `bytes` may be passed on.
    async fn hold(&self, bytes: &[u8]) {
        let mut held_at = None;
        self.wire.send_if_modified(|state| {
            let n_watched = state.watched.len();
            state.is_holding |=
                n_watched > 0 && bytes.windows(n_watched).any(|sent| sent == state.watched);
            state.n_held += usize::from(state.is_holding);
            held_at = state.is_holding.then_some(state.n_passed);
            state.is_holding
        });
        if let Some(n_passed) = held_at {
            let mut state = self.wire.subscribe();
            state.wait_for(|state| state.n_passed > n_passed).await.unwrap();
            self.is_awaited.store(true, Ordering::SeqCst);
        }
    }

    /// Passes answers on. A client that is gone does not end it: the server answers all the same.
    async fn answer(self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut bytes = vec![0; 65_536];
        while let Ok(n @ 1..) = from.read(&mut bytes).await {
            if self.wire.borrow().is_holding {
                self.note_answer();
            } else {
                let _ = to.write_all(&bytes[..n]).await;
            }
        }
        self.note_answer();
    }

    fn note_answer(&self) {
        if self.is_awaited.swap(false, Ordering::SeqCst) {
            self.wire.send_modify(|state| state.n_unanswered -= 1);
        }
    }
}
