//! What load balancers and monitors ask.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use serde_json::json;

use crate::{app::App, infra::postgres, web::page};

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
