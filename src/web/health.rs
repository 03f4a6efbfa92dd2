//! What load balancers and monitors ask.

use std::time::Instant;

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use serde_json::json;

use crate::{
    app::App,
    infra::{postgres, progress::WorkerProgress},
    web::page,
};

/// `GET /healthz`: the process answers.
pub async fn show_health() -> HttpResponse {
    page::json(StatusCode::OK, &json!({ "status": "up" }))
}

/// `GET /readyz`: PostgreSQL is reachable and migrated, and every worker of this instance
/// has finished a tick lately. Redis being away is told but fails nothing, because people
/// inside go on buying without it.
///
/// A tick that PostgreSQL refused has finished as well, and where commits wait for a standby
/// that is away, no worker is late: every other instance is in the same state, and one that
/// is taken out of service helps nobody.
pub async fn show_readiness(app: Data<App>, progress: Data<WorkerProgress>) -> HttpResponse {
    let (database, redis) = tokio::join!(postgres::is_migrated(&app.db), app.redis.is_present());
    let late = match app.db.n_waiting_for_standby() {
        0 => progress.list_late(Instant::now()),
        _ => Vec::new(),
    };
    let (status, database) = match database {
        Ok(true) if late.is_empty() => (StatusCode::OK, "ready"),
        Ok(true) => (StatusCode::SERVICE_UNAVAILABLE, "ready"),
        Ok(false) => (StatusCode::SERVICE_UNAVAILABLE, "not migrated"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "away"),
    };
    let redis = if redis { "ready" } else { "away" };
    page::json(status, &json!({ "database": database, "redis": redis, "late_workers": late }))
}
