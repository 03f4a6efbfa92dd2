//! How long one purchase takes: alone, and where many buy at an even rate.

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

use crate::{
    Bench, CROWD, Failure,
    cost::Fact,
    expect,
    figure::{Figure, Spread, Target},
    http::Connection,
    load::Errand,
    stage::pgbench_of,
};

/// The rate of purchases, as a share of the most.
const SHARE: f64 = 0.7;
/// Longest time that is told apart, in microseconds.
const LATENCY_MAX_US: u64 = 60_000_000;
/// What a purchase may take at that rate, in milliseconds.
const P99_MAX_MS: f64 = 50.0;

impl Bench {
    /// Purchases by one person after the other.
    pub(crate) async fn lone_purchases(&mut self) -> Result<Figure, Failure> {
        let mut figure = Figure {
            name: "purchases, one after the other",
            limit: "pgbench -c 1, one by one as 0.1.0",
            crowd: 1,
            target: Target::None,
            runs: Vec::new(),
        };
        for nth in 0..=self.pace.runs {
            let alone = self.stage(false, self.seats())?;
            let scripts = ["hold.sql", "pay.sql"];
            let variables = alone.variables(self.seats());
            let limit = pgbench_of(1, &scripts, &variables, self.pace.secs)?;
            expect("lone sales of pgbench", limit.done, alone.count_reservations("CONFIRMED")?)?;
            alone.strike()?;

            let stage = self.stage_with_passes(self.seats()).await?;
            let errand = Errand::Purchase(stage.clone());
            let run = self.measure(Some(limit), &errand, 1, self.seats()).await?;
            expect("lone purchases", run.service.done, stage.count_reservations("CONFIRMED")?)?;
            stage.strike()?;
            figure.keep(nth, run)?;
        }
        Ok(figure)
    }

    /// Purchases that begin at an even rate below the most, whether or not earlier ones have ended.
    pub(crate) async fn purchases_below_the_most(&mut self) -> Result<Fact, Failure> {
        let mut each_p99 = Vec::new();
        let mut all = empty()?;
        let mut rates = Vec::new();
        // The first run only warms up.
        for nth in 0..=self.pace.runs {
            let stage = self.stage_with_passes(self.seats()).await?;
            let most = self.drive(&Errand::Purchase(stage.clone()), CROWD, self.seats()).await?;
            stage.strike()?;

            let rate = most.per_sec() * SHARE;
            let stage = self.stage_with_passes(self.seats()).await?;
            let errand = Errand::Purchase(stage.clone());
            let lasts = Duration::from_secs(self.pace.secs);
            let period = Duration::from_secs(1).div_f64(rate);
            let n_turns = u64::try_from(lasts.as_nanos() / period.as_nanos())?.min(self.seats());
            let took = pace(self.server.address, &errand, period, n_turns).await?;
            expect("purchases", took.len(), stage.count_reservations("CONFIRMED")?)?;
            stage.strike()?;
            if nth > 0 {
                each_p99.push(ms(took.value_at_quantile(0.99)));
                rates.push(rate);
                all.add(&took)?;
            }
        }
        let p99 = Spread::of(each_p99.into_iter()).ok_or("no purchase was measured")?;
        let rate = Spread::of(rates.into_iter()).ok_or("no purchase was measured")?;
        let word = if p99.median <= P99_MAX_MS { "met" } else { "**missed**" };
        let told = format!(
            "of a hundred the slowest one took {:.1} ms ({:.1} - {:.1}), the middle one {:.1} ms, the slowest of all {:.0} \
             ms, at {:.0} a second on {CROWD} connections; asked for: <= {P99_MAX_MS} ms, {word}",
            p99.median,
            p99.min,
            p99.max,
            ms(all.value_at_quantile(0.5)),
            ms(all.max()),
            rate.median,
        );
        Ok(("a purchase at 70 % of the most that are made, from when it was due", told))
    }
}

/// Begins `errand` `n_turns` times, one each `period`. Returns how long each turn took from when it
/// was due: one that waited for a free connection has waited.
async fn pace(
    address: SocketAddr,
    errand: &Errand,
    period: Duration,
    n_turns: u64,
) -> Result<Histogram<u64>, Failure> {
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
            let mut took = empty().map_err(io::Error::other)?;
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn > n_turns {
                    return io::Result::Ok(took);
                }
                let nths = u32::try_from(turn).map_err(io::Error::other)?;
                let due = began + period * nths;
                tokio::time::sleep_until(due.into()).await;
                let answer = errand.run(&mut connection, nth, turn).await?;
                if !(200..300).contains(&answer.status) {
                    return Err(io::Error::other(answer.body));
                }
                let us = u64::try_from(due.elapsed().as_micros()).unwrap_or(LATENCY_MAX_US);
                took.saturating_record(us);
            }
        });
    }
    let mut all = empty()?;
    while let Some(took) = tasks.join_next().await {
        all.add(&took??)?;
    }
    Ok(all)
}

fn empty() -> Result<Histogram<u64>, hdrhistogram::CreationError> {
    const DIGITS: u8 = 3;
    Histogram::new_with_bounds(1, LATENCY_MAX_US, DIGITS)
}

fn ms(us: u64) -> f64 {
    Duration::from_micros(us).as_secs_f64() * 1e3
}
