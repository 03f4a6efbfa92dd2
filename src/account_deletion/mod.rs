//! Account deletion: a person deletes the own account, and its rows in other features end.
//!
//! An **obstacle** keeps an account from being deleted: a hold, a paid performance that is still to come, a
//! ticket that another account handed over or that was paid for as a share, a share that waits for the others,
//! a ticket on return, a transfer or a hand-over without an answer, a purchase that may still be paid, the role
//! of an administrator. Each is ended on a page of its own. Places in line are given up without a question. A
//! **balance** is given up explicitly: the owner types it, and it becomes an entry of its own kind in the
//! house's favour.
//!
//! # Invariants
//!
//! * A deleted account has no session, no link, no second factor, no live token, no hold, no
//!   transfer or hand-over that waits, no open purchase and no balance: rule A1 of `verify`. Its row says nothing
//!   about its owner (`accounts_deleted_is_nobody`), and the old address can sign up at once.
//! * The ledger, the log of acts and the sales keep the account's id, and stay as they are. A debt
//!   stays recorded at the closed wallet.
//! * No number of points is given up that the owner has not typed.
//! * The last mail goes to the old address, in the transaction of the deletion.
//!
//! # Concurrency
//!
//! The transaction locks the live tokens, then the wallet, and last the account (`for update`), and only then
//! reads the obstacles. Every row that is added for an account (a token, a hold, a transfer, a purchase, a
//! wallet, a request key) takes a lock on the account's row, at least by its foreign key. So nothing is added
//! between the reads and the commit, and a transaction that adds decides after the wait:
//!
//! * A log-in compares the password's hash; a link, a change of the account or of a role reads the
//!   row; a sign-up with the old address waits for `accounts_email_key`. A second deletion finds no
//!   session.
//! * A join and a purchase read the account in the statement that locks it, and so does a transfer
//!   its receiver. An offer of a ticket reads its recipient in the statement that locks it, and then
//!   has none. A hand-over that is accepted meanwhile is still pending for the deletion, which it
//!   keeps, or has ended for it. A hold has locked the token, and finds it ended. A payment needs a hold.
//! * A credit has locked the wallet, and finds it closed: a refund is given up at once, money that
//!   comes late is kept for administrators to return (`charges.unclaimed_at`).
//!
//! The lock on the account does not wait: a request that has claimed its key holds the account and
//! may wait for the wallet. Where it is not free, or a token is new, the attempt starts over.

pub mod error;
pub mod model;
pub mod pages;
mod store;

use uuid::Uuid;

use self::{
    error::DeletionError,
    model::{Deleted, Obstacle, Outlook},
};
use crate::{
    accounts::{AccountError, AccountId, DeletableAccount, Email, Role, deletion},
    app::App,
    catalog::ProgramId,
    entry_queue,
    infra::{
        postgres::{Connection, retry_stale},
        throwaway,
    },
    outbox::{self, Message, NewMail},
    payment,
    points::Points,
    reservation,
    text::i18n::Locale,
    tickets, wallet,
};

/// Obstacles of one kind that are listed, and lines.
const LISTED_MAX: i64 = 20;

/// Returns the obstacles and the effects of a deletion of the account.
pub async fn outlook(app: &App, account_id: AccountId, role: Role) -> Result<Outlook, sqlx::Error> {
    let mut obstacles = store::list_obstacles(&app.db, account_id, false, LISTED_MAX).await?;
    obstacles.extend((role == Role::Admin).then_some(Obstacle::Admin));
    let wallet = wallet::find_shown_wallet(&app.db, account_id).await?;
    let (balance, debt) = wallet.map(|wallet| (wallet.balance, wallet.debt)).unwrap_or_default();
    let lines = store::list_lines(&app.db, account_id, LISTED_MAX).await?;
    Ok(Outlook { obstacles, lines, balance, debt })
}

