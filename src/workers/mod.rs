//! Background loops of an instance: each calls the **tick** of one feature periodically.
//!
//! Every instance runs every **worker**; none needs a leader, because each tick takes its rows with
//! `skip locked` or works in parts that may be repeated.
//!
//! # Invariants
//!
//! - Every tick ends, by its deadline at the latest; a tick that panics is counted and followed by
//!   the next.
//! - A worker's progress is noted when a tick *finishes*, with success or with an error. A tick
//!   that was cut off at its deadline has not finished.
//!
//! # Concurrency
//!
//! The same tick may run in several instances at once. Which one gets a row is decided by `skip
//! locked`; the others skip the row and return without an error.

pub mod metrics;
mod periods;
mod ticks;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, Interval, MissedTickBehavior, interval_at},
};

use self::ticks::run_tick;
use crate::{
    accounts::{self, LogInBudget},
    admin::{self, live::instances::TellingInstance},
    app::App,
    catalog::popularity,
    entry_queue::{self, Draws, Witnesses},
    events,
    infra::{idempotency, postgres, progress::WorkerProgress},
    mail::{self, Mailer},
    outbox,
    payment::{self, Checkouts},
    receipts, reservation, setbacks, telemetry, tickets, wallet,
    web::{limits::Limits, metrics::QueueSeries},
    webhooks::{self, HookClient},
};

/// Upper bound of a tick that does part of its work, or works in small parts.
const TICK_MAX: Duration = Duration::from_secs(20);
/// Upper bound of a tick that goes through a whole queue, or all of them.
const LONG_TICK_MAX: Duration = Duration::from_mins(10);
/// Periods within which a worker must finish a tick, in addition to the tick's own upper bound.
const LATE_PERIODS: u32 = 10;
/// Lower bound of the time that [`LATE_PERIODS`] give, for workers with short periods.
const LATE_MIN: Duration = Duration::from_secs(10);

/// Workers that rest while the database stands still because it went back: they admit, offer, number or refund, which is
/// refused then, or write over what Redis knows of the lost time.
const RESTING_IN_SETBACK: [&str; 7] =
    ["admission", "waiting_lists", "draws", "projection", "wind-down", "payouts", "receipts"];

/// Whom the workers talk to outside of the office.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'a> {
    /// The payment provider.
    pub checkouts: &'a Checkouts,
    /// The mail server.
    pub mailer: &'a Mailer,
    /// The witnesses of the public logs.
    pub witnesses: &'a Witnesses,
    /// The relays of the beacon.
    pub draws: &'a Draws,
    /// The receivers of events.
    pub hooks: &'a HookClient,
}

