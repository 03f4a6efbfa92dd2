//! Check-in at the door: a ticket admits one person, once.
//!
//! A **check-in** changes a ticket from `VALID` to `USED`; an **undo** within a minute reverts it.
//! The door finds a **guest** by name, without the ticket. It then sees the seat and whether the
//! guest is in, but never the code, so a name alone admits no guest. The **door window** limits the
//! time of check-ins around the start of the performance.
//!
//! # Concurrency
//!
//! Concurrent check-ins of a ticket race for its row: the first succeeds, the others wait and are
//! refused with the time of that check-in. A check-in and its act in the audit log are one
//! transaction, which also ends a pending hand-over of the ticket. A ticket on return is locked
//! after its seat or zone: the scan ends the return, and with it the buyer's hold, or finds the
//! place sold. A scan of the old code that waited for an accepted hand-over is refused because the
//! code was replaced.

pub mod counts;
pub mod model;
pub mod pages;
pub mod store;

use chrono::{DateTime, Utc};
use serde_json::json;

use self::{
    model::{CheckIn, Guest, GuestSearch},
    store::ScannedTicket,
};
use super::{
    error::{Show, TicketError},
    gone_holders,
    hand_over::{self, model::HandOverStatus},
    model::{TicketCode, TicketId, TicketStatus},
    store as tickets,
};
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{self, ScheduleId},
    config::Config,
    infra::postgres::{Connection, page::Page, retry_stale},
    reservation::{
        self,
        returns::{self, LockedReturns, model::ReturnStatus},
    },
};

/// Refuses a ticket for `show` if its door is not open at `moment`.
fn check_door(config: &Config, show: Show, moment: DateTime<Utc>) -> Result<(), TicketError> {
    let opens_at = config.door_opens_at(show.starts_at);
    let closed_at = config.door_closes_at(show.starts_at);
    if moment < opens_at {
        return Err(TicketError::TooEarly { show, opens_at });
    }
    if moment >= closed_at {
        return Err(TicketError::TooLate { show, closed_at });
    }
    Ok(())
}

/// Checks in the ticket with `code` at the performance `schedule_id`, and records the act.
async fn check_in(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    code: &TicketCode,
) -> Result<CheckIn, TicketError> {
    let check_in = match check_in_once(app, by, schedule_id, code, false).await {
        // The seat or zone of a return is locked before its ticket, so the scan begins again.
        Err(TicketError::OnReturn) => {
            let checked_in = retry_stale(|_| check_in_once(app, by, schedule_id, code, true));
            let checked_in = checked_in.await?;
            reservation::announce(app, schedule_id);
            checked_in
        }
        checked_in => checked_in?,
    };
    metrics::counter!("stagedoor_check_ins_total").increment(1);
    Ok(check_in)
}

/// Makes one attempt at a check-in; `ends_return` also ends the open return of the ticket.
async fn check_in_once(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    code: &TicketCode,
    ends_return: bool,
) -> Result<CheckIn, TicketError> {
    audit::perform(app, async |tx| {
        let open = match ends_return {
            true => store::find_open_return(tx, code).await?,
            false => None,
        };
        let returns = match open {
            Some(id) => Some(returns::lock_for_ending(tx, &[id]).await?),
            None => None,
        };
        let check_in = use_ticket(tx, code, schedule_id, &app.config, by, returns.as_ref()).await?;
        let entry = AuditEntry::new(by, Act::CheckedIn, Subject::Ticket, check_in.ticket_id.0);
        let entry = entry.after(&check_in);
        Ok::<_, TicketError>((check_in, entry))
    })
    .await
}

/// Uses the ticket with `code`, and ends the return in `locked`. Of concurrent check-ins exactly
/// one succeeds: the others wait for the row and then find the ticket used.
async fn use_ticket(
    tx: &mut Connection,
    code: &TicketCode,
    schedule_id: ScheduleId,
    config: &Config,
    by: AccountId,
    locked: Option<&LockedReturns>,
) -> Result<CheckIn, TicketError> {
    let Some(ticket_id) = tickets::lock_by_code(tx, code).await? else {
        // Also a code that became void while this scan waited for its ticket.
        return Err(match hand_over::store::views::find_replacement(tx, code).await? {
            Some(_) => TicketError::Replaced,
            None => TicketError::Unknown,
        });
    };
    let shown = store::shown_ticket_of(tx, ticket_id).await?;
    let ScannedTicket { title, starts_at, time_zone, moment, .. } = shown;
    let show = Show { title, starts_at, time_zone };
    match (shown.status, shown.used_at) {
        // The performance is checked first, so that a ticket for another one is reported as such in
        // any state.
        _ if shown.schedule_id != schedule_id => Err(TicketError::Elsewhere(show)),
        (TicketStatus::Used, Some(used_at)) => Err(TicketError::AlreadyIn { show, used_at }),
        (TicketStatus::Valid, _) if !shown.is_cancelled => {
            check_door(config, show, moment)?;
            match (shown.return_id, locked) {
                (None, _) => {}
                (Some(id), Some(returns)) if returns.has(id) => {
                    returns::end(tx, returns, ReturnStatus::Admitted).await?;
                }
                (Some(_), _) => return Err(TicketError::OnReturn),
            }
            store::write_used(tx, ticket_id, by).await?;
            if shown.is_offered {
                hand_over::end(tx, &[ticket_id], HandOverStatus::Admitted).await?;
            }
            let found = store::find_check_in(tx, schedule_id, ticket_id).await?;
            found.ok_or(TicketError::Inconsistent)
        }
        _ if shown.is_sold => Err(TicketError::Resold),
        _ => Err(TicketError::Void),
    }
}

/// Undoes a check-in of the last minute and records the act. The ticket becomes valid again, or
/// void if its reservation was refunded or its holder's account deleted meanwhile; for a cancelled
/// program the winding down reopens. Returns the undone check-in, and the
/// ticket's new status.
async fn undo(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<(CheckIn, TicketStatus), TicketError> {
    audit::perform(app, async |tx| {
        catalog::reopen_winding_down(tx, schedule_id).await?;
        tickets::lock(tx, ticket_id).await?;
        // The statement after the lock reads the time after the wait.
        let check_in = store::find_check_in(&mut *tx, schedule_id, ticket_id).await?;
        let undone = check_in.filter(|check_in| check_in.is_fresh).ok_or(TicketError::UndoOver)?;
        // A deletion of the account waits for this lock, or the next statement sees it.
        gone_holders::lock_holders(tx, &[ticket_id]).await?;
        let status =
            store::write_not_used(tx, ticket_id).await?.ok_or(TicketError::Inconsistent)?;
        let entry = AuditEntry::new(by, Act::CheckInUndone, Subject::Ticket, ticket_id.0);
        let entry = entry.before(&undone);
        Ok(((undone, status), entry))
    })
    .await
}

/// Finds guests of the performance `schedule_id`, and records the search in the audit log.
async fn search(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    wanted: &GuestSearch,
) -> Result<Page<Guest>, sqlx::Error> {
    audit::perform(app, async |tx| {
        let rows = store::list_guests(tx, schedule_id, wanted).await?;
        let found = Page::cut(rows, |guest| guest.ticket_id.0);
        let entry = AuditEntry::new(by, Act::GuestsSearched, Subject::Schedule, schedule_id);
        let entry = entry.after(&json!({ "search": wanted.text, "found": found.rows.len() }));
        Ok((found, entry))
    })
    .await
}
