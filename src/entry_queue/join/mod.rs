//! Joins of one program, written in batches: while one batch is being written, the next one
//! gathers.
//!
//! A **member** is one account's join; a **batch** is what one transaction writes. No join waits
//! for a batch to fill. A join that finds its program idle is written at once; joins that arrive
//! meanwhile go together, in order of arrival. A batch runs in a task of its own, so that a dropped
//! request cancels nothing.
//!
//! # Concurrency
//!
//! Batches of one instance and program follow one another; those of several instances are
//! serialized by the lock of the program's `queue_numbers` row. A second join of one account finds
//! the live token and becomes [`JoinVerdict::AlreadyIn`].

pub(crate) mod store;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use tokio::{runtime::Handle, sync::oneshot};
use uuid::Uuid;

use super::{
    admission,
    error::QueueError,
    guards::{Judge, Objection, model::Arrival, store::waits},
    model::{QueueNumber, Rules, TokenId},
    projection::{self, rebuild},
    redis_queue::Written,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ProgramId, SaleState},
    infra::postgres,
};

/// Joins in one transaction.
const BATCH_MAX: usize = 500;
/// Upper bound of the writing of one batch, every attempt included; the next batch waits for it.
const WRITE_MAX: Duration = Duration::from_secs(20);
/// Joins of one program that may wait for their batch.
const WAITING_MAX: usize = 20_000;
/// Attempts to write a batch whose outcome is unknown or that lost a race.
const ATTEMPTS_MAX: u32 = 3;

/// Joins of one instance that are waiting for Postgres.
#[derive(Clone, Debug)]
pub(crate) struct Joins {
    app: App,
    /// Runtime of the batches: the threads that answer requests may end sooner.
    runtime: Handle,
    lines: Arc<Mutex<HashMap<ProgramId, VecDeque<Member>>>>,
}

/// Member of a batch: one account's join.
#[derive(Debug)]
struct Member {
    token_id: TokenId,
    account_id: AccountId,
    arrival: Arrival,
    answer: oneshot::Sender<Result<JoinVerdict, QueueError>>,
}

/// Outcome of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinVerdict {
    /// A token was issued.
    Joined,
    /// The account has a live token.
    AlreadyIn,
    /// The sale has not opened.
    NotOpen { opens_at: DateTime<Utc> },
    /// The sale is over, or the program was cancelled.
    Closed,
    /// A guard against hoarding refused.
    Refused(Objection),
}

impl Joins {
    /// Creates the batcher of one instance; batches run on the runtime of the caller.
    pub(crate) fn new(app: App) -> Self {
        Self { app, runtime: Handle::current(), lines: Arc::default() }
    }

    /// Joins the queue of `program_id`. The moment of the call decides the order of arrival.
    pub(crate) async fn join(
        &self,
        program_id: ProgramId,
        account_id: AccountId,
        arrival: Arrival,
    ) -> Result<JoinVerdict, QueueError> {
        let answered = self.enlist(program_id, account_id, arrival)?;
        answered.await.unwrap_or(Err(QueueError::BatchLost))
    }

    fn enlist(
        &self,
        program_id: ProgramId,
        account_id: AccountId,
        arrival: Arrival,
    ) -> Result<oneshot::Receiver<Result<JoinVerdict, QueueError>>, QueueError> {
        let (answer, answered) = oneshot::channel();
        let mut lines = self.lines();
        // The id is made behind the lock, so that ids rise in the order of arrival.
        let member = Member { token_id: TokenId(Uuid::now_v7()), account_id, arrival, answer };
        if let Some(line) = lines.get_mut(&program_id) {
            if line.len() >= WAITING_MAX {
                return Err(QueueError::Crowded);
            }
            line.push_back(member);
        } else {
            lines.insert(program_id, VecDeque::from([member]));
            self.runtime.spawn(self.clone().write_batches(program_id));
        }
        Ok(answered)
    }

    /// Writes batches until none is left; then the program is idle again.
    async fn write_batches(self, program_id: ProgramId) {
        while let Some(batch) = self.next_batch(program_id) {
            let writing = write_batch(self.clone(), program_id, batch);
            let written = self.runtime.spawn(tokio::time::timeout(WRITE_MAX, writing));
            // The batch panicked or took too long: its members receive `BatchLost`.
            if !matches!(written.await, Ok(Ok(()))) {
                tracing::error!(%program_id, "a batch of joins was lost");
            }
        }
    }

