//! Change feed of open maps: one query per change for all viewers of a performance.
//!
//! While a map has viewers, one task of this instance reads its changes: soon after a hint from the
//! instance that made one, and every two seconds in case a hint was lost. Recent deltas are kept,
//! so that a viewer who connects or polls with a recent cursor costs no query. The task also keeps
//! the snapshot from which large maps are served.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    delta::{Delta, SentVersions},
    snapshot::Snapshot,
    store::{self, changes},
    subscription::{DeltaStream, Subscription, locked, read_snapshot},
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::signals::{self, Listener},
    reservation::leased_seats::SeatLeases,
};

/// Redis channel on which instances announce changed maps.
const CHANNEL: &str = "map-changed";
/// Delay after a hint, during which further hints are answered together.
const COALESCED: Duration = Duration::from_millis(100);
/// Number of maps followed at once. A map of 50,000 seats takes about 20 MB.
const SUBSCRIPTIONS_MAX: usize = 128;
/// Maximum duration of the first reading of a map.
const BEGIN_MAX: Duration = Duration::from_secs(10);
/// Interval of reading changes without a hint.
const READ_PERIOD: Duration = Duration::from_secs(2);

/// Announces to every instance that the map of `schedule_id` changed. Must be called after the
/// commit; does not wait, and the hint may be lost.
pub fn announce(app: &App, schedule_id: ScheduleId) {
    let redis = app.redis.clone();
    tokio::spawn(async move { signals::publish(&redis, CHANNEL, schedule_id).await });
}

/// Followed maps of one instance; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct ChangeFeed {
    subscriptions: Subscriptions,
    /// Held while a subscription starts, so that concurrent first viewers read the map once.
    beginning: Arc<tokio::sync::Mutex<()>>,
    _listener: Arc<Listener>,
}

type Subscriptions = Arc<Mutex<HashMap<ScheduleId, Arc<Subscription>>>>;

impl ChangeFeed {
    pub(crate) fn new(app: &App) -> Self {
        let subscriptions = Subscriptions::default();
        let hinted = Arc::clone(&subscriptions);
        let listener = signals::listen(&app.redis, CHANNEL, move |message| {
            let Ok(schedule_id) = message.parse() else { return };
            if let Some(subscription) = locked(&hinted).get(&schedule_id) {
                subscription.hinted.notify_one();
            }
        });
        Self { subscriptions, beginning: Arc::default(), _listener: Arc::new(listener) }
    }

    /// Ends every stream, for a graceful stop.
    pub(crate) fn close(&self) {
        for (_, subscription) in locked(&self.subscriptions).drain() {
            subscription.hinted.notify_one();
        }
    }

