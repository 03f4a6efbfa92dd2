//! Metrics that no request updates: the lengths of the queues and the lock waiters.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use crate::{
    admin::overview::store,
    app::App,
    entry_queue,
    web::metrics::{LINES_MAX, LineLength, LineSeries},
};

/// Upper bound of queues counted, those with the most queue numbers first.
const LINES_COUNTED_MAX: i64 = 1_000;

/// Gauges of queue lengths, for the metrics and for the charts of the management pages.
#[derive(Clone, Debug, Default)]
pub struct Gauges {
    series: LineSeries,
    /// Last minute since the epoch whose counts were stored for the charts.
    minute: Arc<AtomicI64>,
}

impl Gauges {
    /// Creates gauges that update `series`.
    pub fn new(series: LineSeries) -> Self {
        Self { series, minute: Arc::default() }
    }

    /// Counts every running queue and the connections that wait for a lock; stores the queue
    /// lengths once a minute.
    pub async fn set(&self, app: &App) -> Result<(), sqlx::Error> {
        let waiters = store::count_lock_waiters(&app.db).await?;
        metrics::gauge!("stagedoor_db_lock_waiters").set(whole(waiters));
        let minute = app.now().timestamp().div_euclid(60);
        let is_new_minute = self.minute.load(Ordering::Relaxed) != minute;
        let mut lengths = Vec::new();
        let lines = store::list_lines(&app.db, app.now(), LINES_COUNTED_MAX).await?;
        for (nth, line) in lines.into_iter().enumerate() {
            let (waiting, inside) = match line.has_begun {
                true => entry_queue::count_line(app, line.program_id).await?,
                false => (0, 0),
            };
            if is_new_minute && (waiting > 0 || nth < LINES_MAX) {
                entry_queue::keep_minute(app, line.program_id, waiting).await?;
            }
            lengths.push(LineLength { slug: line.slug, waiting, inside });
        }
        self.series.set(lengths);
        self.minute.store(minute, Ordering::Relaxed);
        Ok(())
    }
}

fn whole(count: i64) -> f64 {
    i32::try_from(count).map_or(f64::MAX, f64::from)
}
