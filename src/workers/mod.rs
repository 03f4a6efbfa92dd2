//! Loops beside the requests: each calls one feature's tick now and then.
//!
//! Every instance runs every worker; none needs a leader, because each tick takes what
//! it works on with `skip locked` or in steps that may be repeated.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{sync::watch, task::JoinSet, time::Instant, time::MissedTickBehavior};

use crate::{
    accounts, admin, app::App, entry_queue, infra::idempotency, reservation, wallet,
    web::limits::Limits,
};

/// How often what has run out is thrown away.
const JANITOR_PERIOD: Duration = Duration::from_mins(1);
/// How often a line that Redis lost is looked for.
const REBUILD_PERIOD: Duration = Duration::from_secs(1);
/// How often lines of sales that are over are looked for.
const PURGE_PERIOD: Duration = Duration::from_secs(2);
/// How often lines are counted for the metrics.
const GAUGES_PERIOD: Duration = Duration::from_secs(5);
/// How often cancelled programs are looked for of which something is still to give back.
const WIND_DOWN_PERIOD: Duration = Duration::from_secs(1);
/// How often every line in Redis is compared with Postgres.
const MIRROR_PERIOD: Duration = Duration::from_secs(30);

/// Tells every worker to finish its tick and end.
#[derive(Debug)]
pub struct Workers {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Workers {
    /// Starts all of them.
    pub fn start(app: &App, limits: &Arc<Limits>) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let limits = Arc::clone(limits);
        tasks.spawn(run("janitor", app.clone(), JANITOR_PERIOD, stopped.clone(), move |app| {
            limits.forget();
            async move {
                accounts::purge_sessions(&app).await?;
                idempotency::purge_old_keys(&app.db).await
            }
        }));
        let config = &app.config;
        tasks.spawn(run(
            "admission",
            app.clone(),
            config.admission_period,
            stopped.clone(),
            |app| async move { entry_queue::admit_everywhere(&app).await },
        ));
        tasks.spawn(run(
            "stays",
            app.clone(),
            config.expiry_period,
            stopped.clone(),
            |app| async move { entry_queue::sweep_lapsed(&app).await },
        ));
        tasks.spawn(run(
            "holds",
            app.clone(),
            config.expiry_period,
            stopped.clone(),
            |app| async move { reservation::expire_lapsed(&app).await },
        ));
        tasks.spawn(run(
            "transfers",
            app.clone(),
            config.expiry_period,
            stopped.clone(),
            |app| async move { wallet::expire_transfers(&app).await },
        ));
        tasks.spawn(run(
            "rebuild",
            app.clone(),
            REBUILD_PERIOD,
            stopped.clone(),
            |app| async move { entry_queue::rebuild_what_is_lost(&app).await },
        ));
        tasks.spawn(run("purge", app.clone(), PURGE_PERIOD, stopped.clone(), |app| async move {
            entry_queue::purge_closed_lines(&app).await
        }));
        let gauges = admin::Gauges::default();
        tasks.spawn(run("gauges", app.clone(), GAUGES_PERIOD, stopped.clone(), move |app| {
            let gauges = gauges.clone();
            async move { gauges.set(&app).await }
        }));
        tasks.spawn(run(
            "wind-down",
            app.clone(),
            WIND_DOWN_PERIOD,
            stopped.clone(),
            |app| async move { admin::wind_down(&app).await },
        ));
        tasks.spawn(run("mirror", app.clone(), MIRROR_PERIOD, stopped, |app| async move {
            entry_queue::mirror_everything(&app).await
        }));
        Self { stop, tasks }
    }

    /// Ends all of them after the tick they are in.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Runs `tick` every `period` until `stop` turns true. A failed tick is logged and the
/// next one still runs; a late tick is skipped, not caught up.
async fn run<F, E>(
    name: &'static str,
    app: App,
    period: Duration,
    mut stop: watch::Receiver<bool>,
    tick: impl Fn(App) -> F,
) where
    F: Future<Output = Result<(), E>>,
    E: fmt::Display,
{
    let mut timer = tokio::time::interval(period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Skip);
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
            metrics::counter!("stagedoor_worker_failures_total", "worker" => name).increment(1);
        }
        metrics::histogram!("stagedoor_worker_tick_duration_seconds", "worker" => name)
            .record(begun.elapsed().as_secs_f64());
    }
}
