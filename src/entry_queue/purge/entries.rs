//! Mails to accounts with an entry in a draw whose program was cancelled before it gave numbers.
//!
//! An entry stays in the public list, so its draw keeps how far its entries have their mails. The mails
//! of a batch and that note are one transaction, under the lock of the joins: no entry is made meanwhile
//! that the note would pass over.

use super::{
    BATCH_MAX, BATCHES_MAX, cancelled_mail,
    store::{self as rows, UntoldEntry},
};
use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue::join::store::lock_next_number,
    outbox::{self, AccountMail},
};

/// Writes the mails of the entries in draws of cancelled programs. An error of one draw is logged and
/// stops no other.
pub async fn tell_entries(app: &App) -> Result<(), sqlx::Error> {
    rows::forget_told_of_reopened(&app.db).await?;
    for program_id in rows::list_untold_draws(&app.db).await? {
        if let Err(error) = tell_some(app, program_id).await {
            tracing::warn!(%program_id, %error, "entries are told later");
        }
    }
    Ok(())
}

async fn tell_some(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    for _ in 0..BATCHES_MAX {
        if !tell_batch(app, program_id).await? {
            break;
        }
    }
    Ok(())
}

/// Writes the mails of the next entries. Returns whether there were any.
async fn tell_batch(app: &App, program_id: ProgramId) -> Result<bool, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    lock_next_number(&mut tx, program_id).await?;
    let untold = rows::list_untold(&mut tx, program_id, BATCH_MAX).await?;
    let Some(last) = untold.last() else { return Ok(false) };
    rows::write_told(&mut tx, program_id, &last.commitment).await?;
    let mail = |entry: &UntoldEntry| cancelled_mail((entry.id, entry.account_id));
    let mails: Vec<AccountMail> = untold.iter().map(mail).collect();
    outbox::write_to_accounts(&mut tx, &mails).await?;
    tx.commit().await?;
    Ok(true)
}
