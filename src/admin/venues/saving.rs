//! Saves of seat plans that take long, and their progress.
//!
//! A **save** is one replacement of a venue's seats. One that has not ended after [`ANSWERED_AFTER`] goes on
//! without its request, whose browser gets the address of a page. Redis keeps the progress that the page shows,
//! for every instance; where Redis has lost it the page says so.

use std::{convert::Infallible, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::oneshot,
    task::spawn_local,
    time::{sleep, timeout},
};
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::Instrument;
use uuid::Uuid;

use super::moved_seats::{self, PlanNotice};
use crate::{
    accounts::AccountId,
    admin::{AdminError, edits::commit_edit},
    app::App,
    audit::model::{Act, AuditEntry, Subject},
    catalog::{Replacement, SeatPlan, SeatsWritten, VenueEdition, VenueId},
    infra::ids::ids,
};

/// How long a request waits for the end of its save.
const ANSWERED_AFTER: Duration = Duration::from_secs(1);
/// Period in which the progress of a save is kept.
const KEPT_EVERY: Duration = Duration::from_millis(300);
/// Bound of a save; it is rolled back then.
const SAVE_MAX: Duration = Duration::from_mins(2);
/// How long the progress of a save is kept: after the death of its process nothing is known of it.
const PROGRESS_KEPT_FOR: Duration = Duration::from_secs(15);
/// How long the end of a save is kept.
const END_KEPT_FOR: Duration = Duration::from_mins(10);

ids! {
    /// Id of a save.
    pub SaveId(Uuid),
}

/// State of a save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum SaveState {
    /// The save goes on; all of its seats count once it has ended, and none before.
    GoesOn {
        /// Seats written so far.
        written: usize,
        /// Seats to be written; 0 until they are known.
        of: usize,
    },
    /// The plan was saved whole.
    Saved,
    /// Nothing was saved.
    Refused {
        /// Reason, in the language of the person who saved the plan.
        why: String,
    },
    /// The state is not known, or not any more.
    Unknown,
}

/// Save of a plan.
#[derive(Debug)]
pub(crate) struct PlanSave {
    pub by: AccountId,
    pub venue_id: VenueId,
    pub version: i64,
    pub notice: PlanNotice,
}

/// Answer to a plan that was sent.
pub(crate) enum Answered {
    /// The save ended in time.
    Ended(VenueEdition),
    /// The save goes on.
    Later(SaveId),
}

/// Replaces the seats of an edition by the seats of a plan, all or nothing, and counts in `written` how many
/// are written.
pub(crate) async fn replace_seats(
    app: &App,
    (save, plan): (PlanSave, SeatPlan),
    written: &SeatsWritten,
) -> Result<VenueEdition, AdminError> {
    let PlanSave { by, venue_id, version, notice } = save;
    let replacement = Replacement::of(&app.db, venue_id, plan).await?;
    let entry = AuditEntry::new(by, Act::SeatsReplaced, Subject::Venue, venue_id);
    let replaced = commit_edit(app, &entry, version, async |tx| {
        moved_seats::replace(tx, (venue_id, version), (&replacement, &notice), written).await
    });
    Ok(replaced.await?.state)
}

/// Saves a plan, and answers while that still goes on if it takes long. The save counts as a running change of
/// the instance by `running`; `explained` puts a refusal into words.
pub(crate) async fn save(
    app: &App,
    running: TaskTrackerToken,
    (save, plan): (PlanSave, SeatPlan),
    explained: impl Fn(&AdminError) -> String + 'static,
) -> Result<Answered, AdminError> {
    let save_id = SaveId(Uuid::new_v4());
    let key = key(app, save.venue_id, save_id);
    let (ended, end) = oneshot::channel();
    let app = app.clone();
    let work = async move {
        let _running = running;
        let outcome = save_kept(&app, (save, plan), &key).await;
        // The request was answered before, so the page shows the end.
        if let Err(outcome) = ended.send(outcome) {
            let state = match outcome {
                Ok(_) => SaveState::Saved,
                Err(refusal) => SaveState::Refused { why: explained(&refusal) },
            };
            keep(&app, &key, &state, END_KEPT_FOR).await;
        }
    };
    spawn_local(work.in_current_span());
    match timeout(ANSWERED_AFTER, end).await {
        Ok(Ok(outcome)) => outcome.map(Answered::Ended),
        _ => Ok(Answered::Later(save_id)),
    }
}

/// Saves a plan, and keeps the progress meanwhile.
async fn save_kept(
    app: &App,
    save: (PlanSave, SeatPlan),
    key: &str,
) -> Result<VenueEdition, AdminError> {
    let written = SeatsWritten::default();
    tokio::select! {
        saved = timeout(SAVE_MAX, replace_seats(app, save, &written)) => match saved {
            Ok(saved) => saved,
            Err(elapsed) => Err(sqlx::Error::from(std::io::Error::from(elapsed)).into()),
        },
        never = keep_progress(app, key, &written) => match never {},
    }
}

async fn keep_progress(app: &App, key: &str, written: &SeatsWritten) -> Infallible {
    loop {
        sleep(KEPT_EVERY).await;
        let (seats, of) = written.get();
        let state = SaveState::GoesOn { written: seats, of };
        keep(app, key, &state, PROGRESS_KEPT_FOR).await;
    }
}

/// Returns the state of a save.
pub(crate) async fn find(app: &App, venue_id: VenueId, id: SaveId) -> SaveState {
    let kept = app.redis.kept(&key(app, venue_id, id)).await;
    kept.ok().flatten().unwrap_or(SaveState::Unknown)
}

fn key(app: &App, venue_id: VenueId, id: SaveId) -> String {
    app.redis.key(format_args!("plan-save:{{{venue_id}}}:{id}"))
}

/// Keeps the state of a save for its page. Without Redis the page has no state to show, and the save goes on.
async fn keep(app: &App, key: &str, state: &SaveState, kept_for: Duration) {
    if let Err(error) = app.redis.keep(key, state, kept_for).await {
        tracing::debug!(%error, "the progress of a save is not kept");
    }
}
