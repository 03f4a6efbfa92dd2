//! A TCP proxy that can cut, freeze, delay and halve what goes through it, and that spreads
//! connections over several targets.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use socket2::SockRef;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp},
    sync::{oneshot, watch},
    time::{sleep, timeout},
};

/// Upper bound of connecting to one target.
const CONNECT_MAX: Duration = Duration::from_secs(1);
/// Bytes that are passed on at once.
const CHUNK_MAX: usize = 65_536;
/// Time by which a message whose answer is lost arrives at the server before the cut.
const ARRIVES_AFTER: Duration = Duration::from_millis(100);

/// What a wire does with what it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// Passes everything on.
    Pass,
    /// Resets every connection, and refuses new ones.
    Cut,
    /// Keeps connections open and passes nothing on; what came meanwhile is passed on afterwards.
    Frozen,
    /// Passes every chunk on after this time.
    Slow(Duration),
    /// Passes on half of the next chunk of each connection, and resets the connection.
    Halved,
}

/// What becomes of one message to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The message does not arrive: its connection is reset instead.
    Message,
    /// The message arrives, and its connection is reset before an answer gets back.
    Answer,
    /// The message is held until [`Held`] is dropped.
    Held,
}

/// A message that is held; passed on when this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    _release: oneshot::Sender<()>,
}

/// Message that something will become of.
#[derive(Debug)]
struct Armed {
    /// Messages to pass on before it.
    left: usize,
    loss: Loss,
    /// Only messages with these bytes count.
    pattern: &'static [u8],
    met: oneshot::Sender<Held>,
}

#[derive(Debug)]
struct State {
    targets: Mutex<Vec<SocketAddr>>,
    next: AtomicUsize,
    mode: watch::Sender<Mode>,
    armed: Mutex<Option<Armed>>,
}

/// Proxy on a port of its own.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    pub(crate) port: u16,
    state: Arc<State>,
}

