//! Open maps: one look at the database for all who watch one performance.
//!
//! While somebody watches a performance, one task of this instance asks what changed:
//! soon after a hint from whoever changed it, and every two seconds in case a hint was
//! lost. The answers are kept for a while, so that a viewer who connects or polls with a
//! recent cursor costs no query at all.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Serialize;
use tokio::{
    sync::{Notify, broadcast},
    time::Instant,
};

use super::{
    model::SeatStatus,
    store::{self, ChangedRows},
};
use crate::{
    app::App,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::signals::{self, Listener},
};

/// Where instances tell each other which map changed.
const CHANNEL: &str = "map-changed";
/// Hints that come together are answered together.
const COALESCED: Duration = Duration::from_millis(100);
/// How often a watched map is looked at without a hint.
const LOOKED_EVERY: Duration = Duration::from_secs(2);
/// How long a map is followed after its last viewer.
const FOLLOWED_AFTER: Duration = Duration::from_secs(15);
/// Answers kept for viewers who come later.
const KEPT_MAX: usize = 256;
/// Answers a slow viewer may be behind before it has to ask anew.
const BEHIND_MAX: usize = 64;

/// What changed on a map, as viewers read it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Changes {
    /// What to ask from next.
    #[serde(serialize_with = "as_text")]
    pub(super) cursor: i64,
    pub(super) seats: Vec<SeatChange>,
    pub(super) zones: Vec<ZoneChange>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct SeatChange {
    id: ScheduleSeatId,
    status: SeatStatus,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ZoneChange {
    id: ZoneId,
    remaining: i32,
}

/// A cursor is opaque: text, so that nobody reckons with it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn as_text<S: serde::Serializer>(cursor: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(cursor)
}

impl From<ChangedRows> for Changes {
    fn from(rows: ChangedRows) -> Self {
        let seats = rows.seats.0.iter().map(|row| SeatChange { id: row.id, status: row.status });
        let zones = rows.zones.0.iter();
        let zones = zones.map(|row| ZoneChange { id: row.id, remaining: row.remaining });
        Self { cursor: rows.cursor, seats: seats.collect(), zones: zones.collect() }
    }
}

/// Tells every instance that the map of `schedule_id` changed. Called after a commit; it
/// waits for nothing and may be lost.
pub fn announce(app: &App, schedule_id: ScheduleId) {
    let redis = app.redis.clone();
    tokio::spawn(async move { signals::tell(&redis, CHANNEL, schedule_id).await });
}

/// The maps that are watched at one instance; clones share them.
#[derive(Clone, Debug)]
pub(super) struct Maps {
    watched: Watched,
    _listener: Arc<Listener>,
}

type Watched = Arc<Mutex<HashMap<ScheduleId, Arc<Watch>>>>;

/// One watched map.
#[derive(Debug)]
struct Watch {
    hinted: Notify,
    answers: broadcast::Sender<Arc<Changes>>,
    kept: Mutex<Kept>,
}

/// The last answers: together they cover everything from `since` on.
#[derive(Debug)]
struct Kept {
    since: i64,
    cursor: i64,
    answers: VecDeque<Arc<Changes>>,
    touched: Instant,
}

/// What a viewer gets at once, and the answers to come.
pub(super) struct Viewing {
    pub(super) missed: Vec<Arc<Changes>>,
    pub(super) answers: broadcast::Receiver<Arc<Changes>>,
}

impl Maps {
    pub(super) fn new(app: &App) -> Self {
        let watched = Watched::default();
        let hinted = Arc::clone(&watched);
        let listener = signals::listen(&app.redis, CHANNEL, move |message| {
            let Ok(schedule_id) = message.parse() else { return };
            if let Some(watch) = locked(&hinted).get(&schedule_id) {
                watch.hinted.notify_one();
            }
        });
        Self { watched, _listener: Arc::new(listener) }
    }

    /// Ends every stream, for a graceful stop.
    pub(super) fn close(&self) {
        for (_, watch) in locked(&self.watched).drain() {
            watch.hinted.notify_one();
        }
    }

