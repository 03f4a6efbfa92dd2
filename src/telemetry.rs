//! What the process tells its operators: log lines and Prometheus metrics.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{Config, LogFormat};

/// Starts logging as `config` says; a second call changes nothing.
pub fn start_logging(config: &Config) {
    let filter = EnvFilter::new(&config.log);
    let lines = match config.log_format {
        LogFormat::Text => tracing_subscriber::fmt::layer().with_writer(std::io::stderr).boxed(),
        LogFormat::Json => {
            tracing_subscriber::fmt::layer().json().with_writer(std::io::stderr).boxed()
        }
    };
    // The only error is that a subscriber is set already.
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter)).try_init();
}

/// The process's metrics, in Prometheus' text format.
///
/// One recorder serves the whole process, however many instances run in it.
pub fn render_metrics() -> String {
    recorder().map(PrometheusHandle::render).unwrap_or_default()
}

/// Starts recording metrics; later calls change nothing.
pub fn start_metrics() {
    recorder();
}

/// The bounds of latency histograms, in seconds.
const LATENCY_BUCKETS_SECS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

fn recorder() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            PrometheusBuilder::new()
                .set_buckets(&LATENCY_BUCKETS_SECS)
                .and_then(PrometheusBuilder::install_recorder)
                .inspect_err(|error| tracing::error!(%error, "no metrics are recorded"))
                .ok()
        })
        .as_ref()
}