impl Wire {
    /// Opens a proxy to these ports of this machine.
    pub(crate) async fn to(ports: &[u16]) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(State {
            targets: Mutex::new(Vec::new()),
            next: AtomicUsize::new(0),
            mode: watch::Sender::new(Mode::Pass),
            armed: Mutex::new(None),
        });
        let wire = Self { port, state };
        wire.lead_to(ports);
        let accepting = wire.clone();
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((client, _)) => drop(tokio::spawn(accepting.clone().serve(client))),
                    // Out of descriptors, for example: a connection waits until there are some.
                    Err(_) => sleep(Duration::from_millis(10)).await,
                }
            }
        });
        Ok(wire)
    }

    /// Leads new connections to these ports.
    pub(crate) fn lead_to(&self, ports: &[u16]) {
        let targets = ports.iter().map(|port| (Ipv4Addr::LOCALHOST, *port).into()).collect();
        *self.state.targets.lock().unwrap_or_else(PoisonError::into_inner) = targets;
    }

    /// Does this with everything from now on.
    pub(crate) fn set(&self, mode: Mode) {
        self.state.mode.send_replace(mode);
    }

    /// Resets all connections; new ones are accepted.
    pub(crate) async fn cut_all(&self) {
        self.set(Mode::Cut);
        sleep(Duration::from_millis(50)).await;
        self.set(Mode::Pass);
    }

    /// Loses the message after the next `left` to the server that contain `pattern`; what is
    /// returned tells when that has happened.
    pub(crate) fn lose(
        &self,
        left: usize,
        pattern: &'static [u8],
        loss: Loss,
    ) -> oneshot::Receiver<Held> {
        let (met, meeting) = oneshot::channel();
        *self.state.armed.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Armed { left, loss, pattern, met });
        meeting
    }

    /// Loses nothing any more.
    pub(crate) fn disarm(&self) {
        *self.state.armed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn serve(self, client: TcpStream) {
        let mut mode = self.state.mode.subscribe();
        if *mode.borrow_and_update() == Mode::Cut {
            return reset(&client);
        }
        let Some(server) = self.connect().await else { return reset(&client) };
        // They stay open beyond the halves below, so that their last end can be a reset.
        let ends = [SockRef::from(&client).try_clone(), SockRef::from(&server).try_clone()];
        // Nagle's algorithm would add delays that no network has.
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let passed = tokio::select! {
            passed = self.pass(from_client, to_server, true) => passed,
            passed = self.pass(from_server, to_client, false) => passed,
        };
        if passed.is_err() {
            for end in ends.into_iter().flatten() {
                let _ = end.set_linger(Some(Duration::ZERO));
            }
        }
    }

    /// Connects to the next target that answers.
    async fn connect(&self) -> Option<TcpStream> {
        let targets = self.state.targets.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let first = self.state.next.fetch_add(1, Ordering::Relaxed);
        for nth in 0..targets.len() {
            let target = targets.get((first + nth) % targets.len())?;
            if let Ok(Ok(stream)) = timeout(CONNECT_MAX, TcpStream::connect(target)).await {
                return Some(stream);
            }
        }
        None
    }

    /// Passes bytes on in one direction until an end; an error says that both ends are to be reset.
    async fn pass(
        &self,
        mut from: tcp::OwnedReadHalf,
        mut to: tcp::OwnedWriteHalf,
        is_to_server: bool,
    ) -> Result<(), Cut> {
        let mut mode = self.state.mode.subscribe();
        let mut bytes = vec![0; CHUNK_MAX];
        loop {
            let n = tokio::select! {
                n = from.read(&mut bytes) => n.map_err(Cut::of)?,
                () = is_cut(&mut mode) => return Err(Cut),
            };
            let chunk = bytes.get(..n).unwrap_or_default();
            if chunk.is_empty() {
                // The other direction may still have something to say: a half-closed connection is
                // closed whole a moment later by the side that was told.
                let _ = to.shutdown().await;
                return if is_to_server { std::future::pending().await } else { Ok(()) };
            }
            if is_to_server && let Some(armed) = self.take_armed(chunk) {
                meet(armed, chunk, &mut to).await?;
                continue;
            }
            self.pass_chunk(&mut mode, chunk, &mut to).await?;
        }
    }

    async fn pass_chunk(
        &self,
        mode: &mut watch::Receiver<Mode>,
        chunk: &[u8],
        to: &mut tcp::OwnedWriteHalf,
    ) -> Result<(), Cut> {
        let now = *mode.borrow_and_update();
        match now {
            Mode::Pass => (),
            Mode::Cut => return Err(Cut),
            Mode::Frozen => drop(mode.wait_for(|mode| *mode != Mode::Frozen).await),
            Mode::Slow(by) => sleep(by).await,
            Mode::Halved => {
                let half = chunk.get(..chunk.len() / 2).unwrap_or_default();
                to.write_all(half).await.map_err(Cut::of)?;
                return Err(Cut);
            }
        }
        to.write_all(chunk).await.map_err(Cut::of)
    }

    /// Counts a message to the server; returns what was armed if this is the one.
    fn take_armed(&self, chunk: &[u8]) -> Option<Armed> {
        let mut armed = self.state.armed.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = armed.as_mut()?;
        let pattern = waiting.pattern;
        let is_meant = pattern.is_empty()
            || chunk.windows(pattern.len()).any(|some| some.eq_ignore_ascii_case(pattern));
        if !is_meant {
            return None;
        }
        match waiting.left.checked_sub(1) {
            Some(left) => {
                waiting.left = left;
                None
            }
            None => armed.take(),
        }
    }
}

/// Says that a connection is to be reset.
#[derive(Debug)]
struct Cut;

impl Cut {
    fn of(_: io::Error) -> Self {
        Self
    }
}

async fn meet(armed: Armed, chunk: &[u8], to: &mut tcp::OwnedWriteHalf) -> Result<(), Cut> {
    let (release, released) = oneshot::channel();
    let is_awaited = armed.met.send(Held { _release: release }).is_ok();
    match armed.loss {
        Loss::Message => Err(Cut),
        Loss::Answer => {
            to.write_all(chunk).await.map_err(Cut::of)?;
            sleep(ARRIVES_AFTER).await;
            Err(Cut)
        }
        Loss::Held => {
            if is_awaited {
                // An error says that it was dropped, which is what is waited for.
                let _ = released.await;
            }
            to.write_all(chunk).await.map_err(Cut::of)
        }
    }
}

async fn is_cut(mode: &mut watch::Receiver<Mode>) {
    if mode.wait_for(|mode| *mode == Mode::Cut).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Has the connection reset when it is dropped.
fn reset(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}
