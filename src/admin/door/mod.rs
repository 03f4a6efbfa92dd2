//! Check-ins at the door, recorded in the audit log.
//!
//! A **check-in** marks a ticket as used at a performance; an **evening** is a performance
//! whose door can be open. The rules of tickets are those of `crate::tickets`.
//!
//! # Concurrency
//!
//! Two scans of one ticket race in `tickets::check_in`; the loser is refused. A check-in and
//! its act are one transaction.

pub(crate) mod pages;
pub(crate) mod store;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::ScheduleId,
    tickets::{self, CheckIn, DoorWindow, TicketCode, TicketId},
};

/// Checks in the ticket with `code`.
pub(crate) async fn check_in(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    code: &TicketCode,
) -> Result<CheckIn, AdminError> {
    let mut tx = app.db.begin().await?;
    let check_in =
        tickets::check_in(&mut tx, code, schedule_id, DoorWindow::of(&app.config), by).await?;
    let entry = AuditEntry::new(by, Act::CheckedIn, Subject::Ticket, check_in.ticket_id.0);
    audit::record(&mut tx, &entry.after(&check_in)).await?;
    tx.commit().await?;
    metrics::counter!("stagedoor_check_ins_total").increment(1);
    Ok(check_in)
}

/// Undoes a check-in of the last minute and returns it.
pub(crate) async fn undo(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<CheckIn, AdminError> {
    let mut tx = app.db.begin().await?;
    let undone = tickets::undo_check_in(&mut tx, schedule_id, ticket_id).await?;
    let entry = AuditEntry::new(by, Act::CheckInUndone, Subject::Ticket, ticket_id.0);
    audit::record(&mut tx, &entry.before(&undone)).await?;
    tx.commit().await?;
    Ok(undone)
}
