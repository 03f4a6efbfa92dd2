//! SQL of the administrators' list of mails.

use uuid::Uuid;

use super::content::ContentRow;
use crate::{
    app::AccountId,
    infra::postgres::Pool,
    outbox::model::{ListedMail, MailId, MailSecret, MailState},
};

/// Lists at most `rows_max` mails after the mail `after`, newest first: the mails in `state`, or
/// all.
pub(crate) async fn list(
    db: &Pool,
    state: Option<MailState>,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<ListedMail>, sqlx::Error> {
    select(db, state, after, None, rows_max).await
}

/// Returns one mail; `None` if there is none.
pub(crate) async fn find(db: &Pool, id: MailId) -> Result<Option<ListedMail>, sqlx::Error> {
    Ok(select(db, None, None, Some(id), 1).await?.pop())
}

/// Reads the mail `id`, or a list. Each state has an index and a branch of its own, because a
/// single plan for all would read the whole table for a rare state.
async fn select(
    db: &Pool,
    state: Option<MailState>,
    after: Option<Uuid>,
    id: Option<MailId>,
    rows_max: i64,
) -> Result<Vec<ListedMail>, sqlx::Error> {
    let state: Option<&str> = state.map(Into::into);
    let rows = sqlx::query!(
        r#"
        with found as (
            (select id from outbox
             where $1::text is null and $4::uuid is null and id < $2 order by id desc limit $3)
            union all
            (select id from outbox
             where $1 = 'waiting' and sent_at is null and failed_at is null and id < $2
             order by id desc limit $3)
            union all
            (select id from outbox
             where $1 = 'failed' and failed_at is not null and id < $2 order by id desc limit $3)
            union all
            (select id from outbox
             where $1 = 'sent' and sent_at is not null and id < $2 order by id desc limit $3)
            union all
            (select id from outbox where id = $4 limit 1)
        )
        select o.id as "id: MailId", kind, payload, secret as "secret: MailSecret", recipient, locale,
            declinable_by as "declinable_by: AccountId", created_at, attempts, last_error, coalesce(sent_at, failed_at) as ended_at,
            sent_at is not null as "is_sent!", failed_at is not null as "is_failed!"
        from (select id from found order by id desc limit $3) page
        cross join lateral (select * from outbox where outbox.id = page.id limit 1) o
        order by o.id desc
        "#,
        state,
        after.unwrap_or(Uuid::max()),
        rows_max,
        id as _,
    )
    .fetch_all(db)
    .await?;
    let mails = rows.into_iter().map(|row| ListedMail {
        id: row.id,
        kind: row.kind.clone(),
        state: match (row.is_sent, row.is_failed) {
            (true, _) => MailState::Sent,
            (false, true) => MailState::Failed,
            (false, false) => MailState::Waiting,
        },
        attempts: row.attempts,
        last_error: row.last_error,
        ended_at: row.ended_at,
        content: ContentRow {
            kind: row.kind,
            payload: row.payload,
            secret: row.secret,
            declinable_by: row.declinable_by,
            recipient: row.recipient,
            locale: row.locale,
            created_at: row.created_at,
        }
        .into(),
    });
    Ok(mails.collect())
}
