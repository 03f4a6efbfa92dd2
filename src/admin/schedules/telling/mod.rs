//! Mails about a performance that begins at another moment, or is shown at another hour.
//!
//! # Invariants
//!
//! * The mails are written in the transaction that moves the performance, before its move: each account that has
//!   a part in it, or waits for one, gets one mail for each move, and the mails to one account are sent in the order
//!   of the moves.
//! * A hold or wish that is written meanwhile is either told of the move, or waits for it. The right to all of the
//!   money rests on the move alone, so an order that was begun on the old start has it too.
//! * The move of a performance that is cancelled or of a draft, or from one moment of the past to another, is told
//!   to no account and gives no right.

mod store;

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub(crate) use self::store::{Concerned, count as count_concerned};

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ScheduleMove, ToldMove},
    infra::{ids::new_id, postgres::Connection},
    outbox::{self, Message, SharedKeys},
};

/// Start of a performance as people were told it, and the zone of the clock on which it was shown.
#[derive(Clone, Copy, Debug)]
pub(in crate::admin) struct ShownStart<'a> {
    pub(in crate::admin) at: DateTime<Utc>,
    pub(in crate::admin) zone: &'a str,
}

/// Writes the mails about the move of a locked performance to `starts_at`, and returns the move to make.
pub(in crate::admin) async fn tell_move(
    tx: &mut Connection,
    id: ScheduleId,
    was: ShownStart<'_>,
    starts_at: DateTime<Utc>,
    words: Option<&str>,
) -> Result<ScheduleMove, sqlx::Error> {
    if starts_at == was.at {
        return Ok(ScheduleMove { starts_at, told: None });
    }
    let told = ToldMove { id: new_id(), words: words.map(str::to_owned) };
    let event = format!("performance-moved:{}", told.id);
    let is_live = tell(tx, id, was, starts_at, (Some(told.id), event)).await?;
    Ok(ScheduleMove { starts_at, told: is_live.then_some(told) })
}

/// Writes the mails about a locked performance that keeps its moment and is shown on another clock, of edition
/// `venue_version` of its venue.
pub(in crate::admin) async fn tell_shown(
    tx: &mut Connection,
    id: ScheduleId,
    was: ShownStart<'_>,
    venue_version: i64,
) -> Result<(), sqlx::Error> {
    let event = format!("performance-moved:{id}:{venue_version}");
    tell(tx, id, was, was.at, (None, event)).await.map(drop)
}

/// Writes the mails of one event; returns whether it can concern any account.
async fn tell(
    tx: &mut Connection,
    id: ScheduleId,
    was: ShownStart<'_>,
    starts_at: DateTime<Utc>,
    (move_id, event): (Option<Uuid>, String),
) -> Result<bool, sqlx::Error> {
    if !store::lock(tx, id, starts_at).await? {
        return Ok(false);
    }
    let accounts = store::list(tx, id).await?;
    let keys =
        SharedKeys { order_key: format!("performance:{id}:"), dedupe_key: format!("{event}:") };
    for is_waiting in [false, true] {
        let told = accounts.iter().filter(|account| account.has_part != is_waiting);
        let told: Vec<AccountId> = told.map(|account| account.id).collect();
        let message = Message::PerformanceMoved {
            schedule_id: id.0,
            was: was.at,
            was_zone: was.zone.to_owned(),
            move_id,
            is_waiting,
        };
        outbox::write_to_all(tx, &told, &message, &keys).await?;
    }
    Ok(true)
}
