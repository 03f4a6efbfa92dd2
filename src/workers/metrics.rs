//! Metrics that no request updates: the lengths of the queues, the lock waiters, and the mails.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use crate::{
    admin::overview::store,
    app::App,
    entry_queue::{self, Accuracy},
    outbox,
    web::metrics::{QUEUES_MAX, QueueLength, QueueSeries},
};

/// Upper bound of queues counted, queues with the most queue numbers first.
const QUEUES_COUNTED_MAX: i64 = 1_000;

/// Gauges of queue lengths, for the metrics and for the charts of the admin pages.
#[derive(Clone, Debug, Default)]
pub struct Gauges {
    series: QueueSeries,
    /// Last minute since the epoch whose counts were stored for the charts.
    minute: Arc<AtomicI64>,
}

impl Gauges {
    /// Creates gauges that update `series`.
    pub fn new(series: QueueSeries) -> Self {
        Self { series, minute: Arc::default() }
    }

    /// Counts every running queue, the connections that wait for a lock and, where mails are sent,
    /// the mails; stores the queue lengths once a minute.
    pub async fn set(&self, app: &App) -> Result<(), sqlx::Error> {
        let waiters = store::count_lock_waiters(&app.db).await?;
        metrics::gauge!("stagedoor_db_lock_waiters").set(whole(waiters));
        if app.config.smtp_url.is_some() {
            let mails = outbox::count(&app.db).await?;
            metrics::gauge!("stagedoor_mails", "state" => "waiting").set(whole(mails.waiting));
            metrics::gauge!("stagedoor_mails", "state" => "failed").set(whole(mails.failed));
            metrics::gauge!("stagedoor_mail_oldest_waiting_seconds").set(mails.oldest_waiting_secs);
        }
        self.set_witnessed(app).await?;
        let minute = app.now().timestamp().div_euclid(60);
        let is_new_minute = self.minute.load(Ordering::Relaxed) != minute;
        let mut lengths = Vec::new();
        let queues = store::list_queues(&app.db, app.now(), QUEUES_COUNTED_MAX).await?;
        for (nth, queue) in queues.into_iter().enumerate() {
            let (waiting, inside) = match queue.has_begun {
                true => entry_queue::count_queue(app, queue.program_id).await?,
                false => (0, 0),
            };
            if is_new_minute && (waiting > 0 || nth < QUEUES_MAX) {
                entry_queue::keep_minute(app, queue.program_id, waiting).await?;
            }
            let estimates = match waiting {
                0 => Accuracy::default(),
                _ => entry_queue::accuracy_of(app, queue.program_id).await?,
            };
            let (compared, close) = (estimates.n_compared, estimates.n_close);
            lengths.push(QueueLength { slug: queue.slug, waiting, inside, compared, close });
        }
        self.series.set(lengths);
        self.minute.store(minute, Ordering::Relaxed);
        Ok(())
    }

    /// Sets the gauges of each witness's confirmations.
    async fn set_witnessed(&self, app: &App) -> Result<(), sqlx::Error> {
        for witness in &app.config.witnesses {
            let sum = entry_queue::sum_witnessed(&app.db, witness.key.text()).await?;
            let name = witness.key.name();
            let gauge = |gauge: &'static str, state: &'static str, value: f64| {
                let labels = [("witness", name.to_owned()), ("state", state.to_owned())];
                metrics::gauge!(gauge, &labels).set(value);
            };
            gauge("stagedoor_witness_entries", "cosigned", whole(sum.cosigned));
            gauge("stagedoor_witness_entries", "waiting", whole(sum.waiting));
            gauge("stagedoor_witness_logs", "failing", whole(sum.failing));
            gauge("stagedoor_witness_logs", "refused", whole(sum.refused));
            let labels = [("witness", name.to_owned())];
            metrics::gauge!("stagedoor_witness_failing_seconds", &labels).set(sum.failing_secs);
        }
        Ok(())
    }
}

fn whole(count: i64) -> f64 {
    i32::try_from(count).map_or(f64::MAX, f64::from)
}
