//! SQL of letters of the office, and of the accounts that they go to.

use chrono::{DateTime, Utc};
use sqlx::{PgExecutor, types::Json};

use super::model::{
    Audience, LetterDelivery, LetterDraft, LetterStatus, NearPerformance, OfficeLetter,
    OfficeLetterId,
};
use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId},
    infra::postgres::{Connection, Pool},
    outbox::LetterTexts,
};

/// Hours before a performance at which the holders of its tickets are reminded, where staff set nothing else.
const HOURS_BEFORE_USUAL: i16 = 24;

/// Returns what the names of a draft mean now.
pub(super) async fn find_audience(db: &Pool, draft: &LetterDraft) -> Result<Audience, sqlx::Error> {
    sqlx::query_as!(
        Audience,
        r#"
        select
            exists (
                select from schedules d
                join seats s on s.venue_id = d.venue_id and s.section = $2
                where d.id = any($1)
            ) as "has_seats!",
            array(select id from zones where schedule_id = any($1) and name = $2) as "zone_ids!",
            -- All terms that a type of the name has had.
            array(
                select id from price_types
                where schedule_id = any($1) and series_id in (
                    select series_id from price_types where schedule_id = any($1) and name = $3)
            ) as "price_type_ids!"
        "#,
        &draft.schedule_ids as _,
        draft.section,
        draft.price_type,
    )
    .fetch_one(db)
    .await
}

/// Inserts a draft.
pub(super) async fn insert(
    tx: &mut Connection,
    id: OfficeLetterId,
    program_id: ProgramId,
    (draft, audience): (&LetterDraft, &Audience),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into office_letters
            (id, program_id, schedule_ids, section, zone_ids, price_type, price_type_ids,
             is_for_absent, is_necessary, texts)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        "#,
        id as _,
        program_id as _,
        &draft.schedule_ids as _,
        draft.section,
        &audience.zone_ids,
        draft.price_type,
        &audience.price_type_ids,
        draft.is_for_absent,
        draft.is_necessary,
        Json(&draft.texts) as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Letters to be read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    /// The newest of a program, so many at most, and as many that staff wrote and that are still to be sent.
    Newest(ProgramId, i64),
    /// The one with this id.
    One(OfficeLetterId),
}

