//! Counts of the guards' refusals, for the admin pages.
//!
//! Counts are kept in memory for a moment and written together, so that a flood of refused requests
//! does not become a flood of writes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use strum::VariantArray;
use tokio::runtime::Handle;

use super::store;
use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue::guards::model::{Effect, Guard},
    infra::postgres::Pool,
};

/// Time for which counts are kept in memory.
const WRITTEN_AFTER: Duration = Duration::from_millis(500);
/// Programs with counts in memory; counts of further programs are lost.
const PROGRAMS_MAX: usize = 10_000;

/// Returns the counts of the guards of `program_id`; guards without any are left out.
pub async fn list_effects(db: &Pool, program_id: ProgramId) -> Result<Vec<Effect>, sqlx::Error> {
    store::list_effects(db, program_id).await
}

/// Counts a hold that was refused because earlier holds ended unpaid.
pub async fn note_cool_down(app: &App, program_id: ProgramId) {
    metrics::counter!("stagedoor_guard_refusals_total", "guard" => <&str>::from(Guard::CoolDown))
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

/// Counts refused and slowed that are not written yet.
type Waiting = HashMap<(ProgramId, Guard), (i64, i64)>;

/// Counts of one instance that are waiting to be written.
#[derive(Clone, Debug)]
pub struct Effects {
    db: Pool,
    runtime: Handle,
    waiting: Arc<Mutex<Waiting>>,
}

impl Effects {
    /// Creates the counts of one instance; they are written on the runtime of the caller.
    pub(crate) fn new(app: &App) -> Self {
        Self { db: app.db.clone(), runtime: Handle::current(), waiting: Arc::default() }
    }

    /// Counts a request that `guard` refused.
    pub(crate) fn refused(&self, program_id: ProgramId, guard: Guard) {
        metrics::counter!("stagedoor_guard_refusals_total", "guard" => <&str>::from(guard))
            .increment(1);
        self.add(program_id, guard, (1, 0));
    }

    /// Counts a join that `guard` slowed down and let through.
    pub(crate) fn slowed(&self, program_id: ProgramId, guard: Guard) {
        self.add(program_id, guard, (0, 1));
    }

    fn add(&self, program_id: ProgramId, guard: Guard, (refused, slowed): (i64, i64)) {
        let mut waiting = self.waiting();
        if waiting.len() >= PROGRAMS_MAX * Guard::VARIANTS.len() {
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
