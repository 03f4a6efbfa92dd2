//! Notices by mail that a person's turn is near, requested on the waiting page.
//!
//! A **notice** belongs to one token and is **pending** until it ends: with the mail, or because the
//! token is gone. A token is **near** when its estimated wait is at most [`NEAR_SECS`] by the lower
//! bound, or at most [`FEW_AHEAD`] accounts are ahead, in the queue or at an access gate that may admit it.
//!
//! # Invariants
//!
//! * A token gets at most one mail (`turn_notices_pkey`, and the event's key in the outbox), and not before
//!   it is near. One that was admitted or parked without having been near gets the mail that its turn has
//!   come: the letter says what holds when the mail is sent (`mail/letter/turn.rs`).
//! * No mail is written about a token that is gone, about a queue that is paused or whose sale is not open,
//!   or in a rehearsal. About an open access gate mails are written also before the sale opens.
//! * The mail is written in the transaction that ends the notice, so a crash loses and repeats none.
//!
//! # Concurrency
//!
//! Instances race for pending notices and skip notices that another one has locked. Taking a notice back
//! waits for the transaction that has it locked, and finds it ended if the mail was written. No token is
//! locked, because admission stops at the first locked token.

pub mod pages;
mod store;

use super::{
    error::QueueError,
    estimate::{MovingQueue, Speed, Wait, measure},
    model::{QueueNumber, TokenId, TokenStatus},
    status::StatusReport,
};
use crate::{
    accounts::{AccountId, mail_choices},
    app::App,
    catalog::Program,
    infra::{postgres::Connection, sweep::Sweep, throwaway},
    outbox::{self, AccountMail, Message},
};

/// Estimated wait at which a turn is near, in seconds: ten minutes, to come back to a screen.
const NEAR_SECS: u64 = 600;
/// Accounts ahead at which a turn is near, however slow the queue is or seems to be.
const FEW_AHEAD: u64 = 20;
/// Tokens at an access gate whose turn is near there, besides the tokens that it has room for.
pub(super) const FEW_AHEAD_AT_GATES: usize = 21;
/// Most accounts ahead at which a turn is near: in a faster queue the mails come later, and a look at the
/// queue reads no more of it.
const NEAR_AHEAD_MAX: u64 = 10_000;
/// Bounds of the transactions of one queue, each of which ends some notices.
const NEAR: Sweep = Sweep { rows_max: 200, parts_max: 20 };

/// State of a notice on the waiting page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeOffer {
    /// The person can ask for one.
    Offered,
    /// The person asked for one, which is still to come.
    Pending,
    /// Nothing: no mail can be sent, the turn is near, or the notice has ended.
    Hidden,
}

/// Whether a notice could be sent to the account: mails are sent, and it is no account of a rehearsal.
fn can_tell(app: &App, account_id: AccountId) -> bool {
    app.config.smtp_url.is_some() && !throwaway::is_marked(account_id.0)
}

/// Returns the state of the notice for the page of a waiting account. Where that cannot be read, the page
/// says nothing.
pub async fn offer(
    app: &App,
    account_id: AccountId,
    program: &Program,
    status: &StatusReport,
) -> NoticeOffer {
    if status.state.status != TokenStatus::Waiting || !can_tell(app, account_id) {
        return NoticeOffer::Hidden;
    }
    let is_far = status.state.ahead.is_some_and(|ahead| !is_near(ahead, status.wait));
    match store::find_pending(&app.db, program.id, account_id).await {
        Ok(Some(true)) => NoticeOffer::Pending,
        Ok(None) if is_far => NoticeOffer::Offered,
        Ok(_) => NoticeOffer::Hidden,
        Err(error) => {
            tracing::debug!(%error, "the waiting page says nothing of a notice");
            NoticeOffer::Hidden
        }
    }
}

/// Asks for the notice of the account's waiting token, and turns such mails on if they were declined;
/// a second request changes nothing. Returns `false` where no mail can be sent.
pub async fn ask(app: &App, account_id: AccountId, program: &Program) -> Result<bool, QueueError> {
    if !can_tell(app, account_id) {
        return Ok(false);
    }
    let mut tx = app.db.begin().await?;
    if !store::insert(&mut tx, program.id, account_id).await? {
        tx.rollback().await?;
        return Err(QueueError::no_token(program));
    }
    mail_choices::want_turn_mails(&mut tx, account_id).await?;
    tx.commit().await?;
    Ok(true)
}

