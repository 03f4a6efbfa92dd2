//! Queues as administrators manage them: figures, admissions past the queue, purges.
//!
//! **Figures** are a queue's counts at one moment; a **prediction** is what they imply for
//! other limits. A **purge** removes every account that waits when it is ordered.
//!
//! # Invariants
//!
//! * Limits, guards and pauses are changes of the program, made by [`programs`](super::programs).
//! * A purge is recorded here and carried out by the workers.

pub mod pages;
pub mod store;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::store::QueueFigures;
use super::error::AdminError;
use crate::{
    accounts::{AccountError, AccountId},
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::{self, Program, ProgramId},
    entry_queue::{self, DrawDocument, Purge, QueueNumber, Speed},
    events::{self, EventKind, NewEvent},
    infra::{
        idempotency::RequestKey,
        postgres::{Connection, retry_stale},
        throwaway,
    },
    reservation::{self, Given, GivingCause},
};

/// Predicted speed of a queue, and the wait of its last account.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, JsonSchema)]
pub struct Prediction {
    /// Accounts admitted per minute.
    pub per_minute: f64,
    /// Minutes until every waiting account is admitted; `None` when that never happens.
    pub minutes: Option<f64>,
}

/// Predicts the queue's speed under other limits from the `freed` one that the wait of each account is estimated by.
///
/// By Little's law the mean stay in minutes is `inside / freed per minute`; at a full
/// `capacity` so many accounts leave, and are admitted, per minute. The rate is an upper bound.
/// `None` while no account has left and the stay is unknown, or when neither limit is set.
pub fn predict(
    figures: &QueueFigures,
    freed: Speed,
    capacity: Option<i32>,
    rate_per_second: Option<i32>,
) -> Option<Prediction> {
    let by_rate = rate_per_second.map(|rate| f64::from(rate) * 60.0);
    let freed_a_minute = freed.per_minute();
    let by_capacity = match capacity {
        None => None,
        Some(capacity) if freed_a_minute > 0.0 && figures.inside > 0 => {
            Some(f64::from(capacity) * freed_a_minute / whole(figures.inside))
        }
        Some(_) => return None,
    };
    let per_minute = match (by_capacity, by_rate) {
        (Some(left), Some(right)) => left.min(right),
        (Some(only), None) | (None, Some(only)) => only,
        // Without limits no account waits, so there is nothing to predict.
        (None, None) => return None,
    };
    let minutes = freed.minutes_at(per_minute, figures.waiting);
    Some(Prediction { per_minute, minutes })
}

fn whole(count: i64) -> f64 {
    i32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Admits one waiting account past the queue and returns its queue number.
pub async fn let_in(
    app: &App,
    by: AccountId,
    program: &Program,
    account_id: AccountId,
    reason: &Reason,
) -> Result<QueueNumber, AdminError> {
    if throwaway::is_marked(account_id.0) {
        return Err(AccountError::Rehearsed.into());
    }
    let number = audit::perform(app, async |tx| {
        let number = entry_queue::let_in(tx, by, account_id, program, reason).await?;
        let number = number.queue_number;
        let entry = AuditEntry::new(by, Act::LetIn, Subject::Account, account_id).because(reason);
        let after = json!({ "program": program.slug, "queue_number": number });
        Ok::<_, AdminError>((number, entry.after(&after)))
    })
    .await?;
    entry_queue::project(app, program.id, &[account_id]).await;
    Ok(number)
}

/// Gives every stay and hold of a program that is live so many minutes more, once for each `key`, and returns how many
/// there are of both.
pub async fn give_time(
    app: &App,
    by: AccountId,
    id: ProgramId,
    (minutes, reason): (u32, &Reason),
    key: Option<&RequestKey>,
) -> Result<TimeGivenDocument, AdminError> {
    // Time that was lost comes back first, or what ended by it would miss this.
    reservation::beat(app).await?;
    let length = Duration::from_secs(u64::from(minutes) * 60);
    let give = async |tx: &mut Connection| {
        catalog::lock_program(tx, id).await?;
        let cause = GivingCause::Staff { reason: reason.as_str() };
        let Given { n_stays, n_holds } = reservation::give_time(tx, id, length, cause).await?;
        let given = TimeGivenDocument { minutes, stays: n_stays, holds: n_holds };
        let entry = AuditEntry::new(by, Act::TimeGiven, Subject::Program, id).because(reason);
        let entry = entry.after(&given);
        Ok::<_, AdminError>((given, entry))
    };
    let given = retry_stale(|_| audit::perform_once(app, key, &give)).await?;
    entry_queue::project_inside(app, id).await?;
    Ok(given)
}

/// Stops the clock of a program: its stays and holds get time again and again until it runs.
pub async fn stop_clock(
    app: &App,
    by: AccountId,
    id: ProgramId,
    reason: &Reason,
) -> Result<ClockDocument, AdminError> {
    // Time that was lost comes back first, or what ended by it would miss this.
    reservation::beat(app).await?;
    let stop = async |tx: &mut Connection| {
        catalog::lock_program(tx, id).await?;
        let given = reservation::stop_clock(tx, id, reason.as_str()).await?;
        let Given { n_stays, n_holds } = given.ok_or(AdminError::ClockStopped)?;
        let stopped = ClockDocument { is_stopped: true, stays: n_stays, holds: n_holds };
        let payload = json!({ "program_id": id, "reason": reason.as_str() });
        let event = NewEvent { kind: EventKind::ClockStopped, subject_id: id.0, payload };
        events::write(tx, &event).await?;
        let entry = AuditEntry::new(by, Act::ClockStopped, Subject::Program, id).because(reason);
        let entry = entry.after(&stopped);
        Ok::<_, AdminError>((stopped, entry))
    };
    let stopped = retry_stale(|_| audit::perform(app, &stop)).await?;
    entry_queue::project_inside(app, id).await?;
    Ok(stopped)
}

/// Lets the clock of a program run.
pub async fn restart_clock(
    app: &App,
    by: AccountId,
    id: ProgramId,
) -> Result<ClockDocument, AdminError> {
    let restart = async |tx: &mut Connection| {
        catalog::lock_program(tx, id).await?;
        match reservation::restart_clock(tx, id).await? {
            true => {
                let entry = AuditEntry::new(by, Act::ClockRestarted, Subject::Program, id);
                Ok((ClockDocument::default(), entry))
            }
            false => Err(AdminError::ClockRuns),
        }
    };
    let running = retry_stale(|_| audit::perform(app, &restart)).await?;
    entry_queue::project_inside(app, id).await?;
    Ok(running)
}

/// State of the clock of a program.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ClockDocument {
    /// Whether it is stopped.
    is_stopped: bool,
    /// Stays that end later.
    stays: usize,
    /// Holds that end later.
    holds: usize,
}

