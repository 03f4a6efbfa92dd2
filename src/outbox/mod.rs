//! Outbox: mails that must be sent, written together with the change that they are about.
//!
//! A **message** is the subject of a mail, with the data that its text needs. A **mail** is a message
//! to one address, in one language. The mails of one **order key** (a reservation) are sent one after
//! the other. A **claim** is the right of one instance to send a mail for a while. A **secret** is
//! the part of a mail that grants something to its reader. A **topic** is a kind of mails that its
//! reader may decline.
//!
//! # Invariants
//!
//! * A mail is written in the transaction that it is about: neither exists without the other.
//! * An event is mailed once: `outbox_dedupe_key_key`.
//! * A mail is sent or given up, never both (`outbox_sent_or_failed`), and keeps no secret
//!   afterwards (`outbox_ended_keeps_no_secret`).
//! * No mail is claimed while an earlier one of its order key is neither sent nor given up.
//! * Accounts of a rehearsal get no mail, and no account gets a mail of a topic that it declined: the
//!   statement that writes a mail reads the account's choice.
//!
//! # Concurrency
//!
//! Instances race for claims, which skip locked rows: a mail has one claim at a time. A claim is
//! committed before the mail is sent and no row is locked meanwhile. It ends by itself, so a mail
//! whose sender was killed is sent again, with the same id. An instance whose claim ended cannot
//! give the mail up any more, but a mail that it sent counts as sent.

mod letter_texts;
mod message;
mod model;
mod sold;
mod store;
mod topic;

use std::time::Duration;

use uuid::Uuid;

pub use self::letter_texts::{LetterText, LetterTexts};
use self::message::MAIL_TTL;
pub use self::message::{Message, ProtectionChange};
pub use self::model::{
    AccountMail, Claimed, ListedMail, MailCounts, MailId, MailSecret, MailState, NewMail, PutOff,
    SharedKeys, StoredMail,
};
pub use self::sold::{NewPrice, SoldChange, SoldPart};
pub use self::store::NewMails;
pub use self::topic::MailTopic;
use crate::app::AccountId;
use crate::infra::{
    postgres::{
        Connection, Pool,
        page::{PAGE_ROWS, Page},
    },
    sweep::Sweep,
    throwaway,
};

/// Bounds of giving mails up, and of deleting them.
const OLD: Sweep = Sweep { rows_max: 1_000, parts_max: 20 };
/// Mails of one message that one statement writes.
const STATEMENT_MAILS_MAX: usize = 10_000;
/// Mails counted of one state.
const COUNTED_MAX: i64 = 10_000;
/// Days after which a mail is deleted.
const KEPT_DAYS: i32 = 30;

/// Writes mails to accounts, at their current addresses and in their languages, in the transaction
/// that the mails are about. Leaves out people of a rehearsal, accounts that were deleted, and mails
/// of a topic that the account declined.
pub async fn write_to_accounts(
    tx: &mut Connection,
    mails: &[AccountMail],
) -> Result<(), sqlx::Error> {
    let new = columns(mails);
    if new.ids.is_empty() {
        return Ok(());
    }
    store::insert_for_accounts(tx, &new).await
}

/// Returns the columns of mails to accounts that [`write_to_accounts`] would write, to be written in
/// one statement with other things.
pub fn columns(mails: &[AccountMail]) -> NewMails {
    NewMails::of(mails.iter().filter(|mail| !throwaway::is_marked(mail.account_id.0)))
}

/// Writes one message to many accounts like [`write_to_accounts`]. Each mail has the keys of `keys` with the
/// account's id behind them. Returns the number of mails that were not written before.
pub async fn write_to_all(
    tx: &mut Connection,
    accounts: &[AccountId],
    message: &Message,
    keys: &SharedKeys,
) -> Result<u64, sqlx::Error> {
    let real = accounts.iter().filter(|id| !throwaway::is_marked(id.0)).copied();
    let real: Vec<AccountId> = real.collect();
    let mut n_written = 0;
    for accounts in real.chunks(STATEMENT_MAILS_MAX) {
        n_written += store::insert_for_all(tx, accounts, message, keys).await?;
    }
    Ok(n_written)
}

