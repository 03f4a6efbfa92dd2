//! Health and readiness endpoints for load balancers and monitors.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::App,
    infra::{clock, postgres, progress::WorkerProgress},
    web::page,
};

/// State of the process.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HealthDocument {
    /// Always `up`.
    status: &'static str,
}

/// Whether an instance was asked to stop, and serves on until load balancers have noticed.
#[derive(Clone, Debug, Default)]
pub struct Draining(Arc<AtomicBool>);

impl Draining {
    /// Has the instance answer that it is not ready from now on.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// State of an instance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadinessDocument {
    /// `ready`, `not migrated` or `away`.
    database: &'static str,
    /// `ready` or `away`.
    redis: &'static str,
    /// Workers that have not finished a tick in time.
    late_workers: Vec<&'static str>,
    /// Seconds by which this machine's clock is ahead of PostgreSQL's, by which everything is decided;
    /// `null` where PostgreSQL was never asked.
    clock_ahead_secs: Option<f64>,
    /// Since when lines and sales stand still, because the database went back to an earlier state; `null` while it has not.
    /// The instance is ready meanwhile: pages are shown, and an administrator lets the sale go on.
    set_back_since: Option<DateTime<Utc>>,
    /// Whether the instance was asked to stop.
    is_stopping: bool,
}

/// `GET /healthz`: answers 200 while the process runs.
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn show_health() -> HttpResponse {
    page::json(StatusCode::OK, &HealthDocument { status: "up" })
}

/// `GET /readyz`: 200 if PostgreSQL is reachable and migrated, every worker of this instance has finished a
/// tick in time and the instance is not stopping, else 503. The state of Redis is reported but fails nothing,
/// because accounts that were admitted can go on buying without it.
///
/// A tick that PostgreSQL refused has finished as well. While commits wait for a standby, no worker
/// counts as late: every other instance is in the same state, and taking this one out of service
/// would not help.
pub async fn show_readiness(
    app: Data<App>,
    progress: Data<WorkerProgress>,
    draining: Data<Draining>,
) -> HttpResponse {
    let is_stopping = draining.0.load(Ordering::Relaxed);
    let (database, redis) = tokio::join!(postgres::is_migrated(&app.db), app.redis.is_present());
    let late = match app.db.n_waiting_for_standby() {
        0 => progress.list_late(Instant::now()),
        _ => Vec::new(),
    };
    let (status, database) = match database {
        Ok(true) if late.is_empty() && !is_stopping => (StatusCode::OK, "ready"),
        Ok(true) => (StatusCode::SERVICE_UNAVAILABLE, "ready"),
        Ok(false) => (StatusCode::SERVICE_UNAVAILABLE, "not migrated"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "away"),
    };
    let redis = if redis { "ready" } else { "away" };
    let clock_ahead_secs = clock::difference().map(TimeDelta::as_seconds_f64);
    let state = ReadinessDocument {
        database,
        redis,
        late_workers: late,
        clock_ahead_secs,
        set_back_since: app.db.marks().set_back_since(),
        is_stopping,
    };
    page::json(status, &state)
}
