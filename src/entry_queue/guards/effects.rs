//! What the guards did, counted for the desk.
//!
//! Counts are kept in memory for a moment and written together: a storm that is refused
//! does not become a storm of writes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Serialize;
use tokio::runtime::Handle;

use super::store;
use crate::{app::App, catalog::ProgramId, infra::postgres::Pool};

/// How long counts are kept in memory.
const WRITTEN_AFTER: Duration = Duration::from_millis(500);
/// Programs of which counts are kept; what is counted beyond is lost.
const PROGRAMS_MAX: usize = 10_000;

/// A rule against hoarding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Guard {
    /// The account must be old enough.
    AccountAge,
    /// Joining takes work, or a wait.
    Proof,
    /// One network gets so many numbers.
    Address,
    /// Holds that ended unpaid keep out for a while.
    CoolDown,
}

impl Guard {
    /// Every guard.
    pub const ALL: [Self; 4] = [Self::AccountAge, Self::Proof, Self::Address, Self::CoolDown];

    /// Value of the metric's label.
    fn label(self) -> &'static str {
        match self {
            Self::AccountAge => "age",
            Self::Proof => "proof",
            Self::Address => "address",
            Self::CoolDown => "cooling",
        }
    }
}

/// What one guard did in one program.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Effect {
    /// Which.
    pub guard: Guard,
    /// Requests it refused.
    pub refused: i64,
    /// Joins it slowed down and let through.
    pub slowed: i64,
}

/// What the guards of `program_id` did, those apart that did nothing yet.
pub async fn list_effects(db: &Pool, program_id: ProgramId) -> Result<Vec<Effect>, sqlx::Error> {
    store::list_effects(db, program_id).await
}

/// Counts a hold that was refused after others had ended unpaid.
pub async fn note_cool_down(app: &App, program_id: ProgramId) {
    metrics::counter!("stagedoor_guard_refusals_total", "guard" => Guard::CoolDown.label())
        .increment(1);
    let counts = (vec![program_id], vec![Guard::CoolDown], vec![1], vec![0]);
    write(&app.db, counts).await;
}

/// Program, guard, refused, slowed.
type Counts = (Vec<ProgramId>, Vec<Guard>, Vec<i64>, Vec<i64>);

async fn write(db: &Pool, counts: Counts) {
    let (programs, guards, refused, slowed) = counts;
    if let Err(error) = store::add_effects(db, &programs, &guards, &refused, &slowed).await {
        tracing::warn!(%error, "what the guards did could not be counted");
    }
}

/// What was refused and what was slowed down, not written yet.
type Waiting = HashMap<(ProgramId, Guard), (i64, i64)>;

/// Counts of one instance on their way into PostgreSQL.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    db: Pool,
    runtime: Handle,
    waiting: Arc<Mutex<Waiting>>,
}

impl Effects {
    /// Counts that are written on the runtime this is called on.
    pub(crate) fn new(app: &App) -> Self {
        Self { db: app.db.clone(), runtime: Handle::current(), waiting: Arc::default() }
    }

    /// Counts a request that `guard` refused.
    pub(crate) fn refused(&self, program_id: ProgramId, guard: Guard) {
        metrics::counter!("stagedoor_guard_refusals_total", "guard" => guard.label()).increment(1);
        self.add(program_id, guard, (1, 0));
    }

    /// Counts a join that `guard` slowed down and let through.
    pub(crate) fn slowed(&self, program_id: ProgramId, guard: Guard) {
        self.add(program_id, guard, (0, 1));
    }

    fn add(&self, program_id: ProgramId, guard: Guard, (refused, slowed): (i64, i64)) {
        let mut waiting = self.waiting();
        if waiting.len() >= PROGRAMS_MAX * Guard::ALL.len() {
            return;
        }
        if waiting.is_empty() {
            let effects = self.clone();
            self.runtime.spawn(async move { effects.write_soon().await });
        }
        let counts = waiting.entry((program_id, guard)).or_default();
        *counts = (counts.0 + refused, counts.1 + slowed);
    }

    async fn write_soon(self) {
        tokio::time::sleep(WRITTEN_AFTER).await;
        let taken = std::mem::take(&mut *self.waiting());
        let mut counts = Counts::default();
        for ((program_id, guard), (refused, slowed)) in taken {
            counts.0.push(program_id);
            counts.1.push(guard);
            counts.2.push(refused);
            counts.3.push(slowed);
        }
        write(&self.db, counts).await;
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