/// Deletes the mails to an address that are sent or given up. Mails that are still to be sent stay.
pub async fn forget_ended(tx: &mut Connection, recipient: &str) -> Result<(), sqlx::Error> {
    store::delete_ended(tx, recipient).await
}

/// Writes one mail, in the transaction that it is about.
pub async fn write(tx: &mut Connection, mail: &NewMail) -> Result<(), sqlx::Error> {
    store::insert(tx, std::slice::from_ref(mail)).await
}

/// Writes mails to addresses, in the transaction that they are about and in one statement; none for no mail.
pub async fn write_all(tx: &mut Connection, mails: &[NewMail]) -> Result<(), sqlx::Error> {
    match mails {
        [] => Ok(()),
        mails => store::insert(tx, mails).await,
    }
}

/// Claims at most `mails_max` mails that are due, each the first of its order key, for
/// `claim_max`.
pub async fn claim(
    db: &Pool,
    mails_max: i64,
    claim_max: Duration,
) -> Result<Vec<Claimed>, sqlx::Error> {
    store::claim(db, mails_max, claim_max.as_secs_f64()).await
}

/// Records that a mail was sent, even if another instance has claimed it meanwhile.
pub async fn note_sent(db: &Pool, mail: &Claimed) -> Result<(), sqlx::Error> {
    store::write_sent(db, mail.id).await
}

/// Gives a claimed mail up, because of `why`; does nothing if the claim has ended.
pub async fn note_failed(db: &Pool, mail: &Claimed, why: &str) -> Result<(), sqlx::Error> {
    store::write_failed(db, mail.id, mail.claim, &shortened(why)).await
}

/// Puts a claimed mail off for `pause`, because of `why`; does nothing if the claim has ended.
pub async fn put_off(
    db: &Pool,
    mail: &Claimed,
    pause: Duration,
    why: &str,
    because: PutOff,
) -> Result<(), sqlx::Error> {
    let (pause_secs, why) = (pause.as_secs_f64(), shortened(why));
    store::write_put_off(db, mail.id, mail.claim, pause_secs, &why, because).await
}

/// Returns an error as it is kept: on one line and of a bounded length.
fn shortened(why: &str) -> String {
    const CHARS_MAX: usize = 300;
    let words: Vec<&str> = why.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect()
}

/// Gives up and deletes old mails, a bounded number; called periodically. Mails past their time are
/// given up: all of them where mails are sent, else only mails with a secret. Mails of [`KEPT_DAYS`]
/// days ago are deleted.
pub async fn end_old(db: &Pool, is_sending: bool) -> Result<(), sqlx::Error> {
    OLD.parts(|rows_max| store::write_expired(db, is_sending, rows_max)).await?;
    OLD.parts(|rows_max| store::delete_old(db, KEPT_DAYS, rows_max)).await
}

/// Returns a page of the mails in `state`, or of all, newest first.
pub async fn list(
    db: &Pool,
    state: Option<MailState>,
    after: Option<Uuid>,
) -> Result<Page<ListedMail>, sqlx::Error> {
    let mails = store::list::list(db, state, after, PAGE_ROWS + 1).await?;
    Ok(Page::cut(mails, |mail| mail.id.0))
}

/// Counts mails that wait and mails that were given up, each up to [`COUNTED_MAX`].
pub async fn count(db: &Pool) -> Result<MailCounts, sqlx::Error> {
    store::count::count(db, COUNTED_MAX).await
}

/// Returns one mail; `None` if there is none.
pub async fn find(db: &Pool, id: MailId) -> Result<Option<ListedMail>, sqlx::Error> {
    store::list::find(db, id).await
}

/// Makes a mail that was given up due again, and returns whether it did: not if it was not given
/// up, or has lost its secret.
pub async fn send_again(tx: &mut Connection, id: MailId) -> Result<bool, sqlx::Error> {
    store::write_due_again(tx, id, MAIL_TTL.as_secs_f64()).await
}
