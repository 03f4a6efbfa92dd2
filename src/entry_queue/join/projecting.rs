//! Projections of joins, one after the other within a program.
//!
//! Joins of one instance are written in the order of their numbers. Projected in the same order, none
//! of them finds a smaller number missing in Redis, so none reads and writes the numbers of another.

use std::time::Duration;

use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    entry_queue::{
        projection::{self, rebuild},
        redis_queue::Written,
    },
    infra::batcher::{Batch, Member, Rest},
};

/// Projections of the joins of one program; a request is the accounts of one batch of joins.
#[derive(Debug)]
pub(super) struct ProjectionBatch {
    pub(super) app: App,
}

impl Batch for ProjectionBatch {
    const KIND: &'static str = "projection";
    const MEMBERS_MAX: usize = 4;
    const WAITING_MAX: usize = 1_000;
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ProgramId;
    type Request = Vec<AccountId>;
    type Answer = ();

    /// Answers once Redis has the positions, or has not taken them in time.
    async fn run(&self, program_id: ProgramId, members: Vec<Member<Self>>) -> Option<Rest> {
        let joined: Vec<AccountId> =
            members.iter().flat_map(|member| &member.request).copied().collect();
        let written = projection::project_in_time(&self.app, program_id, &joined).await;
        if written == Some(Written::Incomplete) {
            rebuild::rebuild_soon(&self.app, program_id).await;
        }
        for member in members {
            member.answer(());
        }
        None
    }
}
