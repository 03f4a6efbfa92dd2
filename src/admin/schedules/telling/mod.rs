//! Mails about a performance that changes after it was sold: its start, the hour at which it is shown, other parts of
//! its tickets, its end (`cancelled`), the prices of places with wishes (`repriced`), and sections with wishes that
//! are hidden (`hidden`).
//!
//! # Invariants
//!
//! * The mails are written in the transaction of the change: each account that has a part in the performance, or
//!   waits for one, gets one mail for each change, and the mails to one account are sent in the order of the
//!   changes.
//! * A hold or wish that is written meanwhile is either told of the change, or waits for it. The right to all of the
//!   money rests on the change alone, so an order that was begun on the old start or place has it too.
//! * The change of a performance that is cancelled or of a draft, or from one moment of the past to another, is told
//!   to no account and gives no right.
//! * No mail names a part that stays as it was.
//! * The line of a show gets no mails: what changes is announced on its pages, in the same transaction.

mod cancelled;
mod hidden;
mod lines;
mod model;
mod public_events;
mod repriced;
mod store;

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub(in crate::admin) use self::cancelled::tell_cancelled;
pub(in crate::admin) use self::hidden::tell_hidden;
pub(in crate::admin) use self::lines::{LineNews, tell_lines};
pub(in crate::admin) use self::model::{ShownStart, Told};
pub(in crate::admin) use self::repriced::{tell_prices, tell_zone_price};
pub(in crate::admin) use self::store::lock as lock_told;
pub(crate) use self::store::{Concerned, Whose, count as count_concerned};

use crate::{
    accounts::AccountId,
    catalog::{self, NewChanges, ProgramId, ScheduleId, ScheduleMove, ToldMove},
    infra::{ids::new_id, postgres::Connection},
    outbox::{self, Message, NewMail, SharedKeys},
    tickets,
};

/// One event that mails tell.
struct Event<'a> {
    id: ScheduleId,
    /// Start as it was shown; `None` where the changes say all.
    was: Option<ShownStart<'a>>,
    /// Start after it; `None`: the one that the performance has.
    starts_at: Option<DateTime<Utc>>,
    /// Move that gives a right to a full refund.
    move_id: Option<Uuid>,
    key: String,
}

/// Writes the mails about the move of a locked performance to `starts_at`, and returns the move to make.
pub(in crate::admin) async fn tell_move(
    tx: &mut Connection,
    id: ScheduleId,
    was: ShownStart<'_>,
    starts_at: DateTime<Utc>,
    told: &Told,
) -> Result<ScheduleMove, sqlx::Error> {
    if starts_at == was.at {
        return Ok(ScheduleMove { starts_at, told: None });
    }
    let new = ToldMove { id: new_id(), words: told.words.clone() };
    let key = format!("performance-moved:{}", new.id);
    let (was, starts_at_after) = (Some(was), Some(starts_at));
    let event = Event { id, was, starts_at: starts_at_after, move_id: Some(new.id), key };
    let is_live = tell(tx, &event, told).await?;
    Ok(ScheduleMove { starts_at, told: is_live.then_some(new) })
}

/// Writes the mails about a locked performance that keeps its moment: it is shown on another clock than it
/// `was`, or only the parts in `told` change. Returns whether any account can be concerned.
pub(in crate::admin) async fn tell_change(
    tx: &mut Connection,
    id: ScheduleId,
    was: Option<ShownStart<'_>>,
    told: &Told,
) -> Result<bool, sqlx::Error> {
    if was.is_none() && told.changes.is_empty() {
        return Ok(false);
    }
    let move_id = (told.is_elsewhere && !told.changes.is_empty()).then(new_id);
    let key = format!("performance-changed:{}", new_id());
    let is_told = tell(tx, &Event { id, was, starts_at: None, move_id, key }, told).await?;
    if let Some(move_id) = move_id.filter(|_| is_told) {
        catalog::write_elsewhere(tx, id, move_id, &told.words, told.places()).await?;
    }
    Ok(is_told)
}

/// Writes the mails about a change of a locked program for each of its performances that is still to come, and announces
/// it to its line. Returns whether any account can be concerned.
pub(in crate::admin) async fn tell_program(
    tx: &mut Connection,
    id: ProgramId,
    told: &Told,
) -> Result<bool, sqlx::Error> {
    if told.changes.is_empty() {
        return Ok(false);
    }
    let locked = catalog::lock_schedules_of_program(tx, id.0).await?;
    let mut changed = Vec::new();
    for schedule_id in store::list_coming(tx, &locked).await? {
        if tell_change(tx, schedule_id, None, told).await? {
            changed.push(schedule_id);
        }
    }
    tell_lines(tx, &changed, &LineNews::changed(told)).await?;
    Ok(!changed.is_empty())
}

/// Writes the mails of one event and records its changes; returns whether it can concern any account.
async fn tell(tx: &mut Connection, event: &Event<'_>, told: &Told) -> Result<bool, sqlx::Error> {
    let id = event.id;
    if !store::lock(tx, id, event.starts_at).await? {
        return Ok(false);
    }
    let accounts = store::list(tx, id, told.places()).await?;
    let keys = SharedKeys {
        order_key: format!("performance:{id}:"),
        dedupe_key: format!("{}:", event.key),
    };
    for is_waiting in [false, true] {
        let mails_to = accounts.iter().filter(|account| account.has_part != is_waiting);
        let mails_to: Vec<AccountId> = mails_to.map(|account| account.id).collect();
        let message = message(event, told, is_waiting);
        outbox::write_to_all(tx, &mails_to, &message, &keys).await?;
    }
    let offers = tickets::list_unclaimed(tx, id, told.places()).await?;
    let mails = offers.into_iter().map(|offer| NewMail {
        message: message(event, told, false),
        secret: None,
        recipient: offer.address,
        locale: offer.locale,
        order_key: format!("hand-over:{}", offer.id),
        dedupe_key: format!("{}:{}", event.key, offer.id),
    });
    outbox::write_all(tx, &mails.collect::<Vec<_>>()).await?;
    let Told { changes, words, .. } = told;
    if !changes.is_empty() {
        let (zone_id, seat_ids) = told.places();
        let new = NewChanges { changes, zone_id, seat_ids, words };
        catalog::write_changed(tx, id, new).await?;
    }
    Ok(true)
}

fn message(event: &Event<'_>, told: &Told, is_waiting: bool) -> Message {
    let (schedule_id, move_id) = (event.id.0, event.move_id);
    let (changes, words) = (told.changes.clone(), told.words.clone());
    match event.was {
        Some(ShownStart { at: was, zone }) => Message::PerformanceMoved {
            schedule_id,
            was,
            was_zone: zone.to_owned(),
            move_id,
            is_waiting,
            changes,
            words,
        },
        None => Message::PerformanceChanged { schedule_id, changes, words, move_id, is_waiting },
    }
}