/// Running workers of one instance.
#[derive(Debug)]
pub struct Workers {
    app: App,
    progress: WorkerProgress,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Workers {
    fn new(app: &App, progress: &WorkerProgress) -> Self {
        let (stop, _) = watch::channel(false);
        let progress = progress.clone();
        Self { app: app.clone(), progress, stop, tasks: JoinSet::new() }
    }

    /// Starts all workers. The first tick of each comes one period after the start, except the
    /// comparison's, which comes sooner.
    pub fn start(
        app: &App,
        limits: &Arc<Limits>,
        log_ins: &LogInBudget,
        progress: &WorkerProgress,
        queues: &QueueSeries,
        outside: &Outside<'_>,
    ) -> Self {
        let mut workers = Self::new(app, progress);
        let (limits, log_ins) = (Arc::clone(limits), log_ins.clone());
        let is_sending = outside.mailer.smtp().is_some();
        workers.run("janitor", TICK_MAX, every(periods::JANITOR), move |app| {
            limits.forget();
            log_ins.forget();
            app.security_log.forget();
            async move {
                accounts::purge_sessions(&app).await?;
                accounts::purge_links(&app.db).await?;
                outbox::end_old(&app.db, is_sending).await?;
                popularity::forget_old_days(&app).await?;
                idempotency::purge_old_keys(&app.db).await
            }
        });
        workers.run("admission", TICK_MAX, every(app.config.admission_period), |app| async move {
            entry_queue::admit_everywhere(&app).await
        });
        workers.run("stays", TICK_MAX, every(app.config.expiry_period), |app| async move {
            entry_queue::expire_stays(&app).await
        });
        workers.run("holds", TICK_MAX, every(app.config.expiry_period), |app| async move {
            reservation::expire_lapsed(&app).await?;
            reservation::end_overdue(&app).await
        });
        workers.run("waiting_lists", TICK_MAX, every(periods::WAITING_LISTS), |app| async move {
            reservation::serve_lists(&app).await
        });
        workers.run("transfers", TICK_MAX, every(app.config.expiry_period), |app| async move {
            wallet::expire_transfers(&app).await?;
            wallet::claim_transfers(&app.db).await?;
            wallet::remind_receivers(&app.db).await
        });
        workers.run("handing-over", TICK_MAX, every(app.config.expiry_period), |app| async move {
            tickets::expire_hand_overs(&app).await?;
            tickets::claim_hand_overs(&app.db).await
        });
        workers.run("shares", TICK_MAX, every(app.config.expiry_period), |app| async move {
            payment::shares::return_ended(&app).await
        });
        workers.run_queues();
        let gauges = metrics::Gauges::new(queues.clone());
        workers.run("gauges", TICK_MAX, every(periods::GAUGES), move |app| {
            telemetry::condense_metrics();
            let gauges = gauges.clone();
            async move { gauges.set(&app).await }
        });
        workers.run("statistics", TICK_MAX, every(periods::STATISTICS), |app| async move {
            postgres::analyze_outgrown(&app.db).await
        });
        workers.run("wind-down", LONG_TICK_MAX, every(periods::WIND_DOWN), |app| async move {
            admin::wind_down(&app).await
        });
        workers.run_catalog();
        workers.run_beyond(outside);
        workers
    }

    /// Starts the workers that repair, log, estimate and clear the queues.
    fn run_queues(&mut self) {
        let is_first = AtomicBool::new(true);
        self.run(
            "projection",
            LONG_TICK_MAX,
            first_then_every(periods::FIRST_COMPARISON, periods::COMPARISON),
            move |app| {
                let is_first = is_first.swap(false, Ordering::Relaxed);
                async move { entry_queue::project_everything(&app, is_first).await }
            },
        );
        self.run("rebuild", LONG_TICK_MAX, every(periods::REBUILD), |app| async move {
            entry_queue::rebuild_what_is_lost(&app).await
        });
        self.run("logs", LONG_TICK_MAX, every(periods::LOG), |app| async move {
            entry_queue::grow_logs(&app).await
        });
        self.run("purge", LONG_TICK_MAX, every(periods::PURGE), |app| async move {
            entry_queue::purge_queues(&app).await?;
            entry_queue::tell_entries(&app).await
        });
        self.run("events", TICK_MAX, every(periods::JANITOR), |app| async move {
            webhooks::end_old(&app.db).await?;
            events::delete_old(&app.db).await
        });
        self.run("openings", TICK_MAX, every(periods::OPENINGS), |app| async move {
            entry_queue::tell_openings(&app).await
        });
        self.run("estimates", TICK_MAX, every(periods::ESTIMATES), |app| async move {
            entry_queue::compare_estimates(&app).await
        });
    }

    /// Starts the workers that write prices, count and rank sales, issue receipts, beat the pulse, follow PostgreSQL's clock, read the
    /// settings again, and follow the standby.
    fn run_catalog(&mut self) {
        self.run("prices", LONG_TICK_MAX, every(periods::PRICES), |app| async move {
            admin::write_prices(&app).await
        });
        self.run("popularity", TICK_MAX, every(periods::POPULARITY), |app| async move {
            popularity::count(&app).await?;
            popularity::project(&app).await
        });
        self.run("receipts", TICK_MAX, every(periods::RECEIPTS), |app| async move {
            receipts::book_due(&app).await
        });
        self.run("pulse", TICK_MAX, every(periods::PULSE), |app| async move {
            reservation::beat(&app).await?;
            reservation::keep_stopped(&app).await
        });
        self.run(
            "setbacks",
            TICK_MAX,
            first_then_every(Duration::ZERO, periods::SETBACKS),
            |app| async move { setbacks::watch(&app).await },
        );
        self.run(
            "setback-lines",
            TICK_MAX,
            first_then_every(Duration::ZERO, periods::SETBACK_LINES),
            |app| async move { setbacks::remember_lines(&app).await },
        );
        self.run("clock", TICK_MAX, every(periods::CLOCK), |app| async move {
            app.follow_clock().await
        });
        self.run("office", TICK_MAX, every(periods::OFFICE), |app| async move {
            app.office.refresh(&app.db).await
        });
        if self.app.stale_reads.has_standby() {
            self.run("standby", TICK_MAX, every(periods::STANDBY), |app| async move {
                app.stale_reads.follow().await;
                Ok::<(), sqlx::Error>(())
            });
        }
    }

    /// Starts the workers that talk to the payment provider, to the mail server, to witnesses and to the receivers of events.
    fn run_beyond(&mut self, outside: &Outside<'_>) {
        self.run("letters", TICK_MAX, every(periods::LETTERS), |app| async move {
            admin::write_letters(&app.db).await
        });
        let Outside { checkouts, mailer, witnesses, draws, hooks } = *outside;
        let (instance, provider) = (TellingInstance::default(), checkouts.clone());
        self.run("telling", TICK_MAX, every(periods::TELLING), move |app| {
            let (instance, answered_at) = (instance.clone(), provider.answered_at());
            async move {
                instance.tell(&app, answered_at).await;
                Ok::<(), sqlx::Error>(())
            }
        });
        let draws = draws.clone();
        self.run("draws", LONG_TICK_MAX, every(periods::DRAW), move |_| {
            let draws = draws.clone();
            async move { draws.run().await }
        });
        let hooks = hooks.clone();
        self.run("webhooks", LONG_TICK_MAX, every(periods::HOOKS), move |app| {
            let hooks = hooks.clone();
            async move { webhooks::deliver_due(&app, &hooks).await }
        });
        if witnesses.are_any() {
            let witnesses = witnesses.clone();
            self.run("witnesses", LONG_TICK_MAX, every(periods::WITNESS), move |app| {
                let witnesses = witnesses.clone();
                async move { witnesses.ask(&app).await }
            });
        }
        let (checkouts, returned, payouts) =
            (checkouts.clone(), checkouts.clone(), checkouts.clone());
        self.run("payouts", LONG_TICK_MAX, every(self.app.config.expiry_period), move |_| {
            let payouts = payouts.clone();
            async move { payouts.send_payouts().await }
        });
        self.run(
            "returned-money",
            LONG_TICK_MAX,
            every(self.app.config.expiry_period),
            move |_| {
                let returned = returned.clone();
                async move { returned.check_returned().await }
            },
        );
        self.run("charges", LONG_TICK_MAX, every(self.app.config.expiry_period), move |_| {
            let checkouts = checkouts.clone();
            async move { checkouts.check_due().await }
        });
        if mailer.smtp().is_some() {
            self.run("turns", TICK_MAX, every(periods::TURNS), |app| async move {
                entry_queue::tell_turns(&app).await
            });
            let mailer = mailer.clone();
            self.run("mails", LONG_TICK_MAX, every(periods::MAIL), move |app| {
                let mailer = mailer.clone();
                async move { mail::send_due(&app, &mailer).await }
            });
        }
    }

    /// Runs `tick` whenever `timer` fires, until all workers are stopped. A failed tick is logged
    /// and the next one still runs.
    fn run<F, E>(
        &mut self,
        name: &'static str,
        tick_max: Duration,
        mut timer: Interval,
        tick: impl Fn(App) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), E>> + Send,
        E: fmt::Display + Send,
    {
        let (app, mut stop) = (self.app.clone(), self.stop.subscribe());
        let progress = self.progress.clone();
        progress.follow(name, tick_max + LATE_MIN.max(timer.period() * LATE_PERIODS));
        let rests_in_setback = RESTING_IN_SETBACK.contains(&name);
        self.tasks.spawn(async move {
            loop {
                let due = tokio::select! {
                    due = timer.tick() => due,
                    _ = stop.wait_for(|stop| *stop) => return,
                };
                if rests_in_setback && app.is_set_back() {
                    progress.finish(name);
                    continue;
                }
                ::metrics::gauge!("stagedoor_worker_lag_seconds", "worker" => name)
                    .set(due.elapsed().as_secs_f64());
                let begun = Instant::now();
                if run_tick(name, tick_max, async { tick(app.clone()).await }).await {
                    progress.finish(name);
                }
                ::metrics::histogram!("stagedoor_worker_tick_duration_seconds", "worker" => name)
                    .record(begun.elapsed().as_secs_f64());
            }
        });
    }

    /// Stops all workers after their current ticks. Dropping this future cuts ticks off: the next
    /// instance goes on with what they left.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

fn every(period: Duration) -> Interval {
    first_then_every(period, period)
}

/// Builds a timer that skips late ticks instead of catching up.
fn first_then_every(first: Duration, period: Duration) -> Interval {
    let mut timer = interval_at(Instant::now() + first, period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Skip);
    timer
}
