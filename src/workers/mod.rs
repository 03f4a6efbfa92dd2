//! Loops beside the requests: each calls one feature's tick now and then.
//!
//! Every instance runs every worker; none needs a leader, because each tick takes what
//! it works on with `skip locked` or in steps that may be repeated.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, Interval, MissedTickBehavior, interval_at},
};

use crate::{
    accounts, admin, app::App, entry_queue, infra::idempotency, reservation, telemetry, wallet,
    web::limits::Limits,
};

/// How often what has run out is thrown away.
const JANITOR_PERIOD: Duration = Duration::from_mins(1);
/// How often a line that Redis lost is looked for.
const REBUILD_PERIOD: Duration = Duration::from_secs(1);
/// How often lines are looked for that are to go.
const PURGE_PERIOD: Duration = Duration::from_secs(2);
/// How often lines are counted for the metrics.
const GAUGES_PERIOD: Duration = Duration::from_secs(5);
/// How often cancelled programs are looked for of which something is still to give back.
const WIND_DOWN_PERIOD: Duration = Duration::from_secs(1);
/// How often saved prices are looked for that not every seat has yet.
const PRICES_PERIOD: Duration = Duration::from_secs(1);
/// How often every line in Redis is compared with Postgres.
const MIRROR_PERIOD: Duration = Duration::from_secs(30);
/// How long after the start the lines are compared for the first time: an instance that
/// was killed may have left something unmirrored, and half a minute is long for a line.
const FIRST_MIRROR: Duration = Duration::from_secs(1);

/// Tells every worker to finish its tick and end.
#[derive(Debug)]
pub struct Workers {
    app: App,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Workers {
    /// Starts all of them. The first tick of each comes one period after the start, but
    /// that of the comparison comes sooner.
    pub fn start(app: &App, limits: &Arc<Limits>) -> Self {
        let (stop, _) = watch::channel(false);
        let mut workers = Self { app: app.clone(), stop, tasks: JoinSet::new() };
        let limits = Arc::clone(limits);
        workers.run("janitor", every(JANITOR_PERIOD), move |app| {
            limits.forget();
            async move {
                accounts::purge_sessions(&app).await?;
                idempotency::purge_old_keys(&app.db).await
            }
        });
        workers.run("admission", every(app.config.admission_period), |app| async move {
            entry_queue::admit_everywhere(&app).await
        });
        workers.run("stays", every(app.config.expiry_period), |app| async move {
            entry_queue::sweep_lapsed(&app).await
        });
        workers.run("holds", every(app.config.expiry_period), |app| async move {
            reservation::expire_lapsed(&app).await
        });
        workers.run("transfers", every(app.config.expiry_period), |app| async move {
            wallet::expire_transfers(&app).await
        });
        workers.run("rebuild", every(REBUILD_PERIOD), |app| async move {
            entry_queue::rebuild_what_is_lost(&app).await
        });
        workers.run("purge", every(PURGE_PERIOD), |app| async move {
            entry_queue::purge_lines(&app).await
        });
        let gauges = admin::Gauges::default();
        workers.run("gauges", every(GAUGES_PERIOD), move |app| {
            telemetry::condense_metrics();
            let gauges = gauges.clone();
            async move { gauges.set(&app).await }
        });
        workers.run("wind-down", every(WIND_DOWN_PERIOD), |app| async move {
            admin::wind_down(&app).await
        });
        workers.run("prices", every(PRICES_PERIOD), |app| async move {
            admin::write_prices(&app).await
        });
        workers.run("mirror", first_then_every(FIRST_MIRROR, MIRROR_PERIOD), |app| async move {
            entry_queue::mirror_everything(&app).await
        });
        workers
    }

    /// Runs `tick` whenever `timer` says until all are stopped. A failed tick is logged
    /// and the next one still runs.
    fn run<F, E>(
        &mut self,
        name: &'static str,
        mut timer: Interval,
        tick: impl Fn(App) -> F + Send + 'static,
    ) where
        F: Future<Output = Result<(), E>> + Send,
        E: fmt::Display + Send,
    {
        let (app, mut stop) = (self.app.clone(), self.stop.subscribe());
        self.tasks.spawn(async move {
            loop {
                let due = tokio::select! {
                    due = timer.tick() => due,
                    _ = stop.wait_for(|stop| *stop) => return,
                };
                metrics::gauge!("stagedoor_worker_lag_seconds", "worker" => name)
                    .set(due.elapsed().as_secs_f64());
                let begun = Instant::now();
                if let Err(error) = tick(app.clone()).await {
                    tracing::error!(worker = name, %error, "a worker's tick failed");
                    metrics::counter!("stagedoor_worker_failures_total", "worker" => name)
                        .increment(1);
                }
                metrics::histogram!("stagedoor_worker_tick_duration_seconds", "worker" => name)
                    .record(begun.elapsed().as_secs_f64());
            }
        });
    }

    /// Ends all of them after the tick they are in. A tick may be cut off by dropping this:
    /// the next instance goes on with what it left.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

fn every(period: Duration) -> Interval {
    first_then_every(period, period)
}

/// A late tick is skipped, not caught up.
fn first_then_every(first: Duration, period: Duration) -> Interval {
    let mut timer = interval_at(Instant::now() + first, period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Skip);
    timer
}
