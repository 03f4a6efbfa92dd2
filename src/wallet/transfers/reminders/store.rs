//! SQL of reminders.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId, infra::postgres::Connection, wallet::transfers::model::TransferId,
};

/// Open request whose receiver is due a mail.
#[derive(Debug)]
pub(super) struct OpenRequest {
    pub(super) transfer_id: TransferId,
    pub(super) sender_id: AccountId,
    /// `None` while no account has confirmed the address.
    pub(super) receiver_id: Option<AccountId>,
    pub(super) address: Option<String>,
    /// Language of the sender.
    pub(super) locale: String,
    /// Whether the reminder is due at the start of a planned request.
    pub(super) is_starting: bool,
}

/// Deletes at most `rows_max` reminders that are due, and returns their requests and times. Locked
/// reminders are left to the next call. Reminders of requests that a locked account sent wait until it is
/// unlocked or they have ended: nothing is accepted from it.
pub(super) async fn take_reminders(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<(TransferId, DateTime<Utc>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        delete from transfer_reminders
        where transfer_id = any(array(
            select transfer_id from transfer_reminders due
            where due_at <= now()
                and ((select locked_at from accounts where id = (
                        select sender_id from transfers where id = due.transfer_id)) is null
                    or (select expires_at from transfers where id = due.transfer_id) <= now())
            order by due_at
            limit $1
            for update skip locked))
        returning transfer_id as "transfer_id: TransferId", due_at
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.transfer_id, row.due_at)).collect())
}

/// Returns the open requests among `due`, each with the time of its reminder.
pub(super) async fn list_open_among(
    tx: &mut Connection,
    due: &[(TransferId, DateTime<Utc>)],
) -> Result<Vec<OpenRequest>, sqlx::Error> {
    let (ids, times): (Vec<TransferId>, Vec<DateTime<Utc>>) = due.iter().copied().unzip();
    sqlx::query_as!(
        OpenRequest,
        r#"
        select t.id as "transfer_id: _", t.sender_id as "sender_id: _",
               t.receiver_id as "receiver_id: _", t.address,
               coalesce(s.mail_locale, s.locale) as "locale!", (t.starts_at = due.at) is true as "is_starting!"
        from unnest($1::uuid[], $2::timestamptz[]) as due (id, at)
        cross join lateral (
            select id, sender_id, receiver_id, address, starts_at from transfers
            where id = due.id and status = 'PENDING' and expires_at > clock_timestamp()
            limit 1
        ) t
        cross join lateral (
            select mail_locale, locale from accounts where id = t.sender_id limit 1
        ) s
        "#,
        ids as _,
        &times,
    )
    .fetch_all(tx)
    .await
}

/// Inserts the reminders before the end of requests that have started, as far as they last longer
/// than `reminder_secs`.
pub(super) async fn insert_last_reminders(
    tx: &mut Connection,
    started: &[TransferId],
    reminder_secs: f64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into transfer_reminders (transfer_id, due_at)
        select id, expires_at - make_interval(secs => $2)
        from transfers
        where id = any($1) and expires_at - make_interval(secs => $2) > starts_at
        "#,
        started as _,
        reminder_secs,
    )
    .execute(tx)
    .await
    .map(drop)
}
