//! Purge of a queue: cancels the waiting tokens of a cancelled program, of a sale that is over, or
//! of a queue that an administrator ends.
//!
//! A program is cancelled by itself or with the last of its performances. Then stays end too, and each
//! account that had a place gets a mail, written in the transaction that ends its token. Accounts with an
//! entry in a draw get it too, from [`entries`].
//!
//! A purge ordered by an administrator is written down, and the end of a sale is stored with the
//! program, so the workers of every instance find both. Tokens are cancelled in batches, each a
//! short transaction of its own: other queues are not held up, and a purge whose instance died is
//! continued by another. An account that joins after the purge began has a higher number than its
//! limit and keeps its place.

pub(crate) mod entries;
pub(crate) mod model;
pub(crate) mod store;

use futures_util::StreamExt;

use self::{
    model::Purge,
    store::{self as rows, Condemned},
};
use super::{draw::store::find_draw, error::QueueError, model::TokenId, projection::project};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    infra::postgres::{Connection, Pool},
    outbox::{self, AccountMail, Message},
};

/// Tokens cancelled in one batch.
const BATCH_MAX: i64 = 1_000;
/// Batches of one program in one tick of the worker.
const BATCHES_MAX: u32 = 10;
/// Programs purged at the same time by one instance.
const PROGRAMS_AT_ONCE: usize = 2;

/// Orders a purge of the queue up to its latest number, in the caller's transaction. The workers
/// carry it out after the commit. Refused while numbers are being drawn.
pub async fn begin_purge(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<Purge>, QueueError> {
    let draw = find_draw(&mut *tx, program_id).await?;
    if draw.is_some_and(|draw| draw.step.is_drawing()) {
        return Err(QueueError::DrawRunning);
    }
    rows::write_begun(tx, program_id).await?;
    Ok(rows::find_purge(tx, program_id).await?)
}

/// Returns the latest purge of a queue and its progress.
pub async fn find_purge(db: &Pool, program_id: ProgramId) -> Result<Option<Purge>, sqlx::Error> {
    rows::find_purge(db, program_id).await
}

/// Purges the queues of programs that were cancelled or whose sale is over, and the queues with a
/// running purge.
pub async fn purge_queues(app: &App) -> Result<(), sqlx::Error> {
    let closed = rows::list_closed_with_queue(&app.db).await?;
    let ordered = rows::list_running(&app.db).await?;
    futures_util::stream::iter(closed.into_iter().chain(ordered))
        .for_each_concurrent(PROGRAMS_AT_ONCE, |condemned| async move {
            if let Err(error) = purge_some(app, condemned).await {
                tracing::warn!(program_id = %condemned.program_id, %error, "a queue was not purged");
            }
        })
        .await;
    Ok(())
}

async fn purge_some(app: &App, condemned: Condemned) -> Result<(), QueueError> {
    for _ in 0..BATCHES_MAX {
        // Rows that other transactions hold locked are theirs to finish, or the next tick's.
        if purge_batch(app, condemned).await? == 0 {
            break;
        }
    }
    if !rows::is_anybody_left(&app.db, condemned.program_id, condemned.up_to).await? {
        rows::write_ended(&app.db, condemned.program_id, condemned.up_to).await?;
    }
    Ok(())
}

/// Cancels the next batch of tokens and returns their number. Held seats are left alone, and admitted
/// accounts unless the program is cancelled.
async fn purge_batch(app: &App, condemned: Condemned) -> Result<usize, QueueError> {
    let mut tx = app.db.begin().await?;
    let taken = rows::cancel_tokens(&mut tx, condemned, BATCH_MAX).await?;
    if condemned.is_cancelled {
        let mails: Vec<AccountMail> = taken.iter().copied().map(cancelled_mail).collect();
        outbox::write_to_accounts(&mut tx, &mails).await?;
    }
    tx.commit().await?;
    let accounts: Vec<AccountId> = taken.iter().map(|(_, account_id)| *account_id).collect();
    project(app, condemned.program_id, &accounts).await;
    Ok(taken.len())
}

/// Returns the mail to an account whose place ended with the program.
fn cancelled_mail((token_id, account_id): (TokenId, AccountId)) -> AccountMail {
    AccountMail {
        account_id,
        message: Message::QueueCancelled { token_id: token_id.0 },
        order_key: format!("turn:{token_id}"),
        dedupe_key: format!("queue-cancelled:{token_id}"),
    }
}
