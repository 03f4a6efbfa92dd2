//! Batches of charges: attempts, what leaves a batch, and what takes it apart.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use super::{
    committing::{Committing, CommittingGuard},
    model::{ChargeRequest, Charged},
    settlement::{self, Settled, WaitsFor, WrittenCharges},
};
use crate::{
    accounts::AccountId,
    infra::{
        batcher::{Batch, Member, Rest},
        postgres::{Contention, Pool, is_unavailable},
    },
    wallet::error::WalletError,
};

/// Attempts to settle charges whose commit got no answer or that lost a race.
const ATTEMPTS_MAX: u32 = 3;

/// Batches of charges.
#[derive(Debug)]
pub(super) struct ChargeBatch {
    db: Pool,
    committing: Committing,
}

impl ChargeBatch {
    pub(super) fn new(db: &Pool) -> Self {
        Self { db: db.clone(), committing: Committing::default() }
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

    /// Writes the charges together; the commit is the rest, with all that follows if it fails. A
    /// batch of one wallet ends with its commit: the next would only wait for that wallet, with
    /// fewer members.
    async fn run(&self, (): (), members: Vec<Member<Self>>) -> Option<Rest> {
        let requests: Vec<&ChargeRequest> = members.iter().map(|member| &member.request).collect();
        let before = self.committing.accounts();
        let written = settlement::write(&self.db, &requests, WaitsFor::Committing(&before)).await;
        let held = written.as_ref().map(|written| written.accounts(&requests)).unwrap_or_default();
        let is_one = held.len() == 1;
        let rest = finish(self.db.clone(), members, written, self.committing.begin(held));
        if is_one {
            rest.await;
            return None;
        }
        Some(Box::pin(rest))
    }
}

/// Commits what was written of `members`. Those whose wallet is held wait for it, each wallet's
/// together, beside the next batches.
async fn finish(
    db: Pool,
    members: Vec<Member<ChargeBatch>>,
    written: Result<WrittenCharges, WalletError>,
    committing: CommittingGuard,
) {
    let nobody = HashSet::new();
    let committed = commit(written).await;
    drop(committing);
    let left = settle_or_part(&db, members, WaitsFor::Committing(&nobody), Some(committed)).await;
    let mut by_wallet: HashMap<AccountId, Vec<Member<ChargeBatch>>> = HashMap::new();
    for member in left {
        by_wallet.entry(member.request.charge.account_id).or_default().push(member);
    }
    for members in by_wallet.into_values() {
        let db = db.clone();
        // Answers every member.
        tokio::spawn(async move { settle_or_part(&db, members, WaitsFor::All, None).await });
    }
}

type Outcomes = Result<Vec<Settled>, WalletError>;

async fn commit(written: Result<WrittenCharges, WalletError>) -> Outcomes {
    written?.commit().await
}

/// Settles `members` together, of which `first` is what became of the first attempt, or each alone
/// where the data of one made the whole fail. Returns those that were not settled because their
/// wallet is held: none with [`WaitsFor::All`].
async fn settle_or_part(
    db: &Pool,
    mut members: Vec<Member<ChargeBatch>>,
    waits_for: WaitsFor<'_>,
    first: Option<Outcomes>,
) -> Vec<Member<ChargeBatch>> {
    let (error, members) = match settle(db, &mut members, waits_for, first).await {
        Ok(outcomes) => return answer(members, outcomes),
        Err(error) => (error, members),
    };
    if members.len() > 1 && !is_away(&error) {
        tracing::warn!(%error, "a batch of charges failed and is taken apart");
        let mut left = Vec::new();
        for member in members {
            let mut alone = vec![member];
            match settle(db, &mut alone, waits_for, None).await {
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
/// to its commit. `first` is what became of the first attempt, if that was made.
async fn settle(
    db: &Pool,
    members: &mut [Member<ChargeBatch>],
    waits_for: WaitsFor<'_>,
    mut first: Option<Outcomes>,
) -> Outcomes {
    let mut attempts_left = ATTEMPTS_MAX;
    loop {
        attempts_left -= 1;
        let attempt = match first.take() {
            Some(first) => first,
            None => {
                let requests: Vec<_> = members.iter().map(|member| &member.request).collect();
                commit(settlement::write(db, &requests, waits_for).await).await
            }
        };
        match attempt {
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

/// Answers one member with its error. Several have lost their answer: what became of their charges
/// is unknown.
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
