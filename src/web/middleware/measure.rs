//! Metrics of requests: count and duration by route, method and status.

use std::time::Instant;

use actix_web::{
    Error, HttpMessage as _,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};

use crate::web::path::RoutePattern;

/// Route label of requests that matched no route or were refused before one, so that arbitrary
/// addresses add one label only.
const NO_ROUTE: &str = "(none)";

/// Counts the request and records its duration under the pattern of its route.
pub async fn measure(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let begun = Instant::now();
    // Unknown methods share one label, so that clients cannot create labels.
    let method = match request.method().as_str() {
        "GET" | "HEAD" => "GET",
        "POST" => "POST",
        "DELETE" => "DELETE",
        _ => "other",
    };
    let response = next.call(request).await?;
    let route =
        response.request().extensions().get().map_or(NO_ROUTE, |RoutePattern(pattern)| *pattern);
    let status = response.status().as_u16();
    let secs = begun.elapsed().as_secs_f64();
    metrics::counter!(
        "stagedoor_http_requests_total",
        "route" => route, "method" => method, "status" => status.to_string(),
    )
    .increment(1);
    metrics::histogram!(
        "stagedoor_http_request_duration_seconds", "route" => route, "method" => method,
    )
    .record(secs);
    tracing::debug!(status, millis = secs * 1_000.0, "answered");
    Ok(response)
}
