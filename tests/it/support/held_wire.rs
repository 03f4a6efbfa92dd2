//! A proxy to Redis that holds back what an instance sends, so that it arrives late.

use std::{sync::Arc, time::Duration};

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
pub(crate) struct HeldWire {
    pub(crate) port: u16,
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes that are watched for.
    watched: Vec<u8>,
    is_holding: bool,
    /// Rises whenever held bytes are to be passed on.
    n_passed: u64,
    /// Connections whose held bytes wait for an answer of the server.
    n_unanswered: usize,
}

impl HeldWire {
    /// Opens a proxy to the server at `host` and `port`.
    pub(crate) async fn to(host: &str, port: u16) -> Self {
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
                tokio::spawn(ask(from_client, to_server, state.clone()));
                tokio::spawn(answer(from_server, to_client, state.clone()));
            }
        });
        wire
    }

    /// Holds everything that is sent from the first `bytes` on.
    pub(crate) fn watch_for(&self, bytes: &[u8]) {
        self.state.send_modify(|state| state.watched = bytes.to_vec());
    }

    /// Waits until bytes are held.
    pub(crate) async fn until_it_holds(&self) {
        self.wait_for("held bytes", |state| state.is_holding).await;
    }

    /// Passes on what is held, and returns once the server has answered. What is sent later is
    /// held again.
    pub(crate) async fn pass_held(&self) {
        self.state.send_modify(|state| state.n_passed += 1);
        self.wait_for("answers", |state| state.n_unanswered == 0).await;
    }

    async fn wait_for(&self, what: &str, is_so: impl FnMut(&State) -> bool) {
        let mut state = self.state.subscribe();
        let waited = timeout(WAIT_MAX, state.wait_for(is_so)).await;
        assert!(waited.is_ok(), "{what} never come: {:?}", self.state.borrow());
    }
}

async fn ask(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, state: Arc<watch::Sender<State>>) {
    let mut bytes = vec![0; 65_536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        let n_passed = state.borrow().n_passed;
        state.send_if_modified(|state| {
            let n_watched = state.watched.len();
            state.is_holding |=
                n_watched > 0 && bytes[..n].windows(n_watched).any(|sent| sent == state.watched);
            state.n_unanswered += usize::from(state.is_holding);
            state.is_holding
        });
        if state.borrow().is_holding {
            state.subscribe().wait_for(|state| state.n_passed > n_passed).await.unwrap();
        }
        if to.write_all(&bytes[..n]).await.is_err() {
            break;
        }
    }
}

/// Passes answers on. A client that is gone does not end it: the server answers all the same.
async fn answer(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, state: Arc<watch::Sender<State>>) {
    let mut bytes = vec![0; 65_536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        if state.borrow().is_holding {
            state.send_modify(|state| state.n_unanswered = state.n_unanswered.saturating_sub(1));
        } else {
            let _ = to.write_all(&bytes[..n]).await;
        }
    }
}
