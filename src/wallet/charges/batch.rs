//! Batches of charges: attempts, what leaves a batch, and what takes it apart.

use std::{collections::HashMap, time::Duration};

use super::{
    model::{ChargeRequest, Charged},
    settlement::{self, Settled},
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

/// Batches of charges of one shard.
#[derive(Debug)]
pub(super) struct ChargeBatch {
    pub(super) db: Pool,
}

impl Batch for ChargeBatch {
    const KIND: &'static str = "charge";
    const MEMBERS_MAX: usize = 100;
    const WAITING_MAX: usize = 5_000;
    /// Every attempt included, also of each charge alone.
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = u8;
    type Request = ChargeRequest;
    type Answer = Result<Charged, WalletError>;

    async fn run(&self, _: u8, members: Vec<Member<Self>>) -> Option<Rest> {
        let left = settle_or_part(&self.db, members, WhenHeld::Skip).await;
        let mut by_wallet: HashMap<AccountId, Vec<Member<Self>>> = HashMap::new();
        for member in left {
            by_wallet.entry(member.request.charge.account_id).or_default().push(member);
        }
        for members in by_wallet.into_values() {
            let db = self.db.clone();
            // Waits for its wallet, and answers every member.
            tokio::spawn(async move { settle_or_part(&db, members, WhenHeld::Wait).await });
        }
        // Of one wallet, the next batch would wait for this commit, with fewer members.
        None
    }
}

/// Settles `members` together, or each alone where the data of one made the whole fail. Returns
/// those that were not settled because their wallet is held: none with [`WhenHeld::Wait`].
async fn settle_or_part(
    db: &Pool,
    mut members: Vec<Member<ChargeBatch>>,
    when_held: WhenHeld,
) -> Vec<Member<ChargeBatch>> {
    let (error, members) = match settle(db, &mut members, when_held).await {
        Ok(outcomes) => return answer(members, outcomes),
        Err(error) => (error, members),
    };
    if members.len() > 1 && !is_away(&error) {
        tracing::warn!(%error, "a batch of charges failed and is taken apart");
        let mut left = Vec::new();
        for member in members {
            let mut alone = vec![member];
            match settle(db, &mut alone, when_held).await {
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
) -> Result<Vec<Settled>, WalletError> {
    let mut attempts_left = ATTEMPTS_MAX;
    loop {
        attempts_left -= 1;
        let requests: Vec<&ChargeRequest> = members.iter().map(|member| &member.request).collect();
        match settlement::settle_once(db, &requests, when_held).await {
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
