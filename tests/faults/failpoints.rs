//! The end of failpoints that the suite has: it hears of each, and parks the work that comes to one that
//! is armed.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::watch,
    time::timeout,
};

use crate::Failure;

/// Environment variable of the program with the path of the socket.
const SOCKET: &str = "FAILPOINTS_SOCKET";
/// Longest wait until work is parked at the first failpoint.
const FIRST_MAX: Duration = Duration::from_secs(8);
/// Longest wait for the others: shorter than PostgreSQL lets a transaction stand idle.
const OTHERS_MAX: Duration = Duration::from_millis(1_200);

/// Socket at which the instances of a world say what they reach.
#[derive(Clone, Debug)]
pub(crate) struct Failpoints {
    socket: PathBuf,
    state: Arc<Mutex<State>>,
    n_parked: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct State {
    reached: BTreeSet<String>,
    /// The next work that comes to one of these is parked.
    armed: BTreeSet<String>,
    parked: Vec<(String, UnixStream)>,
}

impl Failpoints {
    /// Listens in `folder`.
    pub(crate) fn listen(folder: &Path) -> Result<Self, Failure> {
        let socket = folder.join("failpoints");
        let listener = UnixListener::bind(&socket)?;
        let state = Arc::default();
        let failpoints = Self { socket, state, n_parked: watch::Sender::new(0) };
        let listening = failpoints.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(listening.clone().hear(stream));
            }
        });
        Ok(failpoints)
    }

    /// Returns the environment of an instance that says here what it reaches.
    pub(crate) fn environment(&self) -> (String, String) {
        (SOCKET.to_owned(), self.socket.display().to_string())
    }

    /// Lists all that were reached since [`forget`](Self::forget).
    pub(crate) fn reached(&self) -> BTreeSet<String> {
        self.state().reached.clone()
    }

    /// Forgets what was reached so far.
    pub(crate) fn forget(&self) {
        self.state().reached.clear();
    }

    /// Has the next work that comes to each of these parked.
    pub(crate) fn arm(&self, names: impl IntoIterator<Item = String>) {
        let mut state = self.state();
        state.armed = names.into_iter().collect();
        state.parked.clear();
        self.n_parked.send_replace(0);
    }

    /// Waits until work is parked at all that are armed, or some time; lists those where it is.
    pub(crate) async fn parked(&self) -> Vec<String> {
        let mut parked = self.n_parked.subscribe();
        if timeout(FIRST_MAX, parked.wait_for(|n| *n > 0)).await.is_ok() {
            let are_all = |_: &usize| self.state().armed.is_empty();
            // The time is over: the parked ones are enough.
            let _ = timeout(OTHERS_MAX, parked.wait_for(are_all)).await;
        }
        self.state().parked.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Lets all work go on, and parks nothing any more.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        state.armed.clear();
        state.parked.clear();
    }

    async fn hear(self, stream: UnixStream) {
        let (mut stream, mut name) = (BufReader::new(stream), String::new());
        if stream.read_line(&mut name).await.is_err() {
            return;
        }
        let name = name.trim_end().to_owned();
        let mut state = self.state();
        let is_armed = state.armed.remove(&name);
        state.reached.insert(name.clone());
        if is_armed {
            state.parked.push((name, stream.into_inner()));
            let n = state.parked.len();
            drop(state);
            self.n_parked.send_replace(n);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