    fn next_batch(&self, program_id: ProgramId) -> Option<Vec<Member>> {
        let mut lines = self.lines();
        let line = lines.get_mut(&program_id)?;
        let n = line.len().min(BATCH_MAX);
        let batch: Vec<Member> = line.drain(..n).collect();
        if batch.is_empty() {
            lines.remove(&program_id);
            return None;
        }
        Some(batch)
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<ProgramId, VecDeque<Member>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes `batch`; where the data of one member makes the whole fail, each member alone.
async fn write_batch(joins: Joins, program_id: ProgramId, batch: Vec<Member>) {
    metrics::histogram!("stagedoor_join_batch_size")
        .record(u32::try_from(batch.len()).unwrap_or(0));
    match write_surely(&joins.app, program_id, &batch).await {
        Ok(verdicts) => answer_when_mirrored(&joins, program_id, batch, verdicts),
        Err(error) if batch.len() > 1 && is_about_data(&error) => {
            tracing::warn!(%program_id, %error, "a batch of joins failed and is taken apart");
            for member in batch {
                let alone = vec![member];
                match write_surely(&joins.app, program_id, &alone).await {
                    Ok(verdicts) => answer_when_mirrored(&joins, program_id, alone, verdicts),
                    Err(error) => refuse(alone, error),
                }
            }
        }
        Err(error) => refuse(batch, error),
    }
}

/// Whether Postgres refused the data, as opposed to being unavailable or busy.
fn is_about_data(error: &sqlx::Error) -> bool {
    !postgres::is_unavailable(error)
        && !postgres::is_lock_timeout(error)
        && !postgres::is_conflict(error)
}

/// Answers once Redis has the positions; the next batch does not wait for that.
fn answer_when_mirrored(
    joins: &Joins,
    program_id: ProgramId,
    batch: Vec<Member>,
    verdicts: Vec<JoinVerdict>,
) {
    let app = joins.app.clone();
    joins.runtime.spawn(async move {
        let joined: Vec<AccountId> = batch
            .iter()
            .zip(&verdicts)
            .filter(|(_, verdict)| **verdict == JoinVerdict::Joined)
            .map(|(member, _)| member.account_id)
            .collect();
        if projection::settle_in_time(&app, program_id, &joined).await == Some(Written::Incomplete)
        {
            rebuild::rebuild_soon(&app, program_id).await;
        }
        for (member, verdict) in batch.into_iter().zip(verdicts) {
            // A caller that is gone finds its token at the next poll.
            let _ = member.answer.send(Ok(verdict));
        }
    });
}

fn refuse(batch: Vec<Member>, error: sqlx::Error) {
    let error = Arc::new(error);
    for member in batch {
        let _ = member.answer.send(Err(QueueError::Shared(error.clone())));
    }
}

/// Writes `batch`, and again when a deadlock was broken or the answer to COMMIT got lost: tokens
/// with the batch's own ids are then found to exist.
async fn write_surely(
    app: &App,
    program_id: ProgramId,
    batch: &[Member],
) -> Result<Vec<JoinVerdict>, sqlx::Error> {
    let mut n_failed = 0;
    loop {
        match write_once(app, program_id, batch, n_failed > 0).await {
            Err(error) if n_failed + 1 < ATTEMPTS_MAX && may_be_written(&error) => {
                tracing::warn!(%program_id, %error, "a batch of joins is written again");
                n_failed += 1;
            }
            outcome => return outcome,
        }
    }
}

fn may_be_written(error: &sqlx::Error) -> bool {
    let is_cut_off = matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_))
        || matches!(error, sqlx::Error::Database(_)) && postgres::is_unavailable(error);
    is_cut_off || postgres::is_conflict(error)
}

/// Writes `batch` in one transaction: locks, *then* reads the live tokens, *then* numbers the
/// others.
async fn write_once(
    app: &App,
    program_id: ProgramId,
    batch: &[Member],
    is_again: bool,
) -> Result<Vec<JoinVerdict>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let first = store::lock_next_number(&mut tx, program_id).await?;
    let mine = match is_again {
        true => store::list_written(&mut tx, &ids(batch)).await?.into_iter().collect(),
        false => HashSet::new(),
    };
    let rules = admission::store::rules_of(&mut tx, program_id).await?;
    let refusal = refusal_of(&rules);
    let accounts: Vec<AccountId> = batch.iter().map(|member| member.account_id).collect();
    let mut live: HashSet<AccountId> =
        store::list_live(&mut tx, program_id, &accounts).await?.into_iter().collect();

    let people: Vec<_> = batch.iter().map(|one| (one.account_id, one.arrival)).collect();
    let mut judge = match refusal {
        None => Judge::of(&mut tx, program_id, rules.guards(), &people, rules.now).await?,
        Some(_) => Judge::default(),
    };

    let (mut new_ids, mut new_accounts, mut networks) = (Vec::new(), Vec::new(), Vec::new());
    let verdicts = batch.iter().map(|member| {
        if mine.contains(&member.token_id) {
            return JoinVerdict::Joined;
        }
        // Of two joins of one account in one batch the first gets the number.
        if live.contains(&member.account_id) {
            return JoinVerdict::AlreadyIn;
        }
        if let Some(refusal) = refusal {
            return refusal;
        }
        if let Err(objection) = judge.admit(member.account_id, member.arrival) {
            return JoinVerdict::Refused(objection);
        }
        live.insert(member.account_id);
        new_ids.push(member.token_id);
        new_accounts.push(member.account_id);
        networks.push(member.arrival.network);
        JoinVerdict::Joined
    });
    let verdicts: Vec<JoinVerdict> = verdicts.collect();
    if !new_ids.is_empty() {
        let stay_ends_at = match rules.is_open_door() {
            // Admitting a join at once is a way in like any other, so it locks the gate.
            true => {
                admission::store::lock_gate(&mut tx, program_id).await?;
                Some(rules.stay_ends_at())
            }
            false => None,
        };
        let new = (new_ids.as_slice(), new_accounts.as_slice());
        let networks = judge.keeps_networks().then_some(networks.as_slice());
        store::insert_tokens(&mut tx, program_id, new, networks, first, stay_ends_at).await?;
        if judge.asks_for_work() {
            waits::delete_waits(&mut tx, program_id, &new_accounts).await?;
        }
        let n_new = i64::try_from(new_ids.len()).unwrap_or(i64::MAX);
        store::write_next_number(&mut tx, program_id, QueueNumber(first.0 + n_new)).await?;
    }
    tx.commit().await?;
    Ok(verdicts)
}

/// Returns why no account may join at this moment; `None` while the sale is open.
fn refusal_of(rules: &Rules) -> Option<JoinVerdict> {
    match rules.sale() {
        SaleState::Open => None,
        SaleState::Coming { opens_at } => Some(JoinVerdict::NotOpen { opens_at }),
        SaleState::Closed | SaleState::Cancelled => Some(JoinVerdict::Closed),
    }
}

fn ids(batch: &[Member]) -> Vec<TokenId> {
    batch.iter().map(|member| member.token_id).collect()
}
