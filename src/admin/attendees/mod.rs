//! Attendees of a performance with their seats or places, as a page, a sheet to print and a CSV file.
//!
//! An **attendee** is the holder of a ticket that admits or has admitted; the holder of a ticket that
//! was handed over is its recipient. Read only.
//!
//! # Invariants
//!
//! * Sheet and file carry personal data away, so each is in the audit log before its first row is read.
//! * No page shows a whole ticket code: its last characters tell tickets apart, and open no door.

pub mod pages;
pub mod store;

use serde_json::json;

use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::ScheduleId,
};

/// Form in which the attendees of a performance leave the office.
#[derive(Clone, Copy, Debug, strum::AsRefStr)]
#[strum(serialize_all = "lowercase")]
pub enum Taking {
    /// CSV file.
    File,
    /// Sheet of paper.
    Sheet,
}

/// Records that `by` takes the attendees of a performance away.
pub async fn record(
    app: &App,
    by: AccountId,
    schedule_id: ScheduleId,
    taking: Taking,
) -> Result<(), sqlx::Error> {
    audit::perform(app, async |_| {
        let entry = AuditEntry::new(by, Act::AttendeesTaken, Subject::Schedule, schedule_id);
        Ok(((), entry.after(&json!({ "as": taking.as_ref() }))))
    })
    .await
}