/// Deletes the account of a session, whose owner gives `given_up` points up. Returns the sessions
/// that ended.
pub async fn delete(
    app: &App,
    account_id: AccountId,
    session_id: Uuid,
    given_up: Points,
) -> Result<Deleted, DeletionError> {
    wallet::expire_lapsed_of(&app.db, account_id).await?;
    tickets::expire_lapsed_of(&app.db, account_id).await?;
    reservation::expire_lapsed_of(app, account_id).await?;
    reservation::returns::end_overdue_of(app, account_id).await?;
    payment::shares::return_ended_of(app, account_id).await?;
    let deleted = retry_stale(|_| delete_once(app, account_id, session_id, given_up)).await?;
    for program_id in &deleted.left {
        entry_queue::project(app, *program_id, &[account_id]).await;
    }
    Ok(deleted)
}

async fn delete_once(
    app: &App,
    account_id: AccountId,
    session_id: Uuid,
    given_up: Points,
) -> Result<Deleted, DeletionError> {
    let mut tx = app.db.begin().await?;
    match delete_in(&mut tx, account_id, session_id, given_up).await {
        Ok(deleted) => {
            tx.commit().await?;
            Ok(deleted)
        }
        Err(refusal) => {
            // Awaited, so that the locks are free before the refusal is answered.
            let _ = tx.rollback().await;
            Err(refusal)
        }
    }
}

async fn delete_in(
    tx: &mut Connection,
    account_id: AccountId,
    session_id: Uuid,
    given_up: Points,
) -> Result<Deleted, DeletionError> {
    entry_queue::withdraw_entries_of(tx, account_id).await?;
    let tokens = entry_queue::lock_tokens_of(tx, account_id).await?;
    payment::exchange::end_all_of(tx, account_id).await?;
    wallet::forget_addresses_of(tx, account_id).await?;
    let purse = wallet::lock_for_closing(tx, account_id).await?;
    let balance = purse.as_ref().map(|purse| purse.balance).unwrap_or_default();
    let account = deletion::lock_alone(tx, account_id).await?.ok_or(DeletionError::Stale)?;
    // The session was read before the locks: its account may be deleted, its password changed.
    if account.is_deleted || !deletion::has_session(tx, account_id, session_id).await? {
        return Err(AccountError::LoginRequired.into());
    }
    let mut obstacles = store::list_obstacles(&mut *tx, account_id, true, LISTED_MAX).await?;
    obstacles.extend((account.role == Role::Admin).then_some(Obstacle::Admin));
    if !obstacles.is_empty() {
        return Err(DeletionError::Kept(obstacles));
    }
    if balance != given_up {
        return Err(DeletionError::BalanceKept { balance });
    }
    if !entry_queue::end_tokens_of(tx, account_id, &tokens).await? {
        return Err(DeletionError::Stale);
    }
    wallet::close(tx, account_id, purse).await?;
    tell(tx, account_id, &account).await?;
    let name = locale_of(&account).text("account-deleted-name").to_string();
    let ended = deletion::erase(tx, account_id, &name).await?;
    let left: Vec<ProgramId> = tokens.iter().map(|token| token.program_id).collect();
    Ok(Deleted { ended, left })
}

/// Writes the last mail, and deletes the mails to the same address that are sent or given up.
async fn tell(
    tx: &mut Connection,
    account_id: AccountId,
    account: &DeletableAccount,
) -> Result<(), sqlx::Error> {
    outbox::forget_ended(tx, &account.email).await?;
    let recipient = Email::parse(&account.email).filter(|_| !throwaway::is_marked(account_id.0));
    let Some(recipient) = recipient else { return Ok(()) };
    let event = format!("account-deleted:{account_id}");
    let mail = NewMail {
        message: Message::AccountDeleted,
        secret: None,
        recipient,
        locale: locale_of(account),
        order_key: event.clone(),
        dedupe_key: event,
    };
    outbox::write(tx, &mail).await
}

fn locale_of(account: &DeletableAccount) -> Locale {
    Locale::parse(&account.locale).unwrap_or_default()
}
