//! SQL of one program's queue, in figures.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;

use crate::{accounts::AccountId, catalog::ProgramId, infra::postgres::Pool};

/// Counts of a queue at one moment, in accounts.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct QueueFigures {
    /// Waiting, parked ones excluded.
    pub waiting: i64,
    /// Parked: absent when they were to be admitted.
    pub parked: i64,
    /// Accounts inside that no access gate admitted.
    pub inside: i64,
    /// Inside, admitted by access gates, beside the capacity.
    pub inside_by_gates: i64,
    /// Admitted within the last minute.
    pub admitted_last_minute: i64,
    /// Admitted within the last five minutes.
    pub(crate) admitted_lately: i64,
    /// Accounts that ended their stay within the last five minutes and that no access gate
    /// admitted.
    pub(crate) freed_lately: i64,
    /// Time at which the counts were read.
    pub at: DateTime<Utc>,
}

/// Returns the counts of a queue. Accounts that wait are counted unless their number, `waiting`, is known.
pub(crate) async fn figures_of(
    db: &Pool,
    program_id: ProgramId,
    waiting: Option<i64>,
) -> Result<QueueFigures, sqlx::Error> {
    sqlx::query_as!(
        QueueFigures,
        r#"
        select
            coalesce($2, (select count(*) from queue_tokens
                where program_id = $1 and status = 'WAITING' and parked_at is null)) as "waiting!",
            (select count(*) from queue_tokens
                where program_id = $1 and status = 'WAITING' and parked_at is not null) as "parked!",
            (select count(*) from queue_tokens
                where program_id = $1 and status = 'ACTIVE' and not through_gate) as "inside!",
            (select coalesce(sum(n), 0)::bigint
                from (select id from access_gates where program_id = $1 offset 0) g
                cross join lateral (
                    select count(*) as n from queue_tokens
                    where gate_id = g.id and status = 'ACTIVE' and through_gate) own)
                as "inside_by_gates!",
            (select count(*) from queue_tokens
                where program_id = $1 and admitted_at > now() - interval '1 minute')
                as "admitted_last_minute!",
            (select count(*) from queue_tokens
                where program_id = $1 and admitted_at > now() - interval '5 minutes')
                as "admitted_lately!",
            (select count(*) from queue_tokens
                where program_id = $1 and ended_at > now() - interval '5 minutes'
                    and ended_at is not null and admitted_at is not null and not through_gate)
                as "freed_lately!",
            now() as "at!"
        "#,
        program_id as _,
        waiting,
    )
    .fetch_one(db)
    .await
}

/// Counts of one minute of the last hour, in accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub(crate) struct Minute {
    /// Start of the minute. The last one is not over yet.
    pub at: DateTime<Utc>,
    /// Waiting at its start; `None` where no count was stored, as before a restart.
    pub waiting: Option<i64>,
    /// Joined; `None` where unknown.
    pub joined: Option<i64>,
    /// Admitted.
    pub admitted: i64,
    /// Ended their stay.
    pub freed: i64,
}

/// Lists the minutes of the last hour, oldest first.
pub(crate) async fn list_minutes(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<Minute>, sqlx::Error> {
    sqlx::query_as!(
        Minute,
        r#"
        with minutes as (
            select date_trunc('minute', now()) - make_interval(mins => ago) as at, ago
            from generate_series(59, 0, -1) as m (ago)
        ), admitted as (
            select date_trunc('minute', admitted_at) as at, count(*) as n
            from queue_tokens
            where program_id = $1 and admitted_at >= date_trunc('minute', now()) - interval '59 minutes'
            group by 1
        ), freed as (
            select date_trunc('minute', ended_at) as at, count(*) as n
            from queue_tokens
            where program_id = $1 and ended_at >= date_trunc('minute', now()) - interval '59 minutes'
                and ended_at is not null and admitted_at is not null
            group by 1
        )
        select at as "at!", kept.waiting as "waiting?",
            case when ago = 0 then (select next_number - 1 from queue_numbers where program_id = $1)
                 else after.joined end - kept.joined as "joined?",
            coalesce(admitted.n, 0) as "admitted!", coalesce(freed.n, 0) as "freed!"
        from minutes
        left join queue_minutes kept on kept.program_id = $1 and kept.minute = at
        left join queue_minutes after on after.program_id = $1 and after.minute = at + interval '1 minute'
        left join admitted using (at)
        left join freed using (at)
        order by at
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await
}

/// Finds the account that waits with this queue number or e-mail address.
pub(crate) async fn find_waiting(
    db: &Pool,
    program_id: ProgramId,
    number: Option<i64>,
    email: Option<&str>,
) -> Result<Option<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select account_id as "id: AccountId"
        from queue_tokens t
        join accounts a on a.id = t.account_id
        where program_id = $1 and status = 'WAITING'
          and (queue_number = $2 or email = $3)
        "#,
        program_id as _,
        number,
        email,
    )
    .fetch_optional(db)
    .await
}