/// Lists letters, the newest first.
pub(super) async fn list(db: &Pool, which: Which) -> Result<Vec<OfficeLetter>, sqlx::Error> {
    let (program_id, rows_max, id) = match which {
        Which::Newest(program_id, rows_max) => (Some(program_id), rows_max, None),
        Which::One(id) => (None, 0, Some(id)),
    };
    sqlx::query_as!(
        OfficeLetter,
        r#"
        select id as "id: OfficeLetterId", program_id as "program_id: ProgramId",
            schedule_ids as "schedule_ids: Vec<ScheduleId>", section, price_type, is_for_absent,
            is_necessary, texts as "texts: Json<LetterTexts>", status as "status: LetterStatus",
            reminds_of, send_at, n_accounts, created_at
        from office_letters
        where id = any(array(
            (select id from office_letters where program_id = $1 order by created_at desc limit $2)
            union
            (select id from office_letters
             where program_id = $1 and status in ('DRAFT', 'PLANNED') and reminds_of is null
             order by created_at desc limit $2)
        ) || $3::uuid)
        order by created_at desc, id
        "#,
        program_id as _,
        rows_max,
        id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the accounts of the audience of a letter behind `after`, in the order of their ids.
pub(super) async fn list_audience(
    db: impl PgExecutor<'_>,
    id: OfficeLetterId,
    after: Option<AccountId>,
    accounts_max: i64,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with letter as materialized (
            select schedule_ids, section, zone_ids, price_type, price_type_ids, is_for_absent
            from office_letters where id = $1
        ), paid as materialized (
            select r.id, r.schedule_id
            from letter
            cross join lateral (
                select id, schedule_id from reservations
                where schedule_id = any(letter.schedule_ids) and status = 'CONFIRMED' offset 0
            ) r
        )
        select distinct t.account_id as "id!: AccountId"
        from letter
        cross join paid
        cross join lateral (
            select i.id from reservation_items i
            where i.reservation_id = paid.id
                and (letter.price_type is null or i.price_type_id = any(letter.price_type_ids))
                and (letter.section is null or i.zone_id = any(letter.zone_ids)
                    or (select s.section from schedule_seats c join seats s on s.id = c.seat_id
                        where c.id = i.schedule_seat_id) = letter.section)
            offset 0
        ) i
        cross join lateral (
            select account_id from tickets t
            where reservation_item_id = i.id
                and (status = 'VALID' or status = 'USED' and not letter.is_for_absent)
                and ($2::uuid is null or account_id > $2)
                and (not letter.is_for_absent or not exists (
                    select from (
                        select reservation_item_id from tickets
                        where account_id = t.account_id and status = 'USED' offset 0
                    ) used
                    cross join lateral (
                        select reservation_id from reservation_items
                        where id = used.reservation_item_id offset 0
                    ) item
                    cross join lateral (
                        select schedule_id from reservations where id = item.reservation_id offset 0
                    ) come
                    where come.schedule_id = paid.schedule_id))
            offset 0
        ) t
        order by 1
        limit $3
        "#,
        id as _,
        after as _,
        accounts_max,
    )
    .fetch_all(db)
    .await
}

/// Letter whose mails are due.
pub(super) struct DueLetter {
    pub(super) id: OfficeLetterId,
    pub(super) is_necessary: bool,
    /// Performance and start that a reminder tells; `None` for a letter that staff wrote.
    pub(super) reminder: Option<(ScheduleId, DateTime<Utc>)>,
    /// Last account that has its mail; `None` before the first.
    pub(super) last_account_id: Option<AccountId>,
}

/// Locks the first due letter that no other transaction has and that is none of `but`.
pub(super) async fn lock_due(
    tx: &mut Connection,
    but: &[OfficeLetterId],
) -> Result<Option<DueLetter>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select id as "id: OfficeLetterId", is_necessary, last_account_id as "last_account_id: AccountId",
            schedule_ids[1] as "schedule_id: ScheduleId", reminds_of
        from office_letters
        where status = 'PLANNED' and send_at <= now() and id <> all($1)
        order by send_at
        limit 1
        for no key update skip locked
        "#,
        but as _,
    );
    let row = row.fetch_optional(tx).await?;
    Ok(row.map(|row| DueLetter {
        id: row.id,
        is_necessary: row.is_necessary,
        reminder: row.schedule_id.zip(row.reminds_of),
        last_account_id: row.last_account_id,
    }))
}

/// Lists performances that begin so soon that the holders of their tickets are reminded, but no sooner than in an
/// hour, and that have no reminder of their start yet.
pub(super) async fn list_near(
    db: &Pool,
    rows_max: i64,
) -> Result<Vec<NearPerformance>, sqlx::Error> {
    sqlx::query_as!(
        NearPerformance,
        r#"
        select d.program_id as "program_id: ProgramId", d.id as "id: ScheduleId", d.starts_at
        from (
            select id, program_id, starts_at from schedules
            where cancelled_at is null
                and starts_at between now() + interval '1 hour' and now() + interval '168 hours'
            offset 0
        ) d
        cross join lateral (select status from programs where id = d.program_id limit 1) p
        left join lateral (
            select hours_before, true as is_set from reminder_settings
            where program_id = d.program_id limit 1
        ) setting on true
        where p.status = 'PUBLISHED'
            and d.starts_at <= now() + make_interval(hours =>
                case when setting.is_set then setting.hours_before else $2 end)
            and not exists (
                select from office_letters
                where schedule_ids[1] = d.id and reminds_of = d.starts_at and reminds_of is not null
                offset 0)
        order by d.starts_at, d.id
        limit $1
        "#,
        rows_max,
        HOURS_BEFORE_USUAL,
    )
    .fetch_all(db)
    .await
}

