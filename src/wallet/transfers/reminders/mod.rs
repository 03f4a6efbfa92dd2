//! Reminders: mails to receivers that are due at a time. The receiver of a planned request gets one
//! at its start, and every receiver one when the request is about to expire.

mod store;

use self::store::OpenRequest;
use super::telling;
use crate::{
    accounts::Email,
    infra::{
        postgres::{Connection, Pool},
        sweep::Sweep,
    },
    text::i18n::Locale,
};

/// How long before the end of a request its receiver is reminded, in seconds. A request that is not
/// open for longer has no reminder.
pub(super) const REMINDER_SECS: f64 = 86_400.0;
/// Bounds of the transactions of one tick, each of which writes some reminders.
const DUE: Sweep = Sweep { rows_max: 200, parts_max: 20 };

/// Writes the mails that are due, each once: one tick of a worker. Instances may run it
/// concurrently. Whether a request has started or ended is up to the clock, and never to this.
pub async fn remind_receivers(db: &Pool) -> Result<(), sqlx::Error> {
    DUE.parts(|rows_max| remind_some(db, rows_max)).await
}

/// Writes the mails of at most `rows_max` reminders; returns how many of them were due.
async fn remind_some(db: &Pool, rows_max: i64) -> Result<usize, sqlx::Error> {
    let mut tx = db.begin().await?;
    let due = store::take_reminders(&mut tx, rows_max).await?;
    let open = store::list_open_among(&mut tx, &due).await?;
    let (started, expiring): (Vec<OpenRequest>, Vec<OpenRequest>) =
        open.into_iter().partition(|request| request.is_starting);
    for request in &started {
        tell_started(&mut tx, request).await?;
    }
    let ids: Vec<_> = started.iter().map(|request| request.transfer_id).collect();
    store::insert_last_reminders(&mut tx, &ids, REMINDER_SECS).await?;
    let expiring: Vec<_> =
        expiring.iter().filter_map(|r| Some((r.transfer_id, r.receiver_id?))).collect();
    telling::tell_expiring(&mut tx, &expiring).await?;
    tx.commit().await?;
    Ok(due.len())
}

/// Writes the mail about a planned request that has started, to its receiver or its address.
async fn tell_started(tx: &mut Connection, request: &OpenRequest) -> Result<(), sqlx::Error> {
    let OpenRequest { transfer_id, sender_id, receiver_id, .. } = *request;
    if let Some(receiver_id) = receiver_id {
        return telling::tell_received(tx, transfer_id, sender_id, receiver_id).await;
    }
    let Some(address) = request.address.as_deref().and_then(Email::parse) else { return Ok(()) };
    let locale = Locale::parse(&request.locale).unwrap_or_default();
    telling::tell_waiting(tx, transfer_id, sender_id, (&address, locale)).await
}
