//! Webhooks: events sent to the systems of others, as signed HTTP requests.
//!
//! An **endpoint** is the address of another system that asks for kinds of events; its **secret** signs the
//! requests to it, as <https://www.standardwebhooks.com> says. A **delivery** is one event for one endpoint,
//! until it is **made**, which is an answer of 2xx, or **given up**; one that is given up, or was made, can
//! be **replayed**. An **attempt** is one request. A **target** is the machine that an attempt connects to.
//! docs/EVENTS.md is the manual of receivers.
//!
//! # Invariants
//!
//! * An event comes at least once, always under the same id, unless its delivery is given up.
//! * The events of one subject go to one endpoint in their order, the next after the one before is made or
//!   given up; replays come late.
//! * No transaction is open and no row is locked during an attempt, which ends after [`client::ATTEMPT_MAX`].
//! * An attempt connects to an address that was checked for it, and follows no redirect. Targets that
//!   only this network reaches are refused, unless `WEBHOOK_PRIVATE_TARGETS` allows them.
//! * A secret is shown once, and kept sealed.
//!
//! # Concurrency
//!
//! Instances race for claims, which skip locked rows and are committed before the attempt. A claim ends
//! by itself, so a delivery whose sender was killed is attempted again. An instance whose claim ended
//! cannot put the delivery off any more, but a delivery that was answered with 2xx counts as made.

mod client;
pub(crate) mod error;
pub(crate) mod model;
mod secret;
mod signature;
pub(crate) mod store;
pub(crate) mod target;

use std::time::{Duration, Instant};

use futures_util::{StreamExt, future::join_all, stream};

pub use self::client::HookClient;
pub(crate) use self::secret::HookSecret;
use self::{
    client::Attempt,
    model::{ActiveEndpoint, ClaimedEvent},
    store::{claims, endpoints},
};
use crate::{
    app::App,
    events::EventId,
    infra::postgres::{Connection, Pool},
};

/// Endpoints at most: each has deliveries of its own.
pub(crate) const ENDPOINTS_MAX: i64 = 50;
/// Deliveries of one endpoint claimed in one statement.
const CLAIMED_MAX: i64 = 16;
/// Attempts at one endpoint at once, each of another subject.
const AT_ONCE: usize = 8;
/// How long a claim lasts: longer than its attempts take if each takes [`client::ATTEMPT_MAX`].
const CLAIM_MAX: Duration = Duration::from_mins(2);
/// How long one tick goes on claiming.
const ROUND_MAX: Duration = Duration::from_secs(10);
/// Pause after the first attempt; each further one is twice as long, up to [`PAUSE_MAX`].
const PAUSE_FIRST: Duration = Duration::from_secs(5);
/// Longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_hours(1);
/// Hours in which the secret before a rotation signs too.
pub(crate) const OLD_SECRET_HOURS: i32 = 24;
/// Deliveries given up or deleted in one statement, and statements of one round.
const ENDED_ROWS_MAX: i64 = 1_000;
const ENDS_MAX: usize = 20;

/// Makes the deliveries that are due, a bounded time long; called periodically.
pub(crate) async fn deliver_due(app: &App, client: &HookClient) -> Result<(), sqlx::Error> {
    let active = endpoints::list_active(&app.db, ENDPOINTS_MAX).await?;
    let working = active.iter().map(|endpoint| deliver_to(app, client, endpoint));
    join_all(working).await.into_iter().collect()
}

async fn deliver_to(
    app: &App,
    client: &HookClient,
    endpoint: &ActiveEndpoint,
) -> Result<(), sqlx::Error> {
    let begun = Instant::now();
    while begun.elapsed() < ROUND_MAX {
        let claim_secs = CLAIM_MAX.as_secs_f64();
        let claimed = claims::claim(&app.db, endpoint.id, CLAIMED_MAX, claim_secs).await?;
        if claimed.is_empty() {
            break;
        }
        let sending = stream::iter(claimed)
            .map(|event| async move { deliver(app, client, endpoint, &event).await })
            .buffer_unordered(AT_ONCE);
        let noted: Vec<Result<(), sqlx::Error>> = sending.collect().await;
        noted.into_iter().collect::<Result<(), _>>()?;
    }
    Ok(())
}

/// Makes one attempt at a delivery, and records the outcome.
async fn deliver(
    app: &App,
    client: &HookClient,
    endpoint: &ActiveEndpoint,
    event: &ClaimedEvent,
) -> Result<(), sqlx::Error> {
    let secrets = HookSecret::open_all(app, endpoint);
    let attempt = match secrets.is_empty() {
        true => Attempt::impossible("the secret cannot be read with this SECRET_KEY: rotate it"),
        false => client.send(&endpoint.url, event, &secrets, app.now().timestamp()).await,
    };
    match &attempt.error {
        None => claims::write_delivered(&app.db, endpoint.id, event, &attempt).await,
        Some(error) => {
            tracing::info!(endpoint = %endpoint.id, event = %event.id, %error, "an event is put off");
            let pause_secs = pause_after(event.attempts).as_secs_f64();
            claims::write_put_off(&app.db, endpoint.id, event, &attempt, pause_secs).await
        }
    }
}

/// Returns the pause after an attempt that `attempts` others preceded: doubled each time, and between
/// half and one and a half of that, so that deliveries that failed together do not return together.
fn pause_after(attempts: i32) -> Duration {
    const DOUBLINGS_MAX: u32 = 16;
    let doublings = u32::try_from(attempts).unwrap_or(0).min(DOUBLINGS_MAX);
    PAUSE_FIRST.saturating_mul(1 << doublings).min(PAUSE_MAX).mul_f64(rand::random_range(0.5..1.5))
}

/// Gives up deliveries past their end, and deletes remaining rows of deleted endpoints; a bounded number,
/// called periodically.
pub async fn end_old(db: &Pool) -> Result<(), sqlx::Error> {
    for _ in 0..ENDS_MAX {
        if claims::write_expired(db, ENDED_ROWS_MAX).await? < ENDED_ROWS_MAX.unsigned_abs() {
            break;
        }
    }
    for _ in 0..ENDS_MAX {
        if claims::delete_of_deleted(db, ENDED_ROWS_MAX).await? < ENDED_ROWS_MAX.unsigned_abs() {
            break;
        }
    }
    endpoints::delete_emptied(db).await
}

/// Makes a delivery that has ended due again; returns whether it did.
pub(crate) async fn replay(
    tx: &mut Connection,
    endpoint_id: model::EndpointId,
    event_id: EventId,
) -> Result<bool, sqlx::Error> {
    store::replays::write_due(tx, endpoint_id, event_id).await
}

#[cfg(test)]
mod tests {
    use super::{client::ATTEMPT_MAX, *};

    #[test]
    fn pauses_grow_up_to_a_bound() {
        for (attempts, pause) in [(0, PAUSE_FIRST), (1, PAUSE_FIRST * 2), (40, PAUSE_MAX)] {
            let drawn = pause_after(attempts);
            assert!(drawn >= pause / 2 && drawn <= pause * 3 / 2, "{attempts}: {drawn:?}");
        }
    }

    #[test]
    fn a_claim_outlasts_its_attempts() {
        let rounds = u32::try_from(CLAIMED_MAX).unwrap().div_ceil(u32::try_from(AT_ONCE).unwrap());
        assert!(CLAIM_MAX > ATTEMPT_MAX * (rounds + 1));
    }
}
