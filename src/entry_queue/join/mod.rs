//! Joins of one program, decided and numbered in batches.
//!
//! A **join** asks for one account's token. The joins that arrive while a batch is being written
//! are written together after it, in one transaction (`numbering`).
//!
//! # Invariants
//!
//! * Ids of tokens are made in the order of arrival, and numbers are given in that order.
//! * A join whose data the database refuses fails alone, never the others of its batch.
//! * A join whose commit got no answer is written again with the same id, so it counts once.
//! * A batch that was written is answered once Redis has the positions, or has not taken them in
//!   time. Positions are projected in the order of their numbers (`projecting`).
//! * A join that finds room, while no account waits that is not parked, is admitted in its own transaction
//!   (`admission`), without Redis: no account that waits is passed.
//!
//! # Concurrency
//!
//! Batches of one instance and program follow one another ([`batcher`](crate::infra::batcher));
//! batches of several instances are serialized by the lock of the program's `queue_numbers` row. The gate is
//! locked after it and not waited for: where another transaction has it, the joins of the batch wait in the line. A
//! second join of one account finds the live token and becomes [`JoinVerdict::AlreadyIn`]. A join and
//! the deletion of its account race for the account's row: the loser becomes
//! [`JoinVerdict::AccountGone`], or a deletion that ends the new token.

mod admission;
pub(crate) mod model;
mod numbering;
mod projecting;
pub(crate) mod rows;
pub(crate) mod store;

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::runtime::Handle;

use self::{
    model::{JoinAnswer, JoinRequest, JoinVerdict, WrittenJoins},
    projecting::{Joined, ProjectionBatch},
};
use super::{
    error::QueueError,
    guards::model::Arrival,
    log::{Commitment, Salt},
    model::TokenId,
    projection,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    infra::{
        batcher::{Batch, Batcher, Member, Rest},
        ids::new_id,
        postgres,
        secrets::LogSecret,
    },
};

/// Joins of one instance.
#[derive(Clone, Debug)]
pub struct Joins {
    batches: Arc<Batcher<JoinBatch>>,
    log_secret: LogSecret,
}

impl Joins {
    /// Creates the joins of one instance; batches run on the runtime of the caller.
    pub fn new(app: App) -> Self {
        let (runtime, log_secret) = (Handle::current(), app.log_secret.clone());
        let projecting = ProjectionBatch { app: app.clone() };
        let projections = Arc::new(Batcher::new(projecting, runtime.clone()));
        let batches = Arc::new(Batcher::new(JoinBatch { app, projections }, runtime));
        Self { batches, log_secret }
    }

    /// Joins the queue of `program_id`. The moment of the call decides the order of arrival.
    pub async fn join(
        &self,
        program_id: ProgramId,
        account_id: AccountId,
        arrival: Arrival,
    ) -> Result<JoinAnswer, QueueError> {
        let request = || {
            let token_id = TokenId(new_id());
            let commitment = Commitment::to(token_id, Salt::of(&self.log_secret, token_id));
            JoinRequest { token_id, account_id, arrival, commitment }
        };
        Ok(self.batches.submit(program_id, request).await??)
    }
}

/// Batches of joins of one program.
#[derive(Debug)]
struct JoinBatch {
    app: App,
    projections: Arc<Batcher<ProjectionBatch>>,
}

impl Batch for JoinBatch {
    const KIND: &'static str = "join";
    const MEMBERS_MAX: usize = 500;
    const WAITING_MAX: usize = 20_000;
    /// Every attempt included.
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ProgramId;
    type Request = JoinRequest;
    type Answer = Result<JoinAnswer, Arc<sqlx::Error>>;

    /// Writes the joins together; where the data of one makes the whole fail, each alone.
    async fn run(&self, program_id: ProgramId, members: Vec<Member<Self>>) -> Option<Rest> {
        let joins: Vec<JoinRequest> = members.iter().map(|member| member.request).collect();
        let written = numbering::write(&self.app, program_id, &joins).await;
        if let Err(error) = &written
            && members.len() > 1
            && is_about_data(error)
        {
            tracing::warn!(%program_id, %error, "a batch of joins failed and is taken apart");
            for member in members {
                let written = numbering::write(&self.app, program_id, &[member.request]).await;
                self.answer(program_id, vec![member], written);
            }
        } else {
            self.answer(program_id, members, written);
        }
        None
    }
}

impl JoinBatch {
    /// Answers each of `members`; the next batch does not wait for the projection of their
    /// positions.
    fn answer(
        &self,
        program_id: ProgramId,
        members: Vec<Member<Self>>,
        written: Result<WrittenJoins, sqlx::Error>,
    ) {
        match written {
            Ok(WrittenJoins { verdicts, places, is_full }) => {
                let by_account = places.iter().flatten().map(|place| (place.account_id, *place));
                let by_account: HashMap<_, _> = by_account.collect();
                let joined = match places {
                    Some(places) => Joined::Places(places),
                    None => Joined::Accounts(joined_of(&members, &verdicts)),
                };
                // Enlisted here, so that projections come in the order of the numbers.
                let projected = self.projections.enlist(program_id, || joined.clone());
                let app = self.app.clone();
                tokio::spawn(async move {
                    let positions = match projected {
                        Ok(projected) => projected.await.ok(),
                        Err(_full) => None,
                    };
                    if positions.is_none() {
                        projection::project(&app, program_id, &joined.accounts()).await;
                    }
                    let positions = positions.unwrap_or_default();
                    for (member, verdict) in members.into_iter().zip(verdicts) {
                        let account_id = member.request.account_id;
                        let is_joined = verdict == JoinVerdict::Joined;
                        let place = by_account.get(&account_id).copied().filter(|_| is_joined);
                        let position = positions.get(&account_id).copied();
                        // A caller that is gone finds its token at the next poll.
                        member.answer(Ok(JoinAnswer { verdict, place, position, is_full }));
                    }
                });
            }
            Err(error) => {
                let error = Arc::new(error);
                for member in members {
                    member.answer(Err(error.clone()));
                }
            }
        }
    }
}

/// Whether PostgreSQL refused the data, as opposed to being unavailable or busy.
fn is_about_data(error: &sqlx::Error) -> bool {
    !postgres::is_unavailable(error)
        && !postgres::is_set_back(error)
        && !postgres::is_lock_timeout(error)
        && !postgres::is_conflict(error)
}

/// Returns the accounts that `verdicts` give a number.
fn joined_of(members: &[Member<JoinBatch>], verdicts: &[JoinVerdict]) -> Vec<AccountId> {
    let both = members.iter().zip(verdicts);
    both.filter(|(_, verdict)| **verdict == JoinVerdict::Joined)
        .map(|(member, _)| member.request.account_id)
        .collect()
}
