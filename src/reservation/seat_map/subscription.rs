//! Subscription to one map: its snapshot and its recent deltas.

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
use crate::{app::App, catalog::ScheduleId, reservation::leased_seats::SeatLeases};

/// Time a map is followed after its last viewer.
const FOLLOWED_AFTER: Duration = Duration::from_mins(1);
/// Deltas kept for later viewers.
const KEPT_MAX: usize = 256;
/// Deltas a slow viewer may be behind before it must reconnect.
const BEHIND_MAX: usize = 64;

/// Followed map.
#[derive(Debug)]
pub struct Subscription {
    pub(crate) hinted: Notify,
    pub(crate) deltas: broadcast::Sender<Arc<Delta>>,
    kept: Mutex<Kept>,
    pub snapshot: Mutex<Snapshot>,
}

/// Recent deltas, which together cover all changes from `since` on.
#[derive(Debug)]
struct Kept {
    since: i64,
    cursor: i64,
    deltas: VecDeque<Arc<Delta>>,
    touched: Instant,
}

/// Deltas that a viewer gets at once, and the receiver of later ones.
pub(crate) struct DeltaStream {
    pub missed: Vec<Arc<Delta>>,
    pub(crate) deltas: broadcast::Receiver<Arc<Delta>>,
}

impl Subscription {
    /// Follows a map from its snapshot on.
    pub fn new(cursor: i64, snapshot: Snapshot) -> Self {
        let touched = Instant::now();
        let kept = Kept { since: cursor, cursor, deltas: VecDeque::new(), touched };
        let (deltas, _) = broadcast::channel(BEHIND_MAX);
        Self {
            hinted: Notify::new(),
            deltas,
            kept: Mutex::new(kept),
            snapshot: Mutex::new(snapshot),
        }
    }

    /// Returns the cursor of the next reading.
    pub fn cursor(&self) -> i64 {
        locked(&self.kept).cursor
    }

    /// Records a view, extending the idle timeout.
    pub fn touch(&self) {
        locked(&self.kept).touched = Instant::now();
    }

    /// Returns the time of the last view.
    pub fn touched(&self) -> Instant {
        locked(&self.kept).touched
    }

    /// Returns the deltas from `since` on and the cursor after them. `None` when `since` is older
    /// than the kept deltas, or ahead of this instance: another instance may have read later, and
    /// cursors of another cluster have no meaning here.
    pub fn missed(&self, since: i64) -> Option<(Vec<Arc<Delta>>, i64)> {
        let kept = locked(&self.kept);
        (kept.since <= since && since <= kept.cursor).then(|| {
            // Deltas with the same cursor may be newer than the viewer's state, so they are sent
            // again.
            let missed = kept.deltas.iter().filter(|delta| delta.cursor >= since);
            (missed.cloned().collect(), kept.cursor)
        })
    }

    /// Returns the price version of the snapshot.
    pub fn price_version(&self) -> i64 {
        locked(&self.snapshot).price_version()
    }

    /// Reads the changes since a cursor that the kept deltas do not cover.
    pub(crate) async fn read_since(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<Delta, sqlx::Error> {
        let rows = changes::changes_since(&app.db, schedule_id, since).await?;
        let snapshot = locked(&self.snapshot);
        let rows = snapshot.with_late_leases(rows);
        Ok(Delta::of(&rows, snapshot.counts()))
    }

    /// Applies `rows` and `leases` to the snapshot and publishes them to all viewers.
    pub async fn apply(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        rows: ChangedRows,
        leases: &SeatLeases,
    ) -> Result<(), sqlx::Error> {
        let (rows, applied) = locked(&self.snapshot).apply_with(rows, leases);
        let sections = match applied {
            Applied::Known(sections) => sections,
            Applied::Unknown => {
                let mut snapshot = read_snapshot(app, schedule_id).await?;
                snapshot.apply_with(rows.none(), leases);
                let counts = snapshot.counts();
                *locked(&self.snapshot) = snapshot;
                counts
            }
        };
        self.keep(Delta::of(&rows, sections));
        Ok(())
    }

    /// Publishes the seats that were leased lately, for viewers who saw a lease before this
    /// subscription began.
    pub(crate) fn tell_late_leases(&self, rows: &ChangedRows) {
        let rows = locked(&self.snapshot).with_late_leases(rows.none());
        self.keep(Delta::of(&rows, Vec::new()));
    }

    fn keep(&self, changes: Delta) {
        let mut kept = locked(&self.kept);
        if changes.cursor < kept.cursor {
            // The database was restored into another cluster, whose cursors differ from the kept
            // ones.
            kept.since = changes.cursor;
            kept.deltas.clear();
        }
        kept.cursor = changes.cursor;
        if changes.is_empty() {
            return;
        }
        let changes = Arc::new(changes);
        kept.deltas.push_back(Arc::clone(&changes));
        if kept.deltas.len() > KEPT_MAX
            && let Some(forgotten) = kept.deltas.pop_front()
        {
            kept.since = forgotten.cursor + 1;
        }
        drop(kept);
        // Sending fails without viewers, which is not an error.
        let _ = self.deltas.send(changes);
    }

    pub(crate) fn is_deserted(&self) -> bool {
        self.deltas.receiver_count() == 0 && locked(&self.kept).touched.elapsed() > FOLLOWED_AFTER
    }
}

/// Reads a snapshot from the database.
pub(crate) async fn read_snapshot(
    app: &App,
    schedule_id: ScheduleId,
) -> Result<Snapshot, sqlx::Error> {
    let position = store::position(&app.db, schedule_id).await?;
    let seats = store::list_seats(&app.db, schedule_id, None).await?;
    Ok(Snapshot::new(position, seats, store::list_zones(&app.db, schedule_id).await?))
}

/// Locks a mutex; a panic of another holder leaves it usable.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
