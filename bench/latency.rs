//! How long one purchase takes: alone, and where many buy at an even rate.

use std::time::Duration;

use crate::{
    Bench, CROWD, Failure,
    cost::Fact,
    even::{drive_evenly, latencies, ms_at},
    expect,
    figure::{Figure, Spread, Target},
    load::Errand,
    stage::pgbench_of,
};

/// The rate of purchases, as a share of the most.
const SHARE: f64 = 0.7;
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
        let mut all = latencies()?;
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
            let even = drive_evenly(self.server.address, &errand, period, n_turns).await?;
            if let Some(refusal) = even.tally.refusal {
                return Err(refusal.into());
            }
            expect("purchases", even.tally.done, stage.count_reservations("CONFIRMED")?)?;
            stage.strike()?;
            if nth > 0 {
                each_p99.push(ms_at(&even.took, 0.99));
                rates.push(rate);
                all.add(&even.took)?;
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
            ms_at(&all, 0.5),
            ms_at(&all, 1.0),
            rate.median,
        );
        Ok(("a purchase at 70 % of the most that are made, from when it was due", told))
    }
}
