//! Session reader: reads sessions from PostgreSQL, for concurrent requests together.
//!
//! Every request that changes something reads its session from PostgreSQL, so that a log-out or
//! a lock counts at once. Under load one statement per request would cost more than the
//! requests themselves. Sessions that are asked for while others are being read are therefore
//! read in one statement, which begins after the last of them was asked for: no answer is
//! older than its question. A request that comes alone does not wait, and is read by its own
//! thread.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{runtime::Handle, sync::Semaphore, time::timeout};

use super::{SessionRules, store};
use crate::{
    accounts::model::{SessionAccount, TokenHash},
    app::App,
    infra::{
        batcher::{Batch, BatchError, Batcher, Member, Rest},
        postgres::{Pool, shared_read},
    },
};

/// Upper bound of a batch's wait for the statement before it: a statement without an answer delays
/// a request no longer.
const BEFORE_MAX: Duration = Duration::from_millis(50);

/// Account of a session; `None` if no live session has the hash. The members of a batch share its
/// failure.
pub(crate) type SessionRead = Result<Option<SessionAccount>, Arc<sqlx::Error>>;

/// Reader of the sessions of one instance.
#[derive(Clone, Debug)]
pub(crate) struct SessionReader {
    db: Pool,
    rules: SessionRules,
    /// Permit of the one statement that reads sessions at a time.
    reading: Arc<Semaphore>,
    batcher: Arc<Batcher<SessionBatch>>,
}

impl SessionReader {
    /// Creates the reader of an instance; batches run on the calling runtime.
    pub(crate) fn new(app: &App) -> Self {
        let (db, rules) = (app.db.clone(), SessionRules::of(&app.config));
        let reading = Arc::new(Semaphore::new(1));
        let batch = SessionBatch { db: db.clone(), rules, reading: reading.clone() };
        let batcher = Arc::new(Batcher::new(batch, Handle::current()));
        Self { db, rules, reading, batcher }
    }

    /// Returns the account of the session `hash` as of a moment after the call. Updates
    /// `last_seen_at` if that is due.
    pub(crate) async fn find(&self, hash: TokenHash) -> SessionRead {
        let found = self.read(hash).await?;
        if let Some(session) = found.as_ref().filter(|session| session.is_unseen)
            && let Err(error) = store::touch(&self.db, session.session_id).await
        {
            tracing::warn!(%error, "a session in use may end as an unused one");
        }
        Ok(found)
    }

    async fn read(&self, hash: TokenHash) -> SessionRead {
        if let Ok(_reading) = self.reading.try_acquire() {
            let found = shared_read(store::find(&self.db, &hash, self.rules)).await;
            return found.map_err(Arc::new);
        }
        match self.batcher.submit((), || hash).await {
            Ok(read) => read,
            Err(BatchError::Full) => Err(Arc::new(sqlx::Error::PoolTimedOut)),
            Err(BatchError::Lost) => Err(Arc::new(sqlx::Error::WorkerCrashed)),
        }
    }
}

/// Batches of sessions, each read in one statement.
#[derive(Debug)]
struct SessionBatch {
    db: Pool,
    rules: SessionRules,
    reading: Arc<Semaphore>,
}

impl Batch for SessionBatch {
    const KIND: &'static str = "session";
    const MEMBERS_MAX: usize = 500;
    const WAITING_MAX: usize = 20_000;
    /// Longer than [`shared_read`] takes at most, which ends with an error of its own.
    const RUN_MAX: Duration = Duration::from_secs(5);

    type Key = ();
    type Request = TokenHash;
    type Answer = SessionRead;

    async fn run(&self, (): (), members: Vec<Member<Self>>) -> Option<Rest> {
        let _reading = timeout(BEFORE_MAX, self.reading.acquire()).await;
        let hashes: Vec<TokenHash> = members.iter().map(|member| member.request).collect();
        let listed = shared_read(store::list(&self.db, &hashes, self.rules)).await;
        let found: Result<HashMap<_, _>, _> =
            listed.map(|listed| listed.into_iter().collect()).map_err(Arc::new);
        for member in members {
            let read = found.as_ref().map(|found| found.get(&member.request).cloned());
            member.answer(read.map_err(Arc::clone));
        }
        None
    }
}
