//! Reminders: mails to receivers whose requests are about to expire.

mod store;

use super::telling;
use crate::infra::postgres::Pool;

/// How long before its end a request is told again, in seconds. One that is not open for longer has
/// no reminder.
pub(super) const REMINDER_SECS: f64 = 86_400.0;
/// Reminders written in one transaction.
const PAGE_ROWS: i64 = 200;
/// Transactions of one tick; the rest is left to the next one.
const PAGES_MAX: usize = 20;

/// Writes the reminders that are due, each once: one tick of a worker. Instances may run it
/// concurrently.
pub(crate) async fn remind_receivers(db: &Pool) -> Result<(), sqlx::Error> {
    for _ in 0..PAGES_MAX {
        let mut tx = db.begin().await?;
        let due = store::take_reminders(&mut tx, PAGE_ROWS).await?;
        let open = store::list_open_among(&mut tx, &due).await?;
        telling::tell_expiring(&mut tx, &open).await?;
        tx.commit().await?;
        if due.len() < usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX) {
            break;
        }
    }
    Ok(())
}
