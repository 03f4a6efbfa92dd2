//! Check-in at the door: a ticket admits one person, once.
//!
//! A **check-in** changes a ticket from `VALID` to `USED`; an **undo** within a minute reverts it.
//! The **door window** limits the time of check-ins around the start of the performance.
//!
//! # Concurrency
//!
//! Concurrent check-ins of a ticket race for its row: the first succeeds, the others wait and are
//! refused with the time of that check-in.

pub(crate) mod counts;
pub(crate) mod model;
pub(crate) mod store;

use chrono::{DateTime, TimeDelta, Utc};

use self::{model::CheckIn, store::ScannedTicket};
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

/// Times around the start of a performance at which its tickets admit.
#[derive(Clone, Copy, Debug)]
pub struct DoorWindow {
    before: TimeDelta,
    after: TimeDelta,
}

impl DoorWindow {
    /// Creates the window that `config` sets.
    pub fn of(config: &Config) -> Self {
        let minutes = |minutes: std::num::NonZeroU32| TimeDelta::minutes(minutes.get().into());
        Self {
            before: minutes(config.door_opens_before_mins),
            after: minutes(config.door_closes_after_mins),
        }
    }

    /// Refuses a ticket for `show` if its door is not open at `moment`.
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

/// Checks in the ticket with `code` at the performance `schedule_id`, inside the caller's
/// transaction. Of concurrent check-ins exactly one succeeds: the others wait for the row and then
/// find the ticket used.
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
        // The performance is checked first, so that a ticket for another one is reported as such,
        // whatever its state.
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

/// Undoes a check-in of the last minute inside the caller's transaction. The ticket becomes valid
/// again, or void if its reservation was refunded meanwhile; for a cancelled program the winding
/// down reopens. Returns the check-in that was undone.
pub async fn undo_check_in(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<CheckIn, TicketError> {
    catalog::reopen_winding_down(tx, schedule_id).await?;
    store::lock(tx, ticket_id).await?;
    // The statement after the lock reads the time after the wait.
    let check_in = store::find_check_in(&mut *tx, schedule_id, ticket_id).await?;
    let check_in = check_in.filter(|check_in| check_in.is_fresh).ok_or(TicketError::UndoOver)?;
    store::write_not_used(tx, ticket_id).await?;
    Ok(check_in)
}

/// Returns the check-in of a ticket at one performance; `None` if it was not checked in.
pub async fn find_check_in(
    db: &Pool,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<Option<CheckIn>, sqlx::Error> {
    store::find_check_in(db, schedule_id, ticket_id).await
}
