//! Log lines and Prometheus metrics of the process.

use std::{
    cell::Cell,
    fmt,
    io::{self, IsTerminal, Write},
    sync::OnceLock,
};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::task;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter, Layer,
    layer::{Context, SubscriberExt},
    util::SubscriberInitExt,
};

use crate::config::{Config, LogFormat};

/// Lines that the log leaves out; each is asked for once ([`take_left_out`]).
#[derive(Clone, Copy, Debug)]
pub struct UnwantedLines {
    /// Target of the lines.
    pub target: &'static str,
    /// Beginning of their messages.
    pub beginning: &'static str,
}

/// Starts logging as `config` says, without `unwanted` lines; a second call changes nothing.
pub fn start_logging(config: &Config, unwanted: UnwantedLines) {
    log_to_stderr(&config.log, config.log_format, unwanted);
}

/// Works as [`start_logging`], for a process without settings: `directives` say what is logged.
pub fn log_to_stderr(directives: &str, format: LogFormat, unwanted: UnwantedLines) {
    let filter = EnvFilter::new(directives);
    let lines = match format {
        LogFormat::Text => tracing_subscriber::fmt::layer()
            .with_ansi(io::stderr().is_terminal())
            .with_writer(|| OneLine(io::stderr()))
            .boxed(),
        LogFormat::Json => tracing_subscriber::fmt::layer().json().with_writer(io::stderr).boxed(),
    };
    // The only error is that a subscriber is set already. The filter belongs to the registry and
    // not to the layer: a layer's own filter drops the event after a call that asks whether a level
    // is enabled, as sqlx does at every statement.
    let registry = tracing_subscriber::registry().with(lines).with(filter);
    let _ = registry.with(LeaveOut(unwanted)).try_init();
}

thread_local! {
    /// Task of the connection whose line was left out last.
    static LEFT_OUT: Cell<Option<task::Id>> = const { Cell::new(None) };
}

/// Layer that leaves unwanted lines out.
#[derive(Clone, Copy, Debug)]
struct LeaveOut(UnwantedLines);

impl<S: Subscriber> Layer<S> for LeaveOut {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        if event.metadata().target() != self.0.target {
            return true;
        }
        let mut message = Message { beginning: self.0.beginning, is_unwanted: false };
        event.record(&mut message);
        if message.is_unwanted {
            LEFT_OUT.set(task::try_id());
        }
        !message.is_unwanted
    }
}

/// Whether an unwanted line was left out in the present task, which is that of its connection; asked once
/// for each.
pub fn take_left_out() -> bool {
    let here = task::try_id();
    let is_here = here.is_some() && LEFT_OUT.get() == here;
    if is_here {
        LEFT_OUT.set(None);
    }
    is_here
}

/// Message of a line, and whether it begins as unwanted ones do.
struct Message {
    beginning: &'static str,
    is_unwanted: bool,
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.is_unwanted = format!("{value:?}").starts_with(self.beginning);
        }
    }
}

/// Writer that keeps each event on one line: user input in an event cannot begin another one.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    /// Escapes line breaks within the event; the layer writes a whole event at once.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let (text, end): (&[u8], &[u8]) = match event.split_last() {
            Some((b'\n', text)) => (text, b"\n"),
            _ => (event, b""),
        };
        let mut line = Vec::with_capacity(event.len());
        for byte in text {
            match byte {
                b'\n' => line.extend(b"\\n"),
                b'\r' => line.extend(b"\\r"),
                byte => line.push(*byte),
            }
        }
        line.extend(end);
        self.0.write_all(&line)?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Renders the process's metrics in Prometheus' text format.
///
/// One recorder serves the whole process, however many instances run in it.
pub fn render_metrics() -> String {
    recorder().map(PrometheusHandle::render).unwrap_or_default()
}

/// Starts recording metrics; later calls change nothing.
pub fn start_metrics() {
    recorder();
}

/// Sorts recorded values into the histograms' buckets. Until then each value is kept, so this must
/// run periodically even if the metrics are never read.
pub fn condense_metrics() {
    if let Some(recorder) = recorder() {
        recorder.run_upkeep();
    }
}

/// Bucket bounds of latency histograms, in seconds.
const LATENCY_BUCKETS_SECS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

/// Gauge of the requests that wait for a fair lock at this instance.
pub(crate) const FAIR_WAITERS: &str = "stagedoor_fair_lock_waiters";

/// Histogram of the members of a batch, with its `kind` as label.
pub const BATCH_SIZE: &str = "stagedoor_batch_size";
/// Bucket bounds of [`BATCH_SIZE`], in members.
const BATCH_SIZE_BUCKETS: [f64; 9] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];

fn recorder() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            PrometheusBuilder::new()
                .set_buckets(&LATENCY_BUCKETS_SECS)
                .and_then(|builder| {
                    let batch_size = Matcher::Full(BATCH_SIZE.to_owned());
                    builder.set_buckets_for_metric(batch_size, &BATCH_SIZE_BUCKETS)
                })
                .and_then(PrometheusBuilder::install_recorder)
                .inspect_err(|error| tracing::error!(%error, "no metrics are recorded"))
                .ok()
        })
        .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_is_two_lines() {
        let mut written = Vec::new();
        let event = b"refused \"a\nb\r\nERROR forged\"\n";
        assert_eq!(OneLine(&mut written).write(event).unwrap(), event.len());
        assert_eq!(written, b"refused \"a\\nb\\r\\nERROR forged\"\n");
    }
}