/// Deletes a pending notice; returns whether there was one. No mail follows.
pub async fn withdraw(
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<bool, QueueError> {
    Ok(store::delete_pending(&app.db, program.id, account_id).await?)
}

/// Writes the mails for pending notices whose turn is near: one tick of a worker. Instances may run it
/// concurrently. An error of one queue is logged and stops no other.
pub async fn tell_turns(app: &App) -> Result<(), sqlx::Error> {
    for queue in store::list_noticed(&app.db).await? {
        let program_id = queue.program_id;
        if let Err(error) = tell_queue(app, queue).await {
            tracing::warn!(%program_id, %error, "nobody was told that their turn is near");
        }
    }
    Ok(())
}

async fn tell_queue(app: &App, queue: MovingQueue) -> Result<(), sqlx::Error> {
    let program_id = queue.program_id;
    let speed = measure(app, queue).await?;
    let n_ahead = i64::try_from(near_ahead(speed)).unwrap_or(i64::MAX);
    let number = store::find_number_behind(&app.db, program_id, n_ahead).await?;
    // Where no account waits beyond that number, every notice is near.
    let up_to = number.unwrap_or(QueueNumber(i64::MAX));
    NEAR.parts(|rows_max| async move {
        let mut tx = app.db.begin().await?;
        let ended = store::take_near(&mut tx, program_id, up_to, rows_max).await?;
        let n_told = tell(&mut tx, &ended).await?;
        tx.commit().await?;
        metrics::counter!("stagedoor_turn_notices_total")
            .increment(u64::try_from(n_told).unwrap_or(0));
        Ok(ended.len())
    })
    .await
}

/// Ends the notices of tokens that are admitted past the queue, or whose turn at an access gate has come or
/// is near, and writes the mails to their owners, in the transaction that calls them.
pub(crate) async fn tell_called(
    tx: &mut Connection,
    tokens: &[TokenId],
) -> Result<(), sqlx::Error> {
    if !tokens.is_empty() {
        let ended = store::take_of(tx, tokens).await?;
        tell(tx, &ended).await?;
    }
    Ok(())
}

/// Writes the mails about tokens whose notices the transaction ended, except tokens that are gone; returns
/// the number of mails.
async fn tell(tx: &mut Connection, tokens: &[TokenId]) -> Result<usize, sqlx::Error> {
    if tokens.is_empty() {
        return Ok(0);
    }
    let live = store::list_live_among(tx, tokens).await?;
    let mail = |(token_id, account_id): (TokenId, AccountId)| AccountMail {
        account_id,
        message: Message::QueueTurn { token_id: token_id.0 },
        order_key: format!("turn:{token_id}"),
        dedupe_key: format!("turn:{token_id}"),
    };
    let mails: Vec<AccountMail> = live.into_iter().map(mail).collect();
    outbox::write_to_accounts(tx, &mails).await?;
    Ok(mails.len())
}

/// Whether a turn with `ahead` accounts before it and the estimated `wait` is near.
fn is_near(ahead: u64, wait: Option<Wait>) -> bool {
    ahead <= FEW_AHEAD || wait.is_some_and(|wait| wait.secs_min <= NEAR_SECS)
}

/// Returns how many accounts may be ahead of a turn that is near at `speed`.
fn near_ahead(speed: Speed) -> u64 {
    speed.ahead_within(NEAR_SECS, NEAR_AHEAD_MAX).max(FEW_AHEAD)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn the_page_offers_a_notice_until_the_worker_would_send_it() {
        for (n_through, span_secs) in
            [(0, 300), (1, 300), (2, 300), (30, 300), (77, 291), (600, 60)]
        {
            let speed = Speed::of(n_through, span_secs, DateTime::UNIX_EPOCH);
            let last = near_ahead(speed);
            for ahead in [0, FEW_AHEAD, last, last + 1, last + 2, 3 * last] {
                assert_eq!(is_near(ahead, speed.wait(ahead)), ahead <= last, "{speed:?} {ahead}");
            }
        }
        let fast = Speed::of(1_000_000, 10, DateTime::UNIX_EPOCH);
        assert_eq!(near_ahead(fast), NEAR_AHEAD_MAX);
    }
}
