//! Comparison of estimated waits with the waits that followed.
//!
//! Each minute a worker estimates the waits of some places in each line, as the people there see
//! them, and compares each estimate with the wait once the place is admitted. An estimate is
//! **close** when it is off by at most a fifth of the wait. A token that leaves, is parked, or is
//! admitted by staff or an access gate has no wait to compare with.

mod store;

use super::speed::{MovingQueue, measure};
use crate::{app::App, catalog::ProgramId, entry_queue::redis_queue::RedisQueue};
pub use store::Accuracy;
use store::NewEstimate;

/// Lines that are looked at in one round.
const LINES_MAX: i64 = 1_000;
/// Places of a line whose waits are estimated in one minute, from its head to its end.
const PLACES: i32 = 10;
/// Tokens of one line that are looked at in one round: more than it has estimated places in a day.
const COMPARED_MAX: i64 = 20_000;
/// Old estimates that are deleted in one round.
const DELETED_MAX: i64 = 10_000;
/// Lower bound of an estimate that is compared, in seconds: the page shows a shorter one only as
/// "less than a minute".
const COMPARED_MIN_SECS: u64 = 60;
/// Comparisons below which no share is shown: fewer would be chance.
const COMPARISONS_MIN: i64 = 20;

impl Accuracy {
    /// Returns the share of close estimates in percent, rounded down; `None` while too few were
    /// compared.
    pub fn percent(self) -> Option<i64> {
        (self.n_compared >= COMPARISONS_MIN).then(|| self.n_close * 100 / self.n_compared)
    }
}

/// Returns how good the estimates of a line were in the last hour.
pub async fn accuracy_of(app: &App, program_id: ProgramId) -> Result<Accuracy, sqlx::Error> {
    store::count_close(&app.db, program_id).await
}

/// Compares the estimates whose waits have ended, and makes the estimates of this minute: one tick
/// of a worker. Instances may run it concurrently. An error of one line is logged and stops no
/// other.
pub async fn compare_estimates(app: &App) -> Result<(), sqlx::Error> {
    for program_id in store::list_open(&app.db, LINES_MAX).await? {
        if let Err(error) = compare_line(app, program_id).await {
            tracing::warn!(%program_id, %error, "the estimates of a line were not compared");
        }
    }
    for line in store::list_lines(&app.db, LINES_MAX).await? {
        let program_id = line.program_id;
        if let Err(error) = estimate_line(app, line).await {
            tracing::warn!(%program_id, %error, "no waits of a line were estimated");
        }
    }
    store::delete_old(&app.db, DELETED_MAX).await
}

async fn compare_line(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    let open = store::list_open_tokens(&app.db, program_id, COMPARED_MAX).await?;
    let (mut admitted, mut others) = (Vec::new(), Vec::new());
    for outcome in store::list_outcomes(&app.db, &open).await? {
        if outcome.is_comparable { &mut admitted } else { &mut others }.push(outcome.token_id);
    }
    store::write_waits(&app.db, program_id, &admitted).await?;
    store::delete_of(&app.db, program_id, &others).await
}

async fn estimate_line(app: &App, line: MovingQueue) -> Result<(), sqlx::Error> {
    let queue = RedisQueue::of(&app.redis, line.program_id);
    // While Redis does not have the whole line, no page shows a wait.
    if !matches!(queue.count().await, Ok(Some(_))) {
        return Ok(());
    }
    let places = store::list_places(&app.db, line.program_id, PLACES).await?;
    let accounts: Vec<_> = places.iter().map(|place| place.account_id).collect();
    let Ok(ahead) = queue.list_ahead(&accounts).await else { return Ok(()) };
    let speed = measure(app, line).await?;
    let estimates: Vec<NewEstimate> = places
        .iter()
        .zip(ahead)
        .filter_map(|(place, n_ahead)| {
            let secs = speed.wait(n_ahead?)?.secs;
            let is_told = secs >= COMPARED_MIN_SECS;
            is_told.then_some(NewEstimate { token_id: place.token_id, secs })
        })
        .collect();
    store::insert_estimates(&app.db, line.program_id, &estimates).await
}
