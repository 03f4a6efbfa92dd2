//! SQL of the speed of a queue: what went through it, and what left it.

use chrono::{DateTime, Utc};

use crate::{catalog::ProgramId, infra::postgres::Pool};

/// Counts of tokens since each of three moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    pub(crate) n_first: i64,
    pub(crate) n_second: i64,
    pub(crate) n_third: i64,
}

/// Changes of the line beside admissions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departures {
    /// Accounts that left while they waited, purged ones excluded, or that an access gate admitted.
    pub n_left: i64,
    /// Tokens that were passed over and have not come back.
    pub(crate) n_passed: i64,
    /// Mean number of waiting accounts; `None` before the first minute was recorded.
    pub waiting: Option<f64>,
}

/// Returns when the queue began to move as it does, at or after `since`: at the last admission after
/// less than two seconds of waiting, until which accounts hardly waited, or at the last change of the
/// rules of its gate. The rules that a program is created with are no change.
pub(crate) async fn find_beginning(
    db: &Pool,
    program_id: ProgramId,
    since: DateTime<Utc>,
) -> Result<DateTime<Utc>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select greatest($2, (
            select max(admitted_at) from queue_tokens
            where program_id = $1 and admitted_at > $2
                and admitted_at < issued_at + interval '2 seconds' and let_in_by is null
                and not through_gate
        ), (
            select max(moved_at) from queue_moves
            where program_id = $1 and moved_at > $2 and kind = 'RULES'
                and moved_at > (select created_at + interval '1 second' from programs where id = $1)
        )) as "since!"
        "#,
        program_id as _,
        since,
    )
    .fetch_one(db)
    .await
}

/// Returns how many tokens that the program's gate admitted have ended, for any reason, since each of
/// `moments`, the earliest first.
pub(crate) async fn count_freed(
    db: &Pool,
    program_id: ProgramId,
    moments: [DateTime<Utc>; 3],
) -> Result<Flow, sqlx::Error> {
    sqlx::query_as!(
        Flow,
        r#"
        select count(*) as "n_first!", count(*) filter (where ended_at > $3) as "n_second!",
            count(*) filter (where ended_at > $4) as "n_third!"
        from queue_tokens
        where program_id = $1 and ended_at > $2 and ended_at is not null and admitted_at is not null
            and not through_gate
        "#,
        program_id as _,
        moments[0],
        moments[1],
        moments[2],
    )
    .fetch_one(db)
    .await
}

/// Returns how many tokens the program's gate admitted since each of `moments`, the earliest first.
pub(crate) async fn count_admitted(
    db: &Pool,
    program_id: ProgramId,
    moments: [DateTime<Utc>; 3],
) -> Result<Flow, sqlx::Error> {
    sqlx::query_as!(
        Flow,
        r#"
        select count(*) as "n_first!", count(*) filter (where admitted_at > $3) as "n_second!",
            count(*) filter (where admitted_at > $4) as "n_third!"
        from queue_tokens
        where program_id = $1 and admitted_at > $2 and not through_gate
        "#,
        program_id as _,
        moments[0],
        moments[1],
        moments[2],
    )
    .fetch_one(db)
    .await
}

/// Counts the departures from the line since `since`.
pub(crate) async fn count_departures(
    db: &Pool,
    program_id: ProgramId,
    since: DateTime<Utc>,
) -> Result<Departures, sqlx::Error> {
    sqlx::query_as!(
        Departures,
        r#"
        select
            (select count(*) from queue_tokens
             where program_id = $1 and ended_at > $2 and parked_at is null
                and ended_at is not null and admitted_at is null
                and queue_number > coalesce(
                    (select up_to from queue_purges where program_id = $1), 0))
            + (select count(*) from queue_tokens
               where program_id = $1 and admitted_at > $2 and through_gate) as "n_left!",
            (select coalesce(sum(case kind when 'PARKED' then 1 when 'RETURNED' then -1 else 0 end), 0)
             from queue_moves
             where program_id = $1 and moved_at > $2
                and kind in ('PARKED', 'RETURNED', 'RULES')) as "n_passed!",
            (select avg(waiting)::double precision from queue_minutes
             where program_id = $1 and minute > $2 - interval '1 minute') as waiting
        "#,
        program_id as _,
        since,
    )
    .fetch_one(db)
    .await
}
