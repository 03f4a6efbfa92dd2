//! Letters that the office writes to the people who hold tickets of a show.
//!
//! A **letter** has a subject and words in some languages, and an **audience**: the holders of valid or used tickets of
//! performances, of a section, of a price type, or only those who have not come yet. It is drafted, looked at, tested
//! by a mail to oneself, and **released** for a moment; then the workers write its mails. A **reminder** is a letter
//! that no one types: the workers release it some hours before a performance, and it tells each reader the own seats.
//!
//! # Invariants
//!
//! * Nothing is sent before the release, and a released letter never changes.
//! * Each account that belongs to the audience gets one mail at most, in its language or else in the first that the
//!   letter has.
//! * The section and the price type are the ones that the names meant when the letter was drafted.
//! * A performance has one reminder of each start: a moved one is told of anew. A reminder that comes too late, after
//!   a move, a cancellation or the beginning, is not sent.
//! * A stopped letter writes no further mail, and mails of it that are not sent yet are given up.
//! * An account that declined such letters gets only necessary ones.
//!
//! # Concurrency
//!
//! Workers of every instance race for the row of a letter, which they skip where another one has it. A part of the
//! audience is written in one transaction with the account that it ends at, so a process that dies leaves nothing
//! twice and nothing out. Accounts that become holders while the letter is written may be left out.

pub mod model;
pub mod pages;
mod store;

use chrono::{DateTime, Utc};
use serde_json::json;

use self::{
    model::{Audience, LetterDraft, OfficeLetter, OfficeLetterId},
    store::DueLetter,
};
use super::error::AdminError;
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::ProgramId,
    events::{self, EventKind, NewEvent},
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
        throwaway,
    },
    outbox::{self, AccountMail, Message, SharedKeys},
};

/// Reminders that one tick releases.
const REMINDERS_MAX: i64 = 100;
/// Accounts that one transaction writes to.
const PART_ACCOUNTS: i64 = 1_000;
/// Parts of one tick.
const PARTS_MAX: usize = 20;

/// Drafts a letter and returns its id.
async fn draft(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    (draft, audience): (&LetterDraft, &Audience),
) -> Result<OfficeLetterId, AdminError> {
    let id = OfficeLetterId(new_id());
    audit::perform(app, async |tx| {
        store::insert(tx, id, program_id, (draft, audience)).await?;
        let entry = AuditEntry::new(by, Act::LetterDrafted, Subject::Program, program_id);
        Ok::<_, AdminError>((id, entry.after(draft)))
    })
    .await
}

/// Sends a letter to the administrator alone, whatever its state; a reminder, which tells each reader the own seats,
/// cannot be tried.
async fn test(app: &App, by: AccountId, letter: &OfficeLetter) -> Result<(), AdminError> {
    if letter.reminds_of.is_some() {
        return Err(AdminError::LetterSettled(letter.id));
    }
    audit::perform(app, async |tx| {
        let mail = AccountMail {
            account_id: by,
            message: Message::OfficeLetter {
                letter_id: letter.id.0,
                is_necessary: letter.is_necessary,
                is_test: true,
            },
            order_key: format!("office-letter:{}:{by}", letter.id),
            dedupe_key: format!("office-letter-test:{}", new_id()),
        };
        outbox::write_to_accounts(tx, &[mail]).await?;
        Ok::<_, AdminError>(((), entry_of(by, Act::LetterTested, letter)))
    })
    .await
}

/// Has a draft written from `send_at` on; `None`: at once.
async fn release(
    app: &App,
    by: AccountId,
    letter: &OfficeLetter,
    send_at: Option<DateTime<Utc>>,
) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        if !store::write_planned(tx, letter.id, send_at).await? {
            return Err(AdminError::LetterSettled(letter.id));
        }
        let payload = json!({
            "letter_id": letter.id, "program_id": letter.program_id, "send_at": send_at,
            "is_necessary": letter.is_necessary,
        });
        let (kind, subject_id) = (EventKind::LetterReleased, letter.program_id.0);
        events::write(tx, &NewEvent { kind, subject_id, payload }).await?;
        Ok(((), entry_of(by, Act::LetterReleased, letter)))
    })
    .await
}

/// Stops a letter that is released, or puts a draft away.
async fn stop(app: &App, by: AccountId, letter: &OfficeLetter) -> Result<(), AdminError> {
    audit::perform(app, async |tx| match store::write_stopped(tx, letter.id).await? {
        true => Ok(((), entry_of(by, Act::LetterStopped, letter))),
        false => Err(AdminError::LetterSettled(letter.id)),
    })
    .await
}

fn entry_of(by: AccountId, act: Act, letter: &OfficeLetter) -> AuditEntry {
    AuditEntry::new(by, act, Subject::Program, letter.program_id).after(letter)
}

/// Sets how many hours before its performances the holders of a program's tickets are reminded; `None`: not at all.
async fn set_hours_before(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    hours_before: Option<i16>,
) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        store::write_hours_before(tx, program_id, hours_before).await?;
        let entry = AuditEntry::new(by, Act::ReminderSet, Subject::Program, program_id);
        Ok::<_, AdminError>(((), entry.after(&json!({ "hours_before": hours_before }))))
    })
    .await
}

/// Releases the reminders of performances that are near, and writes the mails of the letters that are due, a bounded
/// number of both; one tick of a worker.
pub async fn write_due(db: &Pool) -> Result<(), sqlx::Error> {
    for near in store::list_near(db, REMINDERS_MAX).await? {
        if !throwaway::is_marked(near.program_id.0) {
            store::insert_reminder(db, OfficeLetterId(new_id()), near).await?;
        }
    }
    // A letter that fails is left for the next tick, and keeps no other back.
    let (mut failed, mut failure) = (Vec::new(), None);
    for _ in 0..PARTS_MAX {
        let mut tx = db.begin().await?;
        let Some(due) = store::lock_due(&mut tx, &failed).await? else { break };
        match write_part(&mut tx, &due).await {
            Ok(()) => tx.commit().await?,
            Err(error) => {
                tracing::warn!(letter = %due.id, %error, "the mails of a letter are not written yet");
                tx.rollback().await?;
                failed.push(due.id);
                failure = Some(error);
            }
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Writes the next mails of a locked letter.
async fn write_part(tx: &mut Connection, due: &DueLetter) -> Result<(), sqlx::Error> {
    let accounts =
        store::list_audience(&mut *tx, due.id, due.last_account_id, PART_ACCOUNTS).await?;
    let (letter_id, is_necessary) = (due.id.0, due.is_necessary);
    let message = match due.reminder {
        Some((schedule_id, starts_at)) => {
            Message::Reminder { letter_id, schedule_id: schedule_id.0, starts_at }
        }
        None => Message::OfficeLetter { letter_id, is_necessary, is_test: false },
    };
    let keys = SharedKeys {
        order_key: format!("office-letter:{}:", due.id),
        dedupe_key: format!("office-letter:{}:", due.id),
    };
    outbox::write_to_all(tx, &accounts, &message, &keys).await?;
    let n_accounts = i64::try_from(accounts.len()).unwrap_or(PART_ACCOUNTS);
    let last = (n_accounts == PART_ACCOUNTS).then(|| accounts.last().copied()).flatten();
    store::write_progress(tx, due.id, n_accounts, last).await
}