    /// What changed since `since`, from memory where it is remembered.
    pub(super) async fn changes(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<Changes, sqlx::Error> {
        let watch = self.watch(app, schedule_id).await?;
        match watch.missed(since) {
            Some((answers, cursor)) => Ok(merged(&answers, cursor)),
            None => Ok(store::changes_since(&app.db, schedule_id, since).await?.into()),
        }
    }

    /// Follows the map from `since` on.
    pub(super) async fn view(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<Viewing, sqlx::Error> {
        let watch = self.watch(app, schedule_id).await?;
        // Subscribed before the past is read: what comes between is told twice, not never.
        let answers = watch.answers.subscribe();
        let missed = match watch.missed(since) {
            Some((missed, _)) => missed,
            None => vec![Arc::new(store::changes_since(&app.db, schedule_id, since).await?.into())],
        };
        Ok(Viewing { missed, answers })
    }

    /// The watch of a map, begun by its first viewer.
    async fn watch(&self, app: &App, schedule_id: ScheduleId) -> Result<Arc<Watch>, sqlx::Error> {
        if let Some(watch) = locked(&self.watched).get(&schedule_id) {
            locked(&watch.kept).touched = Instant::now();
            return Ok(Arc::clone(watch));
        }
        // What is newer than the oldest transaction that still runs, at once: a viewer's
        // cursor may be as old as that one.
        let since = store::cursor(&app.db).await?;
        let mut seen = Seen::default();
        let first = store::changes_since(&app.db, schedule_id, since).await?;
        let begun = Arc::new(Watch::new(since));
        begun.keep(seen.news(first));
        let mut watched = locked(&self.watched);
        let watch = Arc::clone(watched.entry(schedule_id).or_insert_with(|| begun.clone()));
        if Arc::ptr_eq(&watch, &begun) {
            tokio::spawn(follow(app.clone(), Arc::clone(&self.watched), schedule_id, begun, seen));
        }
        Ok(watch)
    }
}

impl Watch {
    fn new(cursor: i64) -> Self {
        let touched = Instant::now();
        let kept = Kept { since: cursor, cursor, answers: VecDeque::new(), touched };
        let (answers, _) = broadcast::channel(BEHIND_MAX);
        Self { hinted: Notify::new(), answers, kept: Mutex::new(kept) }
    }

    /// The answers that whoever knows everything before `since` has missed, and the
    /// cursor after them; none when that is too long ago.
    fn missed(&self, since: i64) -> Option<(Vec<Arc<Changes>>, i64)> {
        let kept = locked(&self.kept);
        (kept.since <= since).then(|| {
            // With the same cursor it is open which was read first: told again, not missed.
            let missed = kept.answers.iter().filter(|answer| answer.cursor >= since);
            (missed.cloned().collect(), kept.cursor.max(since))
        })
    }

    fn keep(&self, changes: Changes) {
        let mut kept = locked(&self.kept);
        kept.cursor = changes.cursor;
        if changes.seats.is_empty() && changes.zones.is_empty() {
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

    fn is_deserted(&self) -> bool {
        self.answers.receiver_count() == 0 && locked(&self.kept).touched.elapsed() > FOLLOWED_AFTER
    }
}

/// Asks for all viewers of one map until none is left.
async fn follow(
    app: App,
    watched: Watched,
    schedule_id: ScheduleId,
    watch: Arc<Watch>,
    mut seen: Seen,
) {
    let mut since = locked(&watch.kept).cursor;
    loop {
        if tokio::time::timeout(LOOKED_EVERY, watch.hinted.notified()).await.is_ok() {
            tokio::time::sleep(COALESCED).await;
        }
        {
            let mut watched = locked(&watched);
            let is_ours = watched.get(&schedule_id).is_some_and(|each| Arc::ptr_eq(each, &watch));
            if !is_ours || watch.is_deserted() {
                if is_ours {
                    watched.remove(&schedule_id);
                }
                return;
            }
        }
        match store::changes_since(&app.db, schedule_id, since).await {
            Ok(rows) => {
                since = rows.cursor;
                watch.keep(seen.news(rows));
            }
            Err(error) => tracing::warn!(%error, %schedule_id, "a map could not be followed"),
        }
    }
}

/// Which versions were told, of the rows that may come again. A transaction that runs for
/// long, anywhere in the database, holds the cursor back; nothing is told twice for it.
#[derive(Debug, Default)]
struct Seen {
    seats: HashMap<ScheduleSeatId, i64>,
    zones: HashMap<ZoneId, i64>,
}

impl Seen {
    fn news(&mut self, mut rows: ChangedRows) -> Changes {
        let seats = rows.seats.iter().map(|row| (row.id, row.version)).collect();
        let zones = rows.zones.iter().map(|row| (row.id, row.version)).collect();
        rows.seats.retain(|row| self.seats.get(&row.id) != Some(&row.version));
        rows.zones.retain(|row| self.zones.get(&row.id) != Some(&row.version));
        *self = Self { seats, zones };
        rows.into()
    }
}

/// Several answers as one: the last word on each seat and zone.
fn merged(answers: &[Arc<Changes>], cursor: i64) -> Changes {
    let seats: HashMap<_, _> =
        answers.iter().flat_map(|answer| &answer.seats).map(|seat| (seat.id, *seat)).collect();
    let zones: HashMap<_, _> =
        answers.iter().flat_map(|answer| &answer.zones).map(|zone| (zone.id, *zone)).collect();
    Changes { cursor, seats: seats.into_values().collect(), zones: zones.into_values().collect() }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
