//! Batched session look-ups.
//!
//! Every request that changes something looks its session up in Postgres, so that a log-out or
//! a lock counts at once. Under load one statement per request would cost more than the
//! requests themselves. Requests that arrive while others are being looked up are therefore
//! collected into one statement, which begins after the last of them arrived: no answer is
//! older than its question. A request that comes alone does not wait.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    runtime::Handle,
    sync::{Semaphore, oneshot},
};

use super::{SessionRules, store};
use crate::{
    accounts::model::{SessionAccount, TokenHash},
    app::App,
    infra::postgres::{Pool, shared_read},
};

/// Look-ups that run by themselves before others are collected.
const ALONE_MAX: usize = 2;
/// Sessions in one statement.
const BATCH_MAX: usize = 500;
/// Sessions that may wait to be looked up.
const WAITING_MAX: usize = 20_000;

/// Result of a look-up; the members of a batch share its failure.
pub(crate) type Found = Result<Option<SessionAccount>, Arc<sqlx::Error>>;

/// Session look-ups of one instance.
#[derive(Clone, Debug)]
pub(crate) struct SessionLookups {
    db: Pool,
    rules: SessionRules,
    /// Runtime for statements: the threads that answer requests may end sooner.
    runtime: Handle,
    alone: Arc<Semaphore>,
    /// Requests for the next statement; `None` while none is running.
    waiting: Arc<Mutex<Option<Vec<Asked>>>>,
}

/// Session to look up, and where to send the result.
#[derive(Debug)]
struct Asked {
    hash: TokenHash,
    answer: oneshot::Sender<Found>,
}

impl SessionLookups {
    /// Creates the look-ups of an instance; statements run on the calling runtime.
    pub(crate) fn new(app: &App) -> Self {
        let (db, rules) = (app.db.clone(), SessionRules::of(&app.config));
        let alone = Arc::new(Semaphore::new(ALONE_MAX));
        Self { db, rules, runtime: Handle::current(), alone, waiting: Arc::default() }
    }

    /// Returns the account of the session `hash` as of a moment after the call; `None` if no
    /// live session has it. Updates `last_seen_at` if that is due.
    pub(crate) async fn find(&self, hash: TokenHash) -> Found {
        let found = self.find_as_it_is(hash).await?;
        if let Some(session) = found.as_ref().filter(|session| session.is_unseen)
            && let Err(error) = store::touch(&self.db, session.session_id).await
        {
            tracing::warn!(%error, "a session in use may end as an unused one");
        }
        Ok(found)
    }

    async fn find_as_it_is(&self, hash: TokenHash) -> Found {
        if let Ok(_alone) = self.alone.try_acquire() {
            let found = shared_read(store::find(&self.db, &hash, self.rules)).await;
            return found.map_err(Arc::new);
        }
        let answered = self.enlist(hash)?;
        answered.await.unwrap_or_else(|_| Err(Arc::new(sqlx::Error::WorkerCrashed)))
    }

    fn enlist(&self, hash: TokenHash) -> Result<oneshot::Receiver<Found>, Arc<sqlx::Error>> {
        let (answer, answered) = oneshot::channel();
        let asked = Asked { hash, answer };
        let mut waiting = self.waiting();
        match waiting.as_mut() {
            Some(others) if others.len() >= WAITING_MAX => {
                return Err(Arc::new(sqlx::Error::PoolTimedOut));
            }
            Some(others) => others.push(asked),
            None => {
                *waiting = Some(vec![asked]);
                self.runtime.spawn(self.clone().look_up_all());
            }
        }
        Ok(answered)
    }

    /// Looks batches up until none is waiting.
    async fn look_up_all(self) {
        while let Some(batch) = self.next_batch() {
            let looked_up = self.runtime.spawn(look_up(self.db.clone(), self.rules, batch));
            if looked_up.await.is_err() {
                tracing::error!("a look-up of sessions was lost");
            }
        }
    }

    fn next_batch(&self) -> Option<Vec<Asked>> {
        let mut waiting = self.waiting();
        let others = waiting.as_mut()?;
        let batch: Vec<Asked> = others.drain(..others.len().min(BATCH_MAX)).collect();
        if batch.is_empty() {
            *waiting = None;
            return None;
        }
        Some(batch)
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Vec<Asked>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks `batch` up in one statement and answers each member.
async fn look_up(db: Pool, rules: SessionRules, batch: Vec<Asked>) {
    let hashes: Vec<TokenHash> = batch.iter().map(|asked| asked.hash).collect();
    let listed = shared_read(store::list(&db, &hashes, rules)).await;
    let found: Result<HashMap<_, _>, _> =
        listed.map(|listed| listed.into_iter().collect()).map_err(Arc::new);
    for asked in batch {
        let answer = match &found {
            Ok(found) => Ok(found.get(&asked.hash).cloned()),
            Err(error) => Err(error.clone()),
        };
        // A dropped receiver needs no answer.
        let _ = asked.answer.send(answer);
    }
}
