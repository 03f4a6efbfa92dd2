//! SQL of the outbox: writing, claiming and ending mails.

mod content;
pub(crate) mod count;
pub(crate) mod list;

use serde_json::Value;
use uuid::Uuid;

use self::content::ContentRow;
use super::{
    message::{MAIL_TTL, Message},
    model::{AccountMail, Claimed, MailId, MailSecret, NewMail, PutOff, SharedKeys},
    topic::MailTopic,
};
use crate::{
    app::AccountId,
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
    },
};

/// Columns of mails to accounts, to be written.
#[derive(Debug, Default)]
pub struct NewMails {
    /// Ids of the mails.
    pub ids: Vec<Uuid>,
    /// Accounts that they go to.
    pub accounts: Vec<AccountId>,
    /// Kinds of their messages.
    pub kinds: Vec<String>,
    /// Data that their texts need.
    pub payloads: Vec<Value>,
    /// Their order keys.
    pub orders: Vec<String>,
    /// Events that each is written once for.
    pub events: Vec<String>,
    /// Topics that a person may have declined.
    pub topics: Vec<Option<MailTopic>>,
    /// Seconds after which they are given up.
    pub kept_secs: f64,
}

impl NewMails {
    pub(super) fn of<'a>(mails: impl Iterator<Item = &'a AccountMail>) -> Self {
        let mut new = Self { kept_secs: MAIL_TTL.as_secs_f64(), ..Self::default() };
        for mail in mails {
            let (kind, payload) = mail.message.stored();
            new.ids.push(new_id());
            new.accounts.push(mail.account_id);
            new.kinds.push(kind);
            new.payloads.push(payload);
            new.orders.push(mail.order_key.clone());
            new.events.push(mail.dedupe_key.clone());
            new.topics.push(mail.message.topic());
        }
        new
    }
}

