//! One watched map: the house as it stands, and what was told of late.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, broadcast},
    time::Instant,
};

use super::{
    delta::Delta,
    snapshot::{Applied, Snapshot},
    store::{
        self,
        changes::{self, ChangedRows},
    },
};
use crate::{app::App, catalog::ScheduleId};

/// How long a map is followed after its last viewer.
const FOLLOWED_AFTER: Duration = Duration::from_mins(1);
/// Answers kept for viewers who come later.
const KEPT_MAX: usize = 256;
/// Answers a slow viewer may be behind before it has to ask anew.
const BEHIND_MAX: usize = 64;

/// One watched map.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) hinted: Notify,
    pub(crate) answers: broadcast::Sender<Arc<Delta>>,
    kept: Mutex<Kept>,
    pub(crate) snapshot: Mutex<Snapshot>,
}

/// The last answers: together they cover everything from `since` on.
#[derive(Debug)]
struct Kept {
    since: i64,
    cursor: i64,
    answers: VecDeque<Arc<Delta>>,
    touched: Instant,
}

/// What a viewer gets at once, and the answers to come.
pub(crate) struct Viewing {
    pub(crate) missed: Vec<Arc<Delta>>,
    pub(crate) answers: broadcast::Receiver<Arc<Delta>>,
}

impl Subscription {
    pub(crate) fn new(cursor: i64, snapshot: Snapshot) -> Self {
        let touched = Instant::now();
        let kept = Kept { since: cursor, cursor, answers: VecDeque::new(), touched };
        let (answers, _) = broadcast::channel(BEHIND_MAX);
        Self {
            hinted: Notify::new(),
            answers,
            kept: Mutex::new(kept),
            snapshot: Mutex::new(snapshot),
        }
    }

    /// From where the next look asks.
    pub(crate) fn cursor(&self) -> i64 {
        locked(&self.kept).cursor
    }

    /// Somebody looks: it is followed for a while longer.
    pub(crate) fn touch(&self) {
        locked(&self.kept).touched = Instant::now();
    }

    /// When somebody looked last.
    pub(crate) fn touched(&self) -> Instant {
        locked(&self.kept).touched
    }

    /// The answers that whoever knows everything before `since` has missed, and the
    /// cursor after them; none when that is too long ago, or not reached here: another instance
    /// may have looked later, and another cluster's numbers mean nothing.
    pub(crate) fn missed(&self, since: i64) -> Option<(Vec<Arc<Delta>>, i64)> {
        let kept = locked(&self.kept);
        (kept.since <= since && since <= kept.cursor).then(|| {
            // With the same cursor it is open which was read first: told again, not missed.
            let missed = kept.answers.iter().filter(|answer| answer.cursor >= since);
            (missed.cloned().collect(), kept.cursor)
        })
    }

    /// The version of the prices that the house shows.
    pub(crate) fn price_version(&self) -> i64 {
        locked(&self.snapshot).price_version()
    }

    /// What changed since a cursor that is not remembered.
    pub(crate) async fn asked(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<Delta, sqlx::Error> {
        let rows = changes::changes_since(&app.db, schedule_id, since).await?;
        Ok(Delta::of(&rows, locked(&self.snapshot).counts()))
    }

    /// Writes `rows` into the house and tells everybody.
    pub(crate) async fn take(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        rows: ChangedRows,
    ) -> Result<(), sqlx::Error> {
        let applied = locked(&self.snapshot).apply(&rows);
        let sections = match applied {
            Applied::Known(sections) => sections,
            Applied::Unknown => {
                let snapshot = read_snapshot(app, schedule_id).await?;
                let counts = snapshot.counts();
                *locked(&self.snapshot) = snapshot;
                counts
            }
        };
        self.keep(Delta::of(&rows, sections));
        Ok(())
    }

    fn keep(&self, changes: Delta) {
        let mut kept = locked(&self.kept);
        if changes.cursor < kept.cursor {
            // The database was restored into another cluster: what was kept has other numbers.
            kept.since = changes.cursor;
            kept.answers.clear();
        }
        kept.cursor = changes.cursor;
        if changes.is_empty() {
            return;
        }
        let changes = Arc::new(changes);
        kept.answers.push_back(Arc::clone(&changes));
        if kept.answers.len() > KEPT_MAX
            && let Some(forgotten) = kept.answers.pop_front()
        {
            kept.since = forgotten.cursor + 1;
        }
        drop(kept);
        // Nobody may be listening just now.
        let _ = self.answers.send(changes);
    }

    pub(crate) fn is_deserted(&self) -> bool {
        self.answers.receiver_count() == 0 && locked(&self.kept).touched.elapsed() > FOLLOWED_AFTER
    }
}

/// The house as the database has it.
pub(crate) async fn read_snapshot(
    app: &App,
    schedule_id: ScheduleId,
) -> Result<Snapshot, sqlx::Error> {
    let position = store::position(&app.db, schedule_id).await?;
    let seats = store::list_seats(&app.db, schedule_id, None).await?;
    Ok(Snapshot::new(position, seats, store::list_zones(&app.db, schedule_id).await?))
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
