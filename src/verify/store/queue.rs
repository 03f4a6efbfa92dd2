//! Checks of the queue in PostgreSQL.

use crate::{infra::postgres::Connection, verify::invariant::CheckFailure};

/// Q1: programs whose queue numbers are not 1..N.
pub(crate) async fn list_wrong_numbers(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with given as (
            select program_id, count(*) as n, count(distinct queue_number) as n_distinct,
                min(queue_number) as first, max(queue_number) as last
            from queue_tokens group by program_id
        )
        select 'program ' || programs.id as "subject!",
            format('has given %s numbers, %s of them distinct, from %s to %s; the next is %s',
                coalesce(n, 0), coalesce(n_distinct, 0), coalesce(first::text, 'none'),
                coalesce(last::text, 'none'), coalesce(next_number::text, 'missing'))
                as "sentence!"
        from programs
        left join queue_numbers on queue_numbers.program_id = programs.id
        left join given on given.program_id = programs.id
        where coalesce(n, 0) <> coalesce(next_number, 1) - 1
            or n <> n_distinct or first <> 1 or last <> n
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Q3: admissions beyond the capacity by the counts recorded at that moment; admissions by staff
/// are exempt.
pub(crate) async fn list_crowded_admissions(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'queue token ' || id as "subject!",
            format('was let in at %s as number %s of %s inside', admitted_at,
                coalesce(inside_after::text, 'unknown'), capacity_then) as "sentence!"
        from queue_tokens
        where admitted_at is not null and let_in_by is null and capacity_then is not null
            and coalesce(inside_after > capacity_then, true)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Q3: admissions beyond the capacity of their moment, recomputed from when every account was
/// admitted and left. Admissions by staff count but are not reported.
pub(crate) async fn list_crowded_moments(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with moves as (
            select program_id, id, admitted_at as moment, 1 as step, inside_after,
                case when let_in_by is null then capacity_then end as capacity
            from queue_tokens
            where admitted_at is not null
            union all
            select program_id, id, ended_at, -1, null, null
            from queue_tokens
            where admitted_at is not null and status <> 'ACTIVE' and ended_at is not null
        ), counted as (
            select id, moment, step, capacity,
                sum(step) over (
                    partition by program_id
                    order by moment, step, inside_after, id
                    rows unbounded preceding
                ) as n_inside
            from moves
        )
        select 'queue token ' || id as "subject!",
            format('was let in at %s, which made %s inside where %s may be', moment, n_inside,
                capacity) as "sentence!"
        from counted
        where step = 1 and n_inside > capacity
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}
