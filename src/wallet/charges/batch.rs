//! Batches of charges: attempts, what leaves a batch, and what takes it apart.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    model::{ChargeRequest, Charged},
    settlement::{self, Settled, WrittenCharges},
};
use crate::{
    accounts::AccountId,
    infra::{
        batcher::{Batch, Member, Rest},
        postgres::{Contention, Pool, WhenHeld, is_unavailable},
    },
    wallet::error::WalletError,
};

/// Attempts to settle charges whose commit got no answer or that lost a race.
const ATTEMPTS_MAX: u32 = 3;

/// Batches of charges of one instance.
#[derive(Debug)]
pub(super) struct ChargeBatch {
    db: Pool,
    /// The commit beside which the next batch begins.
    committing: Mutex<Option<Committing>>,
}

/// Batch that is being committed.
#[derive(Debug)]
struct Committing {
    wallets: HashSet<AccountId>,
    /// Closed at its end, however it ends.
    ended: oneshot::Receiver<Infallible>,
}

impl ChargeBatch {
    pub(super) fn new(db: &Pool) -> Self {
        Self { db: db.clone(), committing: Mutex::default() }
    }

    /// Waits for the commit that goes on, if it holds one of `wallets`.
    async fn wait_for_commit_of(&self, wallets: &HashSet<AccountId>) {
        let committing = self.committing().take();
        if let Some(Committing { wallets: held, ended }) = committing
            && !held.is_disjoint(wallets)
        {
            // Nothing is ever sent: the end is that it is closed.
            let _ = ended.await;
        }
    }

    fn committing(&self) -> MutexGuard<'_, Option<Committing>> {
        self.committing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Batch for ChargeBatch {
    const KIND: &'static str = "charge";
    const MEMBERS_MAX: usize = 100;
    const WAITING_MAX: usize = 5_000;
    /// Every attempt included, also of each charge alone.
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ();
    type Request = ChargeRequest;
    type Answer = Result<Charged, WalletError>;

    /// Settles the charges together; the commit is the rest, beside which charges of other wallets
    /// are settled.
    async fn run(&self, (): (), members: Vec<Member<Self>>) -> Option<Rest> {
        let wallets: HashSet<AccountId> =
            members.iter().map(|member| member.request.charge.account_id).collect();
        self.wait_for_commit_of(&wallets).await;
        let db = self.db.clone();
        if wallets.len() == 1 {
            // The next batch, likely of the same wallet, would wait for this commit with fewer members.
            let left = settle_or_part(&db, members, WhenHeld::Skip, None).await;
            settle_when_free(&db, left);
            return None;
        }
        let written = settlement::write(&db, &requests_of(&members), WhenHeld::Skip).await;
        let (going, ended) = oneshot::channel();
        *self.committing() = Some(Committing { wallets, ended });
        Some(Box::pin(async move {
            let left = settle_or_part(&db, members, WhenHeld::Skip, Some(written)).await;
            drop(going);
            settle_when_free(&db, left);
        }))
    }
}

/// Settles `left`, whose wallets are held, as soon as each is free. Nothing waits for that.
fn settle_when_free(db: &Pool, left: Vec<Member<ChargeBatch>>) {
    let mut by_wallet: HashMap<AccountId, Vec<Member<ChargeBatch>>> = HashMap::new();
    for member in left {
        by_wallet.entry(member.request.charge.account_id).or_default().push(member);
    }
    for members in by_wallet.into_values() {
        let db = db.clone();
        // Waits for its wallet, and answers every member.
        tokio::spawn(async move { settle_or_part(&db, members, WhenHeld::Wait, None).await });
    }
}

fn requests_of(members: &[Member<ChargeBatch>]) -> Vec<&ChargeRequest> {
    members.iter().map(|member| &member.request).collect()
}

/// Settles `members` together, or each alone where the data of one made the whole batch fail; `written`
/// is the result of the first attempt. Returns the members that were not settled because another
/// transaction has their wallet or purchase locked: none with [`WhenHeld::Wait`].
async fn settle_or_part(
    db: &Pool,
    mut members: Vec<Member<ChargeBatch>>,
    when_held: WhenHeld,
    written: Option<Result<WrittenCharges, WalletError>>,
) -> Vec<Member<ChargeBatch>> {
    let (error, members) = match settle(db, &mut members, when_held, written).await {
        Ok(outcomes) => return answer(members, outcomes),
        Err(error) => (error, members),
    };
    if members.len() > 1 && !is_away(&error) {
        tracing::warn!(%error, "a batch of charges failed and is taken apart");
        let mut left = Vec::new();
        for member in members {
            let mut alone = vec![member];
            match settle(db, &mut alone, when_held, None).await {
                Ok(outcomes) => left.extend(answer(alone, outcomes)),
                Err(error) => refuse(alone, error),
            }
        }
        return left;
    }
    refuse(members, error);
    Vec::new()
}

/// Settles the charges of `members` in one transaction, and again when it lost a race or the answer
/// to its commit.
async fn settle(
    db: &Pool,
    members: &mut [Member<ChargeBatch>],
    when_held: WhenHeld,
    mut written: Option<Result<WrittenCharges, WalletError>>,
) -> Result<Vec<Settled>, WalletError> {
    let mut attempts_left = ATTEMPTS_MAX;
    loop {
        attempts_left -= 1;
        let writing = async {
            match written.take() {
                Some(written) => written,
                None => settlement::write(db, &requests_of(members), when_held).await,
            }
        };
        let settling = async { Ok(writing.await?.commit().await?) };
        match settling.await {
            Err(error) if attempts_left > 0 && (is_away(&error) || error.is_stale()) => {
                tracing::warn!(%error, "a batch of charges is settled again");
                for member in &mut *members {
                    member.request.is_again |= is_away(&error);
                }
            }
            outcome => return outcome,
        }
    }
}

/// Answers the members that are settled, and returns the others.
fn answer(members: Vec<Member<ChargeBatch>>, outcomes: Vec<Settled>) -> Vec<Member<ChargeBatch>> {
    let mut left = Vec::new();
    for (member, outcome) in members.into_iter().zip(outcomes) {
        match outcome {
            Settled::Done(outcome) => member.answer(outcome),
            Settled::Held => left.push(member),
        }
    }
    left
}

/// Answers one member with its error. Several have lost their answer: the outcome of their charges is
/// unknown.
fn refuse(mut members: Vec<Member<ChargeBatch>>, error: WalletError) {
    tracing::warn!(%error, n = members.len(), "charges failed");
    if let (Some(member), true) = (members.pop(), members.is_empty()) {
        member.answer(Err(error));
    }
}

/// Whether PostgreSQL did not answer: the charges may be settled.
fn is_away(error: &WalletError) -> bool {
    error.database().is_some_and(is_unavailable)
}
