//! What load balancers and monitors ask.

use std::time::Instant;

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use serde_json::json;

use crate::{
    app::App,
    infra::{postgres, progress::Progress},
    telemetry,
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
pub async fn show_readiness(app: Data<App>, progress: Data<Progress>) -> HttpResponse {
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

/// `GET /metrics`: Prometheus' text format.
pub async fn show_metrics(app: Data<App>, progress: Data<Progress>) -> HttpResponse {
    let is_present = app.redis.is_present().await;
    metrics::gauge!("stagedoor_redis_up").set(if is_present { 1.0 } else { 0.0 });
    let idle = app.db.n_idle();
    metrics::gauge!("stagedoor_db_connections", "state" => "idle").set(f64::from(idle));
    let busy = app.db.size().saturating_sub(idle);
    metrics::gauge!("stagedoor_db_connections", "state" => "busy").set(f64::from(busy));
    metrics::gauge!("stagedoor_db_connections_max")
        .set(f64::from(app.config.db_connections_max.get()));
    metrics::gauge!("stagedoor_db_commits_waiting_for_standby")
        .set(f64::from(app.db.n_waiting_for_standby()));
    for (worker, unfinished) in progress.list_unfinished(Instant::now()) {
        metrics::gauge!("stagedoor_worker_unfinished_seconds", "worker" => worker)
            .set(unfinished.as_secs_f64());
    }
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(telemetry::render_metrics())
}