/// Inserts a released reminder of a performance; does nothing if its start has one.
pub(super) async fn insert_reminder(
    db: &Pool,
    id: OfficeLetterId,
    near: NearPerformance,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into office_letters
            (id, program_id, schedule_ids, zone_ids, price_type_ids, is_for_absent, is_necessary, texts,
             reminds_of, status, send_at)
        values ($1, $2, array[$3::uuid], '{}', '{}', false, false, '{}', $4, 'PLANNED', now())
        on conflict do nothing
        "#,
        id as _,
        near.program_id as _,
        near.id as _,
        near.starts_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns how many hours before its performances the holders of a program's tickets are reminded; `None`: they
/// are not.
pub(super) async fn hours_before(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Option<i16>, sqlx::Error> {
    let set = sqlx::query_scalar!(
        "select hours_before from reminder_settings where program_id = $1",
        program_id as _,
    );
    Ok(set.fetch_optional(db).await?.unwrap_or(Some(HOURS_BEFORE_USUAL)))
}

/// Sets how many hours before its performances the holders of a program's tickets are reminded; `None`: they are
/// not.
pub(super) async fn write_hours_before(
    tx: &mut Connection,
    program_id: ProgramId,
    hours_before: Option<i16>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into reminder_settings (program_id, hours_before) values ($1, $2)
        on conflict (program_id) do update set hours_before = excluded.hours_before
        "#,
        program_id as _,
        hours_before,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Counts the mails of a letter by their state; tests to administrators are left out.
pub(super) async fn count_delivery(
    db: &Pool,
    id: OfficeLetterId,
) -> Result<LetterDelivery, sqlx::Error> {
    sqlx::query_as!(
        LetterDelivery,
        r#"
        select count(*) filter (where sent_at is not null) as "n_sent!",
            count(*) filter (where sent_at is null and failed_at is null) as "n_waiting!",
            count(*) filter (where failed_at is not null) as "n_failed!"
        from outbox
        where kind in ('office-letter', 'reminder') and payload ->> 'letter_id' = $1
            and payload ->> 'is_test' is distinct from 'true'
        "#,
        id.to_string(),
    )
    .fetch_one(db)
    .await
}

/// Adds the accounts that were written to, up to `last`; `None`: the letter is written.
pub(super) async fn write_progress(
    tx: &mut Connection,
    id: OfficeLetterId,
    n_accounts: i64,
    last: Option<AccountId>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update office_letters
        set n_accounts = n_accounts + $2, last_account_id = coalesce($3, last_account_id),
            status = case when $3::uuid is null then 'WRITTEN' else status end,
            settled_at = case when $3::uuid is null then clock_timestamp() end
        where id = $1
        "#,
        id as _,
        n_accounts,
        last as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Plans a draft for `send_at`, or for now; returns whether it was one.
pub(super) async fn write_planned(
    tx: &mut Connection,
    id: OfficeLetterId,
    send_at: Option<DateTime<Utc>>,
) -> Result<bool, sqlx::Error> {
    let planned = sqlx::query!(
        r#"
        update office_letters set status = 'PLANNED', send_at = coalesce($2, clock_timestamp())
        where id = $1 and status = 'DRAFT'
        "#,
        id as _,
        send_at,
    );
    Ok(planned.execute(tx).await?.rows_affected() == 1)
}

/// Stops a letter; returns whether it was not stopped yet.
pub(super) async fn write_stopped(
    tx: &mut Connection,
    id: OfficeLetterId,
) -> Result<bool, sqlx::Error> {
    let stopped = sqlx::query!(
        r#"
        update office_letters set status = 'STOPPED', settled_at = clock_timestamp()
        where id = $1 and status <> 'STOPPED'
        "#,
        id as _,
    );
    Ok(stopped.execute(tx).await?.rows_affected() == 1)
}
