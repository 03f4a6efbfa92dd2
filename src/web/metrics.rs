//! Metrics for Prometheus, and the rules of access to them.
//!
//! Metrics show how a sale goes, so they are not public: they are served on a listener of their own
//! (`METRICS_ADDR`) or to requests that bear `METRICS_TOKEN`. Without either they are open on a
//! loopback listener without a `PUBLIC_URL`, and nowhere else.

use std::{
    fmt::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use actix_web::{HttpRequest, HttpResponse, web::Data};

use super::{
    bearer::bears,
    error::{NotFound, PageError},
};
use crate::{app::App, infra::progress::WorkerProgress, telemetry};

/// Upper bound of programs with series of their own.
pub const QUEUES_MAX: usize = 50;

/// Length of one program's queue, and how good its estimated waits were.
#[derive(Clone, Debug)]
pub struct QueueLength {
    /// The program's slug: lower-case letters, digits and hyphens.
    pub slug: String,
    /// Number of accounts that wait.
    pub waiting: i64,
    /// Number of admitted accounts.
    pub inside: i64,
    /// Number of estimated waits that were compared with the waits that followed, in the last hour.
    pub compared: i64,
    /// Number of estimates that were off by at most a fifth of the wait.
    pub close: i64,
}

/// Series of the longest queues. Not in the recorder, because the recorder never drops a series: a
/// program that has ended, or is not among the largest any more, disappears at the next count.
#[derive(Clone, Debug, Default)]
pub struct QueueSeries(Arc<Mutex<String>>);

impl QueueSeries {
    /// Replaces all series with series of the [`QUEUES_MAX`] largest of `queues`.
    pub fn set(&self, mut queues: Vec<QueueLength>) {
        queues.sort_by(|a, b| size(b).cmp(&size(a)).then_with(|| a.slug.cmp(&b.slug)));
        queues.truncate(QUEUES_MAX);
        let mut text = String::new();
        let mut write = |name: &str, count: fn(&QueueLength) -> i64| {
            let _ = writeln!(text, "# TYPE {name} gauge");
            for queue in &queues {
                let _ = writeln!(text, "{name}{{program=\"{}\"}} {}", queue.slug, count(queue));
            }
        };
        write("stagedoor_queue_waiting", |queue| queue.waiting);
        write("stagedoor_queue_inside", |queue| queue.inside);
        write("stagedoor_queue_estimates_compared", |queue| queue.compared);
        write("stagedoor_queue_estimates_close", |queue| queue.close);
        *self.text() = text;
    }

    fn text(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(queue: &QueueLength) -> i64 {
    queue.waiting.saturating_add(queue.inside)
}

/// `GET /metrics` on the public listener.
pub async fn show_metrics(
    app: Data<App>,
    series: Data<QueueSeries>,
    progress: Data<WorkerProgress>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let may_read = match (&app.config.metrics_token, app.config.metrics_addr) {
        (_, Some(_)) => false,
        (Some(token), None) => bears(&request, token),
        (None, None) => app.config.is_private(),
    };
    if may_read { Ok(render(&app, &series, &progress).await) } else { Err(NotFound.into()) }
}

/// `GET /metrics` on the listener at `METRICS_ADDR`; requires the token if one is configured.
pub async fn show_metrics_apart(
    app: Data<App>,
    series: Data<QueueSeries>,
    progress: Data<WorkerProgress>,
    request: HttpRequest,
) -> HttpResponse {
    match &app.config.metrics_token {
        Some(token) if !bears(&request, token) => HttpResponse::NotFound().finish(),
        _ => render(&app, &series, &progress).await,
    }
}

/// Renders all metrics in Prometheus' text format.
async fn render(app: &App, series: &QueueSeries, progress: &WorkerProgress) -> HttpResponse {
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
    for (worker, age) in progress.list_ages(Instant::now()) {
        metrics::gauge!("stagedoor_worker_unfinished_seconds", "worker" => worker)
            .set(age.as_secs_f64());
    }
    let text = telemetry::render_metrics() + &series.text();
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_largest_queues_have_series() {
        let series = QueueSeries::default();
        let queue = |nth: i64| QueueLength {
            slug: format!("p-{nth}"),
            waiting: nth,
            inside: 1,
            compared: 30,
            close: 24,
        };
        series.set((0..200).map(queue).collect());
        let text = series.text().clone();
        let waiting = text.lines().filter(|line| line.starts_with("stagedoor_queue_waiting{"));
        assert_eq!(waiting.count(), QUEUES_MAX);
        assert!(text.contains("stagedoor_queue_waiting{program=\"p-199\"} 199\n"), "{text}");
        assert!(text.contains("\"p-150\"") && !text.contains("\"p-149\""), "{text}");
        series.set(vec![queue(3)]);
        assert!(!series.text().contains("p-199"), "a queue that is over has no series");
    }
}
