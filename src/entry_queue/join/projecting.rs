//! Projections of joins, one after the other within a program.
//!
//! Joins of one instance are written in the order of their numbers. Projected in the same order, none
//! of them finds a smaller number missing in Redis, so none reads and writes the numbers of another.

use std::time::Duration;

use super::model::NewPlace;
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    entry_queue::{
        model::QueueNumber,
        projection::{self, JoinedPositions, rebuild},
        redis_queue::{Covered, Written},
        store::ProjectedPosition,
    },
    infra::batcher::{Batch, Member, Rest},
};

/// Joins of one batch, to be projected.
#[derive(Clone, Debug)]
pub(super) enum Joined {
    /// Issued tokens, in the order of their numbers.
    Places(Vec<NewPlace>),
    /// Accounts whose positions have to be read.
    Accounts(Vec<AccountId>),
}

/// Projections of the joins of one program.
#[derive(Debug)]
pub(super) struct ProjectionBatch {
    pub(super) app: App,
}

impl Batch for ProjectionBatch {
    const KIND: &'static str = "projection";
    /// Their positions are written with one script.
    const MEMBERS_MAX: usize = 2;
    const WAITING_MAX: usize = 1_000;
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ProgramId;
    type Request = Joined;
    /// Positions that are known.
    type Answer = JoinedPositions;

    /// Answers once Redis has the positions, or has not taken them in time.
    async fn run(&self, program_id: ProgramId, members: Vec<Member<Self>>) -> Option<Rest> {
        let joined: Vec<&Joined> = members.iter().map(|member| &member.request).collect();
        let (written, mut positions) = self.project(program_id, &joined).await;
        if written == Some(Written::Incomplete) {
            rebuild::rebuild_soon(&self.app, program_id).await;
        }
        for member in members {
            let own = member.request.accounts();
            let own = own.into_iter().filter_map(|id| positions.remove_entry(&id)).collect();
            member.answer(own);
        }
        None
    }
}

impl ProjectionBatch {
    async fn project(
        &self,
        program_id: ProgramId,
        joined: &[&Joined],
    ) -> (Option<Written>, JoinedPositions) {
        let places: Option<Vec<&[NewPlace]>> =
            joined.iter().map(|joined| joined.places()).collect();
        let places = places.map(|places| places.concat());
        let (positions, covered) = places.as_deref().and_then(positions_of).unzip();
        let Some((positions, covered)) = positions.zip(covered) else {
            let accounts: Vec<AccountId> =
                joined.iter().flat_map(|joined| joined.accounts()).collect();
            let written = projection::project_in_time(&self.app, program_id, &accounts).await;
            return (written, JoinedPositions::new());
        };
        match projection::project_joined(&self.app, program_id, positions, covered).await {
            Some((written, positions)) => (Some(written), positions),
            None => (None, JoinedPositions::new()),
        }
    }
}

impl Joined {
    fn places(&self) -> Option<&[NewPlace]> {
        match self {
            Self::Places(places) => Some(places),
            Self::Accounts(_) => None,
        }
    }

    pub(super) fn accounts(&self) -> Vec<AccountId> {
        match self {
            Self::Places(places) => places.iter().map(|place| place.account_id).collect(),
            Self::Accounts(accounts) => accounts.clone(),
        }
    }
}

/// Returns the positions of `places` and their numbers; `None` for no places, and for numbers that do not
/// follow one another: another instance has given those between.
fn positions_of(places: &[NewPlace]) -> Option<(Vec<(AccountId, ProjectedPosition)>, Covered)> {
    let (first, last) = (places.first()?, places.last()?);
    let numbers = places.iter().map(|place| place.number.0);
    if !numbers.eq(first.number.0..=last.number.0) {
        return None;
    }
    let position = |place: &NewPlace| match place.stay_ends_at {
        Some(ends_at) => (place.account_id, ProjectedPosition::Inside(ends_at)),
        None => (place.account_id, ProjectedPosition::Waiting(place.number)),
    };
    let covered = Covered { after: QueueNumber(first.number.0 - 1), to: last.number };
    Some((places.iter().map(position).collect(), covered))
}
