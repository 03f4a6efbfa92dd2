//! Very many holds that end at once, while sales go on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use crate::{
    Bench, Failure, PEOPLE,
    growth::Growth,
    http::Connection,
    load::Errand,
    stage::{count, psql_file},
};

/// Holds that end at once.
const HOLDS: u64 = 100_000;
/// They are gone by then, or never.
const CLEARED_SECS_MAX: u64 = 120;
/// How long sales are watched before.
const CALM: Duration = Duration::from_secs(10);
/// How often it is looked whether all are gone.
const LOOK_PERIOD: Duration = Duration::from_millis(250);
/// Connections that buy, one purchase after the other: sales go on, and the processors
/// are not all theirs.
const BUYERS: u64 = 4;

impl Bench {
    /// What the slowest of a hundred purchases costs without and with them, and how long
    /// they took to be gone.
    pub(crate) async fn backlog(&mut self) -> Result<(Growth, String), Failure> {
        let stage = self.stage_with_passes(self.seats()).await?;
        let errand = Errand::Purchase(stage.clone());
        let sales = Sales::default();
        let calm = self.sell(&errand, &sales, async {
            tokio::time::sleep(CALM).await;
            Ok(())
        });
        let calm_us = slowest_of_hundred(calm.await?)?;
        self.stages += 1;
        let variables = [("nth", self.stages), ("holds", HOLDS), ("people", PEOPLE)];
        psql_file("lapsed.sql", &variables.map(|(name, value)| (name, value.to_string())))?;
        let began = Instant::now();
        let busy_us = slowest_of_hundred(self.sell(&errand, &sales, all_gone()).await?)?;
        let cleared_secs = began.elapsed().as_secs_f64();
        stage.strike()?;
        let growth = Growth {
            name: "the slowest of a hundred purchases",
            little: "sales alone",
            much: "100,000 holds that end at once",
            target: 2.0,
            runs: vec![(calm_us, busy_us)],
        };
        let told = format!("{cleared_secs:.0} s; asked for: under {CLEARED_SECS_MAX} s");
        Ok((growth, told))
    }

    /// Sells until `enough` is over; how long each purchase took, in microseconds.
    async fn sell(
        &self,
        errand: &Errand,
        sales: &Sales,
        enough: impl Future<Output = Result<(), Failure>>,
    ) -> Result<Vec<f64>, Failure> {
        let is_over = Arc::new(AtomicBool::new(false));
        let (people, address) = (self.seats(), self.server.address);
        let mut tasks = JoinSet::new();
        for nth in 0..BUYERS {
            let (errand, next, is_over) = (errand.clone(), sales.next.clone(), is_over.clone());
            tasks.spawn(async move {
                let mut server = Connection::open(address).await.map_err(|e| e.to_string())?;
                let mut took_us = Vec::new();
                while !is_over.load(Ordering::Relaxed) {
                    let turn = 1 + next.fetch_add(1, Ordering::Relaxed);
                    if turn > people {
                        break;
                    }
                    let began = Instant::now();
                    let answer = errand.run(&mut server, nth, turn).await;
                    let answer = answer.map_err(|error| error.to_string())?;
                    if !(200..300).contains(&answer.status) {
                        return Err(format!("a purchase was refused: {}", answer.body));
                    }
                    took_us.push(began.elapsed().as_secs_f64() * 1e6);
                }
                Ok(took_us)
            });
        }
        let ended = enough.await;
        is_over.store(true, Ordering::Relaxed);
        let mut took_us = Vec::new();
        while let Some(of_one) = tasks.join_next().await {
            took_us.extend(of_one??);
        }
        ended?;
        Ok(took_us)
    }
}

/// How many have bought.
#[derive(Default)]
struct Sales {
    next: Arc<AtomicU64>,
}

/// Until no hold past its end is left.
async fn all_gone() -> Result<(), Failure> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(CLEARED_SECS_MAX * 2) {
        let left =
            "select count(*) from reservations where status = 'HELD' and expires_at <= now()";
        if count(left)? == 0 {
            return Ok(());
        }
        tokio::time::sleep(LOOK_PERIOD).await;
    }
    Err("the holds that ended are still there".into())
}

/// The time that one in a hundred exceeds.
fn slowest_of_hundred(mut took_us: Vec<f64>) -> Result<f64, Failure> {
    took_us.sort_by(f64::total_cmp);
    let nth = took_us.len() * 99 / 100;
    Ok(*took_us.get(nth).ok_or("nothing was sold")?)
}
