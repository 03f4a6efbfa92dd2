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
pub mod error;
pub mod model;
mod secret;
mod signature;
pub mod store;
pub mod target;

use std::time::{Duration, Instant};

use futures_util::future::join_all;

pub use self::client::HookClient;
pub use self::secret::HookSecret;
use self::{
    client::Attempt,
    model::{ActiveEndpoint, ClaimedEvent},
    store::{claims, endpoints},
};
use crate::{
    app::App,
    events::EventId,
    infra::{
        claims::Claims,
        postgres::{Connection, Pool},
        sweep::Sweep,
    },
};

/// Endpoints at most: each has deliveries of its own.
pub const ENDPOINTS_MAX: i64 = 50;
/// Bounds of claims of deliveries to one endpoint; the deliveries of one subject are attempted one by one.
const CLAIMS: Claims = Claims {
    rows_max: 16,
    at_once: 8,
    lasts: Duration::from_mins(2),
    pause_first: Duration::from_secs(5),
    pause_max: Duration::from_hours(1),
};
/// How long one tick goes on claiming.
const ROUND_MAX: Duration = Duration::from_secs(10);
/// Hours in which the secret before a rotation signs too.
pub const OLD_SECRET_HOURS: i32 = 24;
/// Bounds of giving deliveries up, and of deleting them.
const OLD: Sweep = Sweep { rows_max: 1_000, parts_max: 20 };

/// Makes the deliveries that are due, a bounded time long; called periodically.
pub async fn deliver_due(app: &App, client: &HookClient) -> Result<(), sqlx::Error> {
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
        let claim_secs = CLAIMS.lasts.as_secs_f64();
        let claimed = claims::claim(&app.db, endpoint.id, CLAIMS.rows_max, claim_secs).await?;
        if claimed.is_empty() {
            break;
        }
        let attempt = |event| async move { deliver(app, client, endpoint, &event).await };
        CLAIMS.attempt(claimed, attempt).await?;
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
    let outcome = if attempt.error.is_none() { "made" } else { "put_off" };
    metrics::counter!("stagedoor_webhook_attempts_total", "outcome" => outcome).increment(1);
    match &attempt.error {
        None => claims::write_delivered(&app.db, endpoint.id, event, &attempt).await,
        Some(error) => {
            tracing::info!(endpoint = %endpoint.id, event = %event.id, %error, "an event is put off");
            let pause_secs = CLAIMS.pause_after(event.attempts).as_secs_f64();
            claims::write_put_off(&app.db, endpoint.id, event, &attempt, pause_secs).await
        }
    }
}

/// Gives up deliveries past their end, and deletes remaining rows of deleted endpoints; a bounded number,
/// called periodically.
pub async fn end_old(db: &Pool) -> Result<(), sqlx::Error> {
    let give_up = |rows_max| async move {
        let n_given_up = claims::write_expired(db, rows_max).await?;
        metrics::counter!("stagedoor_webhook_deliveries_given_up_total").increment(n_given_up);
        Ok::<_, sqlx::Error>(n_given_up)
    };
    OLD.parts(give_up).await?;
    OLD.parts(|rows_max| claims::delete_of_deleted(db, rows_max)).await?;
    endpoints::delete_emptied(db).await
}

/// Makes a delivery that has ended due again; returns whether it did.
pub async fn replay(
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
    fn a_claim_outlasts_its_attempts() {
        let lasts = CLAIMS.lasts.checked_sub(ATTEMPT_MAX).unwrap();
        assert!(Claims { lasts, ..CLAIMS }.outlasts(ATTEMPT_MAX));
    }
}