/// Inserts mails to accounts, with address and language as the accounts have them. Skips mails
/// whose event was mailed already, mails to deleted accounts, and mails of a topic that the account
/// declined.
pub(crate) async fn insert_for_accounts(
    tx: &mut Connection,
    mails: &NewMails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select from write_mails($1, $2, $3, $4, $5, $6, $7, $8)",
        &mails.ids,
        &mails.accounts as _,
        &mails.kinds,
        &mails.payloads,
        &mails.orders,
        &mails.events,
        &mails.topics as _,
        mails.kept_secs,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts the mails of one message to many accounts, like [`insert_for_accounts`]; returns how many.
pub(crate) async fn insert_for_all(
    tx: &mut Connection,
    accounts: &[AccountId],
    message: &Message,
    keys: &SharedKeys,
) -> Result<u64, sqlx::Error> {
    let ids: Vec<Uuid> = accounts.iter().map(|_| new_id()).collect();
    let (kind, payload) = message.stored();
    let written = sqlx::query!(
        r#"
        insert into outbox
            (id, kind, payload, order_key, dedupe_key, recipient, locale, expires_at, declinable_by)
        select new.id, $3, $4, $5 || new.account_id, $6 || new.account_id, a.email, a.locale,
            clock_timestamp() + make_interval(secs => $8),
            case when $7::text is not null then new.account_id end
        from unnest($1::uuid[], $2::uuid[]) as new (id, account_id)
        cross join lateral (
            select email, coalesce(mail_locale, locale) as locale from accounts
            where accounts.id = new.account_id and deleted_at is null and case $7::text
                when 'TRANSFERS' then mails_transfers
                when 'TURN' then mails_turn
                when 'LETTERS' then mails_letters
                else true end
            limit 1
        ) a
        on conflict (dedupe_key) do nothing
        "#,
        &ids,
        accounts as _,
        kind,
        payload,
        keys.order_key,
        keys.dedupe_key,
        message.topic() as _,
        MAIL_TTL.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Inserts mails to addresses; skips those whose events were mailed already.
pub(crate) async fn insert(tx: &mut Connection, mails: &[NewMail]) -> Result<(), sqlx::Error> {
    let text = |pick: fn(&NewMail) -> String| mails.iter().map(pick).collect::<Vec<_>>();
    let ids: Vec<Uuid> = mails.iter().map(|_| new_id()).collect();
    let (kinds, payloads): (Vec<String>, Vec<Value>) =
        mails.iter().map(|mail| mail.message.stored()).unzip();
    let secrets: Vec<Option<&str>> =
        mails.iter().map(|mail| mail.secret.as_ref().map(MailSecret::expose)).collect();
    let kept_secs: Vec<f64> = mails.iter().map(|mail| mail.message.ttl().as_secs_f64()).collect();
    sqlx::query!(
        r#"
        insert into outbox
            (id, kind, payload, secret, order_key, dedupe_key, recipient, locale, expires_at)
        select id, kind, payload, secret, order_key, dedupe_key, recipient, locale,
            clock_timestamp() + make_interval(secs => kept_secs)
        from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
            $9::float8[])
            as new (id, kind, payload, secret, order_key, dedupe_key, recipient, locale, kept_secs)
        on conflict (dedupe_key) do nothing
        "#,
        &ids,
        &kinds,
        &payloads,
        secrets as _,
        &text(|mail| mail.order_key.clone()),
        &text(|mail| mail.dedupe_key.clone()),
        &text(|mail| mail.recipient.as_str().to_owned()),
        &text(|mail| mail.locale.tag().to_owned()),
        &kept_secs,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Claims mails that are due, each the first of its order key that is still to be sent.
pub(crate) async fn claim(
    db: &Pool,
    rows_max: i64,
    claim_secs: f64,
) -> Result<Vec<Claimed>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        update outbox
        set claims = claims + 1,
            next_attempt_at = clock_timestamp() + make_interval(secs => $2)
        where id = any(array(
            select due.id from outbox due
            where due.sent_at is null and due.failed_at is null and due.next_attempt_at <= now()
                and due.position = (
                    select first.position from outbox first
                    where first.order_key = due.order_key
                        and first.sent_at is null and first.failed_at is null
                    order by first.position
                    limit 1)
            order by due.next_attempt_at
            limit $1
            for no key update skip locked))
        returning id as "id: MailId", claims, attempts, unheard, kind, payload, secret as "secret: MailSecret",
            recipient, locale, declinable_by as "declinable_by: AccountId", created_at
        "#,
        rows_max,
        claim_secs,
    )
    .fetch_all(db)
    .await?;
    let claimed = rows.into_iter().map(|row| Claimed {
        id: row.id,
        claim: row.claims,
        attempts: row.attempts,
        unheard: row.unheard,
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
    Ok(claimed.collect())
}

/// Notes that a mail was sent; also of one that was given up during the attempt.
pub(crate) async fn write_sent(db: &Pool, id: MailId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update outbox
        set sent_at = clock_timestamp(), failed_at = null, secret = null, last_error = null
        where id = $1 and sent_at is null
        "#,
        id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Gives a mail up, if the claim is still the last.
pub(crate) async fn write_failed(
    db: &Pool,
    id: MailId,
    claim: i32,
    why: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update outbox
        set failed_at = clock_timestamp(), secret = null, attempts = attempts + 1, last_error = $3
        where id = $1 and claims = $2 and sent_at is null and failed_at is null
        "#,
        id as _,
        claim,
        why,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Puts a mail off, if the claim is still the last.
pub(crate) async fn write_put_off(
    db: &Pool,
    id: MailId,
    claim: i32,
    pause_secs: f64,
    why: &str,
    because: PutOff,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update outbox
        set next_attempt_at = clock_timestamp() + make_interval(secs => $3), last_error = $4,
            attempts = attempts + $5::integer, unheard = unheard + $6::integer
        where id = $1 and claims = $2 and sent_at is null and failed_at is null
        "#,
        id as _,
        claim,
        pause_secs,
        why,
        i32::from(because != PutOff::Untried),
        i32::from(because == PutOff::Unheard),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Gives up mails past their time, all or only mails with a secret; returns how many.
pub(crate) async fn write_expired(
    db: &Pool,
    is_for_all: bool,
    rows_max: i64,
) -> Result<u64, sqlx::Error> {
    let expired = sqlx::query!(
        r#"
        update outbox
        set failed_at = clock_timestamp(), secret = null,
            last_error = coalesce('not sent in time; last: ' || last_error, 'not sent in time')
        where id = any(array(
            select id from outbox
            where sent_at is null and failed_at is null and expires_at < now()
                and ($1 or secret is not null)
            order by expires_at
            limit $2
            for no key update skip locked))
        "#,
        is_for_all,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(expired.rows_affected())
}

/// Deletes the mails to an address that are sent or given up.
pub(crate) async fn delete_ended(tx: &mut Connection, recipient: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from outbox
        where recipient = $1 and (sent_at is not null or failed_at is not null)
        "#,
        recipient,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes mails of `days` days ago or earlier; returns how many.
pub(crate) async fn delete_old(db: &Pool, days: i32, rows_max: i64) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from outbox
        where id = any(array(
            select id from outbox
            where created_at < now() - make_interval(days => $1)
            order by created_at
            limit $2
            for update skip locked))
        "#,
        days,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}

/// Makes a mail that was given up due again; returns whether it did.
pub(crate) async fn write_due_again(
    tx: &mut Connection,
    id: MailId,
    ttl_secs: f64,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update outbox
        set failed_at = null, attempts = 0, unheard = 0, next_attempt_at = clock_timestamp(),
            expires_at = clock_timestamp() + make_interval(secs => $2)
        where id = $1 and failed_at is not null
        "#,
        id as _,
        ttl_secs,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}
