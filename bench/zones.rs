//! Places of one zone, each hold through the zone's fair lock; and that lock where many
//! stand in line for it.

use std::time::{Duration, Instant};

use stagedoor::infra::{
    locks::{FairError, FairGuard, FairLocks, FairOutcome, FairTerms, LockName},
    redis::Redis,
};
use tokio::task::JoinSet;

use crate::{
    Bench, Failure, expect,
    figure::{Figure, Target},
    growth::Growth,
    load::Errand,
    stage::pgbench_of,
};

/// Connections at the zone: enough that the lock is never idle, few enough that each request has
/// its turn before it is refused.
const CROWD: u64 = 64;
/// People inside, each of whom takes one place: more than a run can serve.
const VISITORS: u64 = 30_000;
/// Takings of the lock in one run.
const TAKINGS: u32 = 500;
/// Tasks that fill a line.
const TASKS: usize = 8;
/// How often Redis is asked again on a machine that is too busy to answer in time.
const TRIES: u32 = 20;
/// How long it is left alone in between: longer than the breaker stays open.
const PAUSE: Duration = Duration::from_millis(1_500);
/// How long the lock is waited for: longer than it is ever held here.
const WAIT: Duration = Duration::from_secs(2);

impl Bench {
    pub(crate) async fn zone_holds(&mut self) -> Result<Figure, Failure> {
        let mut figure = Figure {
            name: "holds of one place of one zone",
            limit: "pgbench -c 1, one by one as 0.1.0",
            crowd: CROWD,
            target: Target::Ratio(4.0),
            runs: Vec::new(),
        };
        for nth in 0..=self.pace.runs {
            let alone = self.stage(false, VISITORS)?;
            let variables = alone.variables(VISITORS);
            let limit = pgbench_of(1, &["zone.sql"], &variables, self.pace.secs)?;
            expect("places of pgbench", limit.done, alone.count_reservations("HELD")?)?;
            alone.strike()?;

            let stage = self.stage_with_passes(VISITORS).await?;
            let errand = Errand::HoldPlace(stage.clone());
            let run = self.measure(Some(limit), &errand, CROWD, VISITORS).await?;
            expect("places", run.service.done, stage.count_reservations("HELD")?)?;
            stage.strike()?;
            figure.keep(nth, run)?;
        }
        Ok(figure)
    }

    /// One taking of the lock by a person who is present, where others keep their place in line
    /// between two tries.
    pub(crate) async fn crowded_lock(&self) -> Result<Growth, Failure> {
        let redis = Redis::open(&std::env::var("REDIS_URL")?, "bench")?;
        // They keep their places until this is over.
        let terms = FairTerms { absence: Duration::from_mins(1), ..FairTerms::default() };
        let locks = FairLocks::new(&redis, terms);
        let few = line_of(&locks, 10).await?;
        let many = line_of(&locks, 10_000).await?;
        let mut runs = Vec::new();
        for nth in 0..=self.pace.runs {
            let run = (take(&locks, &few).await?, take(&locks, &many).await?);
            if nth > 0 {
                runs.push(run);
            }
        }
        Ok(Growth {
            name: "one taking of the fair lock",
            little: "10 in its line",
            much: "10,000 in its line",
            target: 1.3,
            runs,
        })
    }
}

/// A lock without a holder for which so many wait.
async fn line_of(locks: &FairLocks, n: usize) -> Result<LockName, Failure> {
    let name = LockName::new(&"bench", &n);
    let (held, _) = try_to_take(locks, &name, "holder", WAIT).await;
    let held = held?;
    let mut tasks = JoinSet::new();
    for first in 0..TASKS {
        let (locks, name) = (locks.clone(), name.clone());
        tasks.spawn(async move {
            let mut n_waiting = 0;
            for waiter in (first..n).step_by(TASKS) {
                let waiter = format!("waiter-{waiter}");
                match try_to_take(&locks, &name, &waiter, Duration::ZERO).await.0 {
                    Err(FairError::Waiting(_)) => n_waiting += 1,
                    Err(failure) => return Err(failure.to_string()),
                    Ok(_) => return Err("the lock was free".to_owned()),
                }
            }
            Ok(n_waiting)
        });
    }
    let mut n_waiting = 0;
    while let Some(waiting) = tasks.join_next().await {
        n_waiting += waiting??;
    }
    held.release().await;
    expect("the line", u64::try_from(n)?, n_waiting)?;
    Ok(name)
}

/// What one taking costs, in microseconds.
async fn take(locks: &FairLocks, name: &LockName) -> Result<f64, Failure> {
    let mut taken_in = Duration::ZERO;
    for _ in 0..TAKINGS {
        let (guard, took) = try_to_take(locks, name, "somebody", WAIT).await;
        taken_in += took;
        guard?.release().await;
    }
    Ok(taken_in.as_secs_f64() * 1e6 / f64::from(TAKINGS))
}

/// Takes the lock, again when Redis did not answer in time; how long the last try took.
async fn try_to_take(
    locks: &FairLocks,
    name: &LockName,
    waiter: &str,
    wait: Duration,
) -> (Result<FairGuard, FairError>, Duration) {
    let mut tries = 1;
    loop {
        let began = Instant::now();
        match locks.take(name, waiter, wait, ()).await {
            Err(FairError::Away(_)) if tries < TRIES => {
                tokio::time::sleep(PAUSE).await;
                tries += 1;
            }
            outcome => {
                let guard = outcome.map(|FairOutcome::Lead(guard, ())| guard);
                return (guard, began.elapsed());
            }
        }
    }
}