    /// Returns the changes since `since`, from memory if they are kept.
    pub(crate) async fn changes(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<Delta, sqlx::Error> {
        let subscription = self.subscription_of(app, schedule_id).await?;
        // The version is read before the deltas: a price set in between refuses a hold, and is
        // never charged unseen.
        let price_version = subscription.price_version();
        match subscription.missed(since) {
            Some((deltas, cursor)) => Ok(Delta::merged(&deltas, cursor, price_version)),
            None => subscription.read_since(app, schedule_id, since).await,
        }
    }

    /// Returns the deltas since `since` and a receiver of later ones.
    pub(crate) async fn view(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        since: i64,
    ) -> Result<DeltaStream, sqlx::Error> {
        let subscription = self.subscription_of(app, schedule_id).await?;
        // Subscribing before reading the past repeats a delta in between instead of losing it.
        let deltas = subscription.deltas.subscribe();
        let missed = match subscription.missed(since) {
            Some((missed, _)) => missed,
            None => vec![Arc::new(subscription.read_since(app, schedule_id, since).await?)],
        };
        Ok(DeltaStream { missed, deltas })
    }

    /// Calls `read` with the snapshot and the cursor of its next changes. `read` runs under a lock.
    pub(crate) async fn snapshot<T>(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        read: impl FnOnce(&mut Snapshot, i64) -> T,
    ) -> Result<T, sqlx::Error> {
        let subscription = self.subscription_of(app, schedule_id).await?;
        // The cursor is read before the snapshot, so a change in between is sent again and not
        // lost.
        let cursor = subscription.cursor();
        Ok(read(&mut locked(&subscription.snapshot), cursor))
    }

    /// Returns the subscription of a map, started by its first viewer.
    async fn subscription_of(
        &self,
        app: &App,
        schedule_id: ScheduleId,
    ) -> Result<Arc<Subscription>, sqlx::Error> {
        if let Some(subscription) = self.find(schedule_id) {
            return Ok(subscription);
        }
        // A task of its own survives a first viewer who disconnects, and serves the next one.
        let (maps, app) = (self.clone(), app.clone());
        let begun = tokio::spawn(async move {
            // Other maps that are starting wait for this one.
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
        if let Some(subscription) = self.find(schedule_id) {
            return Ok(subscription);
        }
        // A viewer's cursor may be as old as the oldest running transaction, so that changes since
        // then are read at once.
        let since = store::position(&app.db, schedule_id).await?.cursor;
        let subscription =
            Arc::new(Subscription::new(since, read_snapshot(app, schedule_id).await?));
        let mut sent = SentVersions::default();
        let first = sent.news(changes::changes_since(&app.db, schedule_id, since).await?);
        let nothing = first.none();
        let leases = SeatLeases::read(app, schedule_id).await.unwrap_or_default();
        subscription.apply(app, schedule_id, first, &leases).await?;
        subscription.tell_late_leases(&nothing);
        {
            let mut subscriptions = locked(&self.subscriptions);
            evict_least_viewed(&mut subscriptions);
            subscriptions.insert(schedule_id, Arc::clone(&subscription));
        }
        let subscriptions = Arc::clone(&self.subscriptions);
        tokio::spawn(follow(
            app.clone(),
            subscriptions,
            schedule_id,
            Arc::clone(&subscription),
            (sent, leases),
        ));
        Ok(subscription)
    }

    fn find(&self, schedule_id: ScheduleId) -> Option<Arc<Subscription>> {
        let subscription = locked(&self.subscriptions).get(&schedule_id).map(Arc::clone)?;
        subscription.touch();
        Some(subscription)
    }
}

/// Ends the subscription that was viewed least recently when there are too many; its viewers
/// reconnect.
fn evict_least_viewed(subscriptions: &mut HashMap<ScheduleId, Arc<Subscription>>) {
    if subscriptions.len() < SUBSCRIPTIONS_MAX {
        return;
    }
    let oldest = subscriptions
        .iter()
        .min_by_key(|(_, subscription)| subscription.touched())
        .map(|(id, _)| *id);
    if let Some(subscription) = oldest.and_then(|id| subscriptions.remove(&id)) {
        subscription.hinted.notify_one();
    }
}

/// Reads changes for all viewers of one map until it has none.
async fn follow(
    app: App,
    subscriptions: Subscriptions,
    schedule_id: ScheduleId,
    subscription: Arc<Subscription>,
    (mut sent, mut leases): (SentVersions, SeatLeases),
) {
    let mut since = subscription.cursor();
    loop {
        if tokio::time::timeout(READ_PERIOD, subscription.hinted.notified()).await.is_ok() {
            tokio::time::sleep(COALESCED).await;
        }
        {
            let mut subscriptions = locked(&subscriptions);
            let is_ours = subscriptions
                .get(&schedule_id)
                .is_some_and(|each| Arc::ptr_eq(each, &subscription));
            if !is_ours || subscription.is_deserted() {
                if is_ours {
                    subscriptions.remove(&schedule_id);
                }
                return;
            }
        }
        // If Redis does not answer, the last known leases are kept: they end by themselves.
        leases = SeatLeases::read(&app, schedule_id).await.unwrap_or(leases);
        let sent_with = (&mut sent, &leases);
        match read_changes(&app, schedule_id, &subscription, sent_with, since).await {
            Ok(cursor) => since = cursor,
            Err(error) => {
                // Rows recorded as sent may not have reached the viewers.
                sent = SentVersions::default();
                tracing::warn!(%error, %schedule_id, "a map could not be followed");
            }
        }
    }
}

/// Reads and publishes changes once; returns the cursor of the next reading.
async fn read_changes(
    app: &App,
    schedule_id: ScheduleId,
    subscription: &Subscription,
    (sent, leases): (&mut SentVersions, &SeatLeases),
    since: i64,
) -> Result<i64, sqlx::Error> {
    let rows = changes::changes_since(&app.db, schedule_id, since).await?;
    let cursor = rows.cursor;
    subscription.apply(app, schedule_id, sent.news(rows), leases).await?;
    Ok(cursor)
}