/// Time that staff gave.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TimeGivenDocument {
    /// Minutes.
    minutes: u32,
    /// Stays that end later.
    stays: usize,
    /// Holds that end later.
    holds: usize,
}

/// Orders the removal of every account that waits now, and returns the purge: recorded here,
/// carried out by the workers.
pub async fn purge(
    app: &App,
    by: AccountId,
    id: ProgramId,
    reason: &Reason,
) -> Result<Option<Purge>, AdminError> {
    audit::perform(app, async |tx| {
        let purge = entry_queue::begin_purge(tx, id).await?;
        let entry = AuditEntry::new(by, Act::QueuePurged, Subject::Program, id).because(reason);
        let waiting = |purge: Purge| json!({ "waiting": purge.total, "up_to": purge.up_to });
        Ok((purge, entry.after(&purge.map(waiting))))
    })
    .await
}

/// Announces that the sale opens with a draw.
pub async fn announce_draw(
    app: &App,
    by: AccountId,
    id: ProgramId,
) -> Result<DrawDocument, AdminError> {
    audit::perform(app, async |tx| {
        let draw = entry_queue::announce_draw(app, tx, id).await?;
        let document = DrawDocument::of(&draw);
        let entry = AuditEntry::new(by, Act::DrawAnnounced, Subject::Program, id).after(&document);
        Ok::<_, AdminError>((document, entry))
    })
    .await
}

/// Takes the draw of a draft back.
pub async fn withdraw_draw(app: &App, by: AccountId, id: ProgramId) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        entry_queue::withdraw_draw(tx, id).await?;
        Ok(((), AuditEntry::new(by, Act::DrawWithdrawn, Subject::Program, id)))
    })
    .await
}

/// Lets a draw go on without a beacon that did not come in time.
pub async fn omit_beacon(
    app: &App,
    by: AccountId,
    id: ProgramId,
    reason: &Reason,
) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        entry_queue::omit_beacon(app, tx, id, reason).await?;
        let entry = AuditEntry::new(by, Act::BeaconOmitted, Subject::Program, id);
        Ok(((), entry.because(reason)))
    })
    .await
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn figures(waiting: i64, inside: i64) -> QueueFigures {
        QueueFigures {
            waiting,
            parked: 0,
            inside,
            inside_by_gates: 0,
            admitted_last_minute: 0,
            admitted_lately: 0,
            freed_lately: 0,
            at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn twice_the_room_is_twice_as_fast_until_the_rate_holds_it_up() {
        // A hundred inside and fifty freed in five minutes are ten a minute.
        let (now, freed) = (figures(200, 100), Speed::of(50, 300, DateTime::UNIX_EPOCH));
        let predicted = |capacity, rate| {
            let predicted = predict(&now, freed, capacity, rate).unwrap();
            (predicted.per_minute, predicted.minutes.unwrap())
        };
        assert_eq!(predicted(Some(100), None), (10.0, 20.0));
        assert_eq!(predicted(Some(200), None), (20.0, 10.0));
        assert_eq!(predicted(Some(1_000), Some(1)), (60.0, 200.0 / 60.0));
        assert_eq!(predicted(None, Some(2)), (120.0, 200.0 / 120.0));
    }

    #[test]
    fn nothing_is_predicted_before_anybody_has_left() {
        let freed = |number| Speed::of(number, 300, DateTime::UNIX_EPOCH);
        assert_eq!(predict(&figures(10, 5), freed(0), Some(10), None), None);
        assert_eq!(predict(&figures(10, 5), freed(5), None, None), None);
    }

    #[test]
    fn a_minute_after_the_opening_the_speed_of_that_minute_counts() {
        let freed = Speed::of(100, 60, DateTime::UNIX_EPOCH);
        let predicted = predict(&figures(500, 200), freed, Some(200), None).unwrap();
        assert_eq!((predicted.per_minute, predicted.minutes), (100.0, Some(5.0)));
    }
}
