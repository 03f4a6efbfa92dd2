//! Loops beside the requests: each calls one feature's tick now and then.
//!
//! Every instance runs every worker; none needs a leader, because each tick takes what
//! it works on with `skip locked` or in steps that may be repeated.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{sync::watch, task::JoinSet, time::MissedTickBehavior};

use crate::{
    accounts, app::App, entry_queue, infra::idempotency, reservation, wallet, web::limits::Limits,
};

/// How often what has run out is thrown away.
const JANITOR_PERIOD: Duration = Duration::from_mins(1);
/// How often a line that Redis lost is looked for.
const REBUILD_PERIOD: Duration = Duration::from_secs(1);
/// How often lines of sales that are over are looked for.
const PURGE_PERIOD: Duration = Duration::from_secs(2);
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
        tokio::select! {
            _ = timer.tick() => (),
            _ = stop.wait_for(|stop| *stop) => return,
        }
        if let Err(error) = tick(app.clone()).await {
            tracing::error!(worker = name, %error, "a worker's tick failed");
        }
    }
}
