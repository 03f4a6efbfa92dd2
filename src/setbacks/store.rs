//! SQL of setbacks.

use uuid::Uuid;

use super::model::{LineBehind, LineMark, Setback, SetbackId, UnknownCheckout};
use crate::infra::postgres::{Connection, LineMarkKind, Pool};

/// Writes down line marks beyond what the database has, for the open setback; higher ones replace lower ones.
pub(super) async fn insert_lines(db: &Pool, lines: &[LineMark]) -> Result<(), sqlx::Error> {
    let programs: Vec<Uuid> = lines.iter().map(|line| line.program_id).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line.kind.as_ref()).collect();
    let known: Vec<i64> = lines.iter().map(|line| line.known).collect();
    sqlx::query!(
        r#"
        insert into setback_marks as m (setback_id, program_id, kind, known)
        select s.id, asked.program_id, asked.kind, asked.known
        from setbacks s
        cross join unnest($1::uuid[], $2::text[], $3::bigint[]) as asked (program_id, kind, known)
        where s.ended_at is null and asked.known > case asked.kind
            when 'NUMBER' then coalesce(
                (select next_number - 1 from queue_numbers where program_id = asked.program_id limit 1), 0)
            else coalesce(
                (select size from queue_logs where program_id = asked.program_id and kind = asked.kind limit 1), 0)
            end
        on conflict (setback_id, program_id, kind) do update set known = excluded.known
            where m.known < excluded.known
        "#,
        &programs,
        &kinds as _,
        &known,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Lists how far each line is, for instances to remember: its highest number, and the sizes of its signed logs.
pub(super) async fn list_lines(db: &Pool, n_max: i64) -> Result<Vec<LineMark>, sqlx::Error> {
    sqlx::query_as!(
        LineMark,
        r#"
        select p.id as "program_id!", l.kind as "kind!: LineMarkKind", l.known as "known!"
        from programs p
        cross join lateral (
            select 'NUMBER' as kind, next_number - 1 as known from queue_numbers where program_id = p.id
            union all
            select kind, size from queue_logs where program_id = p.id
        ) l
        where l.known > 0
        order by p.id desc
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Lists setbacks, the newest first.
pub async fn list(db: &Pool, n_max: i64) -> Result<Vec<Setback>, sqlx::Error> {
    sqlx::query_as!(
        Setback,
        r#"
        select id as "id: SetbackId", noticed_at, known_beats, known_at, found_at, is_other, ended_at
        from setbacks
        order by noticed_at desc
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the lines that were known to be further when a setback was noticed, with what the database has of them.
pub async fn list_behind(
    db: impl sqlx::PgExecutor<'_>,
    id: SetbackId,
    n_max: i64,
) -> Result<Vec<LineBehind>, sqlx::Error> {
    sqlx::query_as!(
        LineBehind,
        r#"
        select k.program_id as "program_id!", p.title as "title?",
            k.number as number_known, coalesce((
                select next_number - 1 from queue_numbers where program_id = k.program_id limit 1), 0) as "number!",
            k.joins as joins_known, coalesce((
                select size from queue_logs where program_id = k.program_id and kind = 'JOINS' limit 1), 0) as "joins!",
            k.moves as moves_known, coalesce((
                select size from queue_logs where program_id = k.program_id and kind = 'MOVES' limit 1), 0) as "moves!"
        from (
            select program_id, max(known) filter (where kind = 'NUMBER') as number,
                max(known) filter (where kind = 'JOINS') as joins,
                max(known) filter (where kind = 'MOVES') as moves
            from setback_marks
            where setback_id = $1
            group by program_id
            order by program_id
            limit $2
        ) k
        left join lateral (select title from programs where id = k.program_id limit 1) p on true
        order by k.program_id
        "#,
        id as _,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Waits for the lock behind which setbacks are noted and ended, until the end of the transaction.
pub async fn lock(tx: &mut Connection) -> Result<(), sqlx::Error> {
    const LOCK: &str = "select pg_advisory_xact_lock(hashtextextended('stagedoor setbacks', 0))";
    sqlx::query(LOCK).execute(tx).await?;
    Ok(())
}

/// Settles an open setback behind [`lock`], and raises the beats past the known ones; `None` where it is
/// not open.
pub async fn end(tx: &mut Connection, id: SetbackId) -> Result<Option<Setback>, sqlx::Error> {
    let ended = sqlx::query_as!(
        Setback,
        r#"
        update setbacks set ended_at = greatest(clock_timestamp(), noticed_at)
        where id = $1 and ended_at is null
        returning id as "id: SetbackId", noticed_at, known_beats, known_at, found_at, is_other, ended_at
        "#,
        id as _,
    )
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(ended) = &ended {
        sqlx::query!(
            r#"
            insert into office_pulse as p (beat_at, beats) values (clock_timestamp(), $1::bigint + 1)
            on conflict (is_only) do update set beats = greatest(p.beats, $1) + 1
            "#,
            ended.known_beats,
        )
        .execute(tx)
        .await?;
    }
    Ok(ended)
}

/// Keeps a paid checkout of which no purchase is known; a second message about it changes nothing.
pub async fn insert_unknown_checkout(
    db: &Pool,
    charge_id: Uuid,
    checkout: &UnknownCheckout,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into unknown_checkouts (provider_ref, charge_id, payment_ref, amount_minor, currency, told_at)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (provider_ref) do nothing
        "#,
        checkout.provider_ref,
        charge_id,
        checkout.payment_ref,
        checkout.amount_minor,
        checkout.currency,
        checkout.told_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Lists paid checkouts of which no purchase is known, the newest first.
pub async fn list_unknown_checkouts(
    db: &Pool,
    n_max: i64,
) -> Result<Vec<UnknownCheckout>, sqlx::Error> {
    sqlx::query_as!(
        UnknownCheckout,
        r#"
        select provider_ref, payment_ref, amount_minor, currency, told_at
        from unknown_checkouts
        where told_at < 'infinity'
        order by told_at desc
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}
