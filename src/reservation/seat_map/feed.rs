//! Open maps: one look at the database for all who watch one performance.
//!
//! While somebody watches a performance, one task of this instance asks what changed:
//! soon after a hint from whoever changed it, and every two seconds in case a hint was
//! lost. The answers are kept for a while, so that a viewer who connects or polls with a
//! recent cursor costs no query at all. The same task keeps the whole house as it stands:
//! whoever opens a large one is served from it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    delta::{Delta, SentVersions},
    snapshot::Snapshot,
    store::{self, changes},
    subscription::{Subscription, Viewing, locked, read_snapshot},
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::signals::{self, Listener},
};

/// Where instances tell each other which map changed.
const CHANNEL: &str = "map-changed";
/// Hints that come together are answered together.
const COALESCED: Duration = Duration::from_millis(100);
/// ChangeFeed watched at once. A house of fifty thousand seats takes some twenty megabytes.
const WATCHED_MAX: usize = 128;
/// How long the first reading of a map may take, however large it is.
const BEGIN_MAX: Duration = Duration::from_secs(10);
/// How often a watched map is looked at without a hint.
const LOOKED_EVERY: Duration = Duration::from_secs(2);

/// Tells every instance that the map of `schedule_id` changed. Called after a commit; it
/// waits for nothing and may be lost.
pub fn announce(app: &App, schedule_id: ScheduleId) {
    let redis = app.redis.clone();
    tokio::spawn(async move { signals::tell(&redis, CHANNEL, schedule_id).await });
}

/// The maps that are watched at one instance; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct ChangeFeed {
    watched: Watched,
    /// Held while a watch is begun: a crowd that opens a map reads it once.
    beginning: Arc<tokio::sync::Mutex<()>>,
    _listener: Arc<Listener>,
}

type Watched = Arc<Mutex<HashMap<ScheduleId, Arc<Subscription>>>>;

impl ChangeFeed {
    pub(crate) fn new(app: &App) -> Self {
        let watched = Watched::default();
        let hinted = Arc::clone(&watched);
        let listener = signals::listen(&app.redis, CHANNEL, move |message| {
            let Ok(schedule_id) = message.parse() else { return };
            if let Some(watch) = locked(&hinted).get(&schedule_id) {
                watch.hinted.notify_one();
            }
        });
        Self { watched, beginning: Arc::default(), _listener: Arc::new(listener) }
    }

    /// Ends every stream, for a graceful stop.
    pub(crate) fn close(&self) {
        for (_, watch) in locked(&self.watched).drain() {
            watch.hinted.notify_one();
        }
    }

    /// What changed since `since`, from memory where it is remembered.
    pub(crate) async fn changes(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<Delta, sqlx::Error> {
        let watch = self.watch(app, schedule_id).await?;
        // Before the answers: what is priced in between is refused once, not charged.
        let price_version = watch.price_version();
        match watch.missed(since) {
            Some((answers, cursor)) => Ok(Delta::merged(&answers, cursor, price_version)),
            None => watch.asked(app, schedule_id, since).await,
        }
    }

    /// Follows the map from `since` on.
    pub(crate) async fn view(
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
            None => vec![Arc::new(watch.asked(app, schedule_id, since).await?)],
        };
        Ok(Viewing { missed, answers })
    }

    /// The house as it stands, or stood at the last look, and where to ask for changes
    /// from. `read` runs under a lock.
    pub(crate) async fn snapshot<T>(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        read: impl FnOnce(&mut Snapshot, i64) -> T,
    ) -> Result<T, sqlx::Error> {
        let watch = self.watch(app, schedule_id).await?;
        // Before the house: what changes in between is told again, not missed.
        let cursor = watch.cursor();
        Ok(read(&mut locked(&watch.snapshot), cursor))
    }

    /// The watch of a map, begun by its first viewer.
    async fn watch(
        &self,
        app: &App,
        schedule_id: ScheduleId,
    ) -> Result<Arc<Subscription>, sqlx::Error> {
        if let Some(watch) = self.find(schedule_id) {
            return Ok(watch);
        }
        // In a task of its own: a first reader who gives up leaves it to the next.
        let (maps, app) = (self.clone(), app.clone());
        let begun = tokio::spawn(async move {
            // The others that are to be begun wait for this one.
            let begun = tokio::time::timeout(BEGIN_MAX, maps.begin(&app, schedule_id)).await;
            begun.unwrap_or(Err(sqlx::Error::PoolTimedOut))
        });
        begun.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
    }

    async fn begin(
        &self,
        app: &App,
        schedule_id: ScheduleId,
    ) -> Result<Arc<Subscription>, sqlx::Error> {
        let _alone = self.beginning.lock().await;
        if let Some(watch) = self.find(schedule_id) {
            return Ok(watch);
        }
        // What is newer than the oldest transaction that still runs, at once: a viewer's
        // cursor may be as old as that one.
        let since = store::position(&app.db, schedule_id).await?.cursor;
        let watch = Arc::new(Subscription::new(since, read_snapshot(app, schedule_id).await?));
        let mut seen = SentVersions::default();
        let first = seen.news(changes::changes_since(&app.db, schedule_id, since).await?);
        watch.take(app, schedule_id, first).await?;
        {
            let mut watched = locked(&self.watched);
            make_room(&mut watched);
            watched.insert(schedule_id, Arc::clone(&watch));
        }
        let watched = Arc::clone(&self.watched);
        tokio::spawn(follow(app.clone(), watched, schedule_id, Arc::clone(&watch), seen));
        Ok(watch)
    }

    fn find(&self, schedule_id: ScheduleId) -> Option<Arc<Subscription>> {
        let watch = locked(&self.watched).get(&schedule_id).map(Arc::clone)?;
        watch.touch();
        Some(watch)
    }
}

/// Ends the watch that nobody opened for longest when there are too many; its viewers
/// open it anew.
fn make_room(watched: &mut HashMap<ScheduleId, Arc<Subscription>>) {
    if watched.len() < WATCHED_MAX {
        return;
    }
    let oldest = watched.iter().min_by_key(|(_, watch)| watch.touched()).map(|(id, _)| *id);
    if let Some(watch) = oldest.and_then(|id| watched.remove(&id)) {
        watch.hinted.notify_one();
    }
}

/// Asks for all viewers of one map until none is left.
async fn follow(
    app: App,
    watched: Watched,
    schedule_id: ScheduleId,
    watch: Arc<Subscription>,
    mut seen: SentVersions,
) {
    let mut since = watch.cursor();
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
        match look(&app, schedule_id, &watch, &mut seen, since).await {
            Ok(cursor) => since = cursor,
            Err(error) => {
                // What was read may not have been told.
                seen = SentVersions::default();
                tracing::warn!(%error, %schedule_id, "a map could not be followed");
            }
        }
    }
}

/// Asks once what changed and tells it; where to ask from next.
async fn look(
    app: &App,
    schedule_id: ScheduleId,
    watch: &Subscription,
    seen: &mut SentVersions,
    since: i64,
) -> Result<i64, sqlx::Error> {
    let rows = changes::changes_since(&app.db, schedule_id, since).await?;
    let cursor = rows.cursor;
    watch.take(app, schedule_id, seen.news(rows)).await?;
    Ok(cursor)
}
