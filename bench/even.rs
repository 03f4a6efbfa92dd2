//! Requests that begin at an even rate, whether or not earlier ones have been answered.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use tokio::task::JoinSet;

use crate::{CROWD, Failure, http::Connection, load::Errand, tally::Tally};

/// Longest time that is recorded exactly, in microseconds.
const LATENCY_MAX_US: u64 = 60_000_000;

/// What became of requests at an even rate.
#[derive(Debug)]
pub(crate) struct Evenly {
    /// Microseconds from when each was due to its answer: one that waited for a free connection has waited.
    pub(crate) took: Histogram<u64>,
    pub(crate) tally: Tally,
}

/// Begins `errand` `n_turns` times, one each `period`.
pub(crate) async fn drive_evenly(
    address: SocketAddr,
    errand: &Errand,
    period: Duration,
    n_turns: u64,
) -> Result<Evenly, Failure> {
    let next = Arc::new(AtomicU64::new(1));
    let mut connections = Vec::new();
    for _ in 0..CROWD {
        connections.push(Connection::open(address).await?);
    }
    let mut tasks = JoinSet::new();
    let began = Instant::now();
    for (nth, mut connection) in (0..).zip(connections) {
        let (errand, next) = (errand.clone(), next.clone());
        tasks.spawn(async move {
            let mut all = Evenly { took: latencies()?, tally: Tally::default() };
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn > n_turns {
                    return io::Result::Ok(all);
                }
                let nths = u32::try_from(turn).map_err(io::Error::other)?;
                let due = began + period * nths;
                tokio::time::sleep_until(due.into()).await;
                all.tally.count(errand.run(&mut connection, nth, turn).await?);
                record(&mut all.took, due.elapsed());
            }
        });
    }
    let mut all = Evenly { took: latencies()?, tally: Tally::default() };
    while let Some(part) = tasks.join_next().await {
        let part = part??;
        all.took.add(&part.took)?;
        all.tally.add(part.tally);
    }
    all.tally.secs = began.elapsed().as_secs_f64();
    Ok(all)
}

/// Returns an empty histogram of microseconds.
pub(crate) fn latencies() -> io::Result<Histogram<u64>> {
    const DIGITS: u8 = 3;
    Histogram::new_with_bounds(1, LATENCY_MAX_US, DIGITS).map_err(io::Error::other)
}

pub(crate) fn record(took: &mut Histogram<u64>, each: Duration) {
    took.saturating_record(u64::try_from(each.as_micros()).unwrap_or(LATENCY_MAX_US));
}

/// Returns the milliseconds at a quantile from 0 to 1.
pub(crate) fn ms_at(took: &Histogram<u64>, quantile: f64) -> f64 {
    Duration::from_micros(took.value_at_quantile(quantile)).as_secs_f64() * 1e3
}
