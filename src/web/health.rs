//! What load balancers and monitors ask.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use serde_json::json;

use crate::{app::App, infra::postgres, telemetry, web::page};

/// `GET /healthz`: the process answers.
pub async fn show_health() -> HttpResponse {
    page::json(StatusCode::OK, &json!({ "status": "up" }))
}

/// `GET /readyz`: PostgreSQL is reachable and migrated. Redis being away is told but
/// fails nothing, because people inside go on buying without it.
pub async fn show_readiness(app: Data<App>) -> HttpResponse {
    let (database, redis) = tokio::join!(postgres::is_migrated(&app.db), app.redis.is_present());
    let (status, database) = match database {
        Ok(true) => (StatusCode::OK, "ready"),
        Ok(false) => (StatusCode::SERVICE_UNAVAILABLE, "not migrated"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "away"),
    };
    let redis = if redis { "ready" } else { "away" };
    page::json(status, &json!({ "database": database, "redis": redis }))
}

/// `GET /metrics`: Prometheus' text format.
pub async fn show_metrics(app: Data<App>) -> HttpResponse {
    let is_present = app.redis.is_present().await;
    metrics::gauge!("stagedoor_redis_up").set(if is_present { 1.0 } else { 0.0 });
    let idle = app.db.n_idle();
    metrics::gauge!("stagedoor_db_connections", "state" => "idle").set(f64::from(idle));
    let busy = app.db.size().saturating_sub(idle);
    metrics::gauge!("stagedoor_db_connections", "state" => "busy").set(f64::from(busy));
    metrics::gauge!("stagedoor_db_connections_max")
        .set(f64::from(app.config.db_connections_max.get()));
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(telemetry::render_metrics())
}
