//! The door: a ticket lets one person in, once.

pub(crate) mod counts;
pub(crate) mod store;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use self::store::ScannedTicket;
use super::{
    error::{Show, TicketError},
    model::{TicketCode, TicketId, TicketStatus},
};
use crate::{
    accounts::AccountId,
    catalog::{self, ScheduleId},
    config::Config,
    infra::postgres::{Connection, Pool},
};

/// A ticket as the door sees it.
#[derive(Clone, Debug, Serialize)]
pub struct CheckIn {
    /// The ticket.
    pub ticket_id: TicketId,
    /// When it let its holder in.
    pub used_at: DateTime<Utc>,
    /// Whose it is.
    pub holder: String,
    /// Section or zone.
    pub section: String,
    /// The row of a seat.
    pub row: Option<String>,
    /// The number of a seat.
    pub number: Option<i32>,
    /// Whether it may still be taken back.
    #[serde(skip)]
    pub is_fresh: bool,
}

/// How many of one section are in.
#[derive(Clone, Debug, Serialize)]
pub struct DoorCount {
    /// Section or zone.
    pub section: String,
    /// Who is in.
    pub inside: i64,
    /// Who may come, all in all.
    pub expected: i64,
}

/// Times around the start of a performance at which its tickets open the door.
#[derive(Clone, Copy, Debug)]
pub struct DoorWindow {
    before: TimeDelta,
    after: TimeDelta,
}

impl DoorWindow {
    /// Window that `config` sets.
    pub fn of(config: &Config) -> Self {
        let minutes = |minutes: std::num::NonZeroU32| TimeDelta::minutes(minutes.get().into());
        Self {
            before: minutes(config.door_opens_before_mins),
            after: minutes(config.door_closes_after_mins),
        }
    }

    /// Refuses a ticket for `show` at a `moment` at which its door is not open.
    fn check(self, show: Show, moment: DateTime<Utc>) -> Result<(), TicketError> {
        let opens_at = show.starts_at - self.before;
        let closed_at = show.starts_at + self.after;
        if moment < opens_at {
            return Err(TicketError::TooEarly { show, opens_at });
        }
        if moment >= closed_at {
            return Err(TicketError::TooLate { show, closed_at });
        }
        Ok(())
    }
}

/// Lets in whoever shows `code` at the performance `schedule_id`, as a step of the
/// caller's transaction. Of many doors that try at once exactly one succeeds: the
/// others wait for the row and then find it used.
pub async fn check_in(
    tx: &mut Connection,
    code: &TicketCode,
    schedule_id: ScheduleId,
    window: DoorWindow,
    by: AccountId,
) -> Result<CheckIn, TicketError> {
    let ticket_id = store::lock_by_code(tx, code).await?.ok_or(TicketError::Unknown)?;
    let shown = store::shown_ticket_of(tx, ticket_id).await?;
    let ScannedTicket { title, starts_at, time_zone, moment, .. } = shown;
    let show = Show { title, starts_at, time_zone };
    match (shown.status, shown.used_at) {
        // First: a ticket of another evening is told so, whatever became of it.
        _ if shown.schedule_id != schedule_id => Err(TicketError::Elsewhere(show)),
        (TicketStatus::Used, Some(used_at)) => Err(TicketError::AlreadyIn { used_at }),
        (TicketStatus::Valid, _) if !shown.is_cancelled => {
            window.check(show, moment)?;
            store::write_used(tx, ticket_id, by).await?;
            let found = store::find_check_in(tx, schedule_id, ticket_id).await?;
            found.ok_or(TicketError::Inconsistent)
        }
        _ => Err(TicketError::Void),
    }
}

/// Takes a check-in of the last minute back, as a step of the caller's transaction: the
/// ticket is valid again, or void where its reservation was refunded meanwhile. What is valid
/// again of a cancelled program is left to be given back. Answers with what it was.
pub async fn undo_check_in(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<CheckIn, TicketError> {
    catalog::reopen_winding_down(tx, schedule_id).await?;
    store::lock(tx, ticket_id).await?;
    // The clock is read after the row is ours.
    let check_in = store::find_check_in(&mut *tx, schedule_id, ticket_id).await?;
    let check_in = check_in.filter(|check_in| check_in.is_fresh).ok_or(TicketError::UndoOver)?;
    store::write_not_used(tx, ticket_id).await?;
    Ok(check_in)
}

/// The check-in of a ticket at one performance, if it was let in.
pub async fn find_check_in(
    db: &Pool,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<Option<CheckIn>, sqlx::Error> {
    store::find_check_in(db, schedule_id, ticket_id).await
}
