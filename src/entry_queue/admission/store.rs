//! SQL of the gate: admitting, expiring and parking tokens.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        access_gates::model::AccessGateId,
        model::{Bucket, QueuedAccount, TokenId},
        rules::Rules,
    },
    infra::postgres::{Connection, Pool},
};

/// Returns programs in which admission is possible: on sale, not paused, with waiting tokens.
pub(crate) async fn list_moving(db: &Pool) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select p.id as "id: ProgramId"
        from queue_numbers
        join programs p on p.id = program_id
        cross join lateral (
            select from queue_tokens t
            where t.program_id = p.id and t.status = 'WAITING' and parked_at is null
            limit 1
        ) somebody
        where p.status = 'PUBLISHED' and queue_paused_at is null
            and clock_timestamp() between on_sale_at and off_sale_at
        "#,
    )
    .fetch_all(db)
    .await
}

/// Returns programs with a stay that has run out.
pub(crate) async fn list_with_lapsed(db: &Pool) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select n.program_id as "id: ProgramId"
        from queue_numbers n
        cross join lateral (
            select expires_at from queue_tokens t
            where t.program_id = n.program_id and t.status = 'ACTIVE'
            order by expires_at
            limit 1
        ) first
        where expires_at <= clock_timestamp()
        "#,
    )
    .fetch_all(db)
    .await
}

/// Locks the gate and returns its bucket; `None` where another transaction holds it, or it does not
/// exist yet.
pub(crate) async fn try_lock_gate(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<Bucket>, sqlx::Error> {
    sqlx::query_as!(
        Bucket,
        r#"
        select bucket as level, refilled_at
        from queue_gates
        where program_id = $1
        for no key update skip locked
        "#,
        program_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Locks the gate, waiting for it, and returns its bucket.
pub(crate) async fn lock_gate(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Bucket, sqlx::Error> {
    insert_gate(tx, program_id).await?;
    sqlx::query_as!(
        Bucket,
        r#"
        select bucket as level, refilled_at
        from queue_gates
        where program_id = $1
        for no key update
        "#,
        program_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Creates the gate if there is none, with a bucket that is full for any rate.
pub(crate) async fn insert_gate(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into queue_gates (program_id, bucket) values ($1, 'infinity') on conflict do nothing",
        program_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn write_bucket(
    tx: &mut Connection,
    program_id: ProgramId,
    bucket: Bucket,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_gates set bucket = $2, refilled_at = $3 where program_id = $1",
        program_id as _,
        bucket.level,
        bucket.refilled_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the program's rules at this moment: the clock is read in the same statement, after the
/// lock.
pub(crate) async fn rules_of(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Rules, sqlx::Error> {
    sqlx::query_as!(
        Rules,
        r#"
        select status as "status!: _", dates_left as "dates_left!: _", on_sale_at as "on_sale_at!",
            off_sale_at as "off_sale_at!", capacity, rate_per_second, is_paused as "is_paused!",
            stay_secs as "stay_secs!", join_account_age_mins,
            join_confirmed_address as "join_confirmed_address!", join_proof_bits, joins_per_address,
            unpaid_holds_max, cool_down_mins, draw as "draw: _",
            has_access_gates as "has_access_gates!", now as "now!"
        from queue_rules($1)
        "#,
        program_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Ends at most `n_max` stays that have run out. A token that another transaction holds locked is
/// left to a later call.
pub(crate) async fn expire_lapsed(
    tx: &mut Connection,
    program_id: ProgramId,
    n_max: i64,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update queue_tokens
        set status = 'EXPIRED', ended_at = clock_timestamp()
        where id in (
            select id from queue_tokens
            where program_id = $1 and status = 'ACTIVE' and expires_at <= clock_timestamp()
                and (select is_office_awake()) and not (select is_clock_stopped($1))
            order by expires_at
            limit $2
            for no key update skip locked
        )
        returning account_id as "account_id: AccountId"
        "#,
        program_id as _,
        n_max,
    )
    .fetch_all(tx)
    .await
}

/// Returns how many tokens that no access gate admitted are `ACTIVE`, including stays that have run
/// out by the clock.
pub(crate) async fn count_inside(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "n!" from queue_tokens
        where program_id = $1 and status = 'ACTIVE' and not through_gate
        "#,
        program_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns the first `n_max` waiting tokens, regardless of presence.
pub(crate) async fn list_first(
    tx: &mut Connection,
    program_id: ProgramId,
    n_max: usize,
) -> Result<Vec<QueuedAccount>, sqlx::Error> {
    sqlx::query_as!(
        QueuedAccount,
        r#"
        select id as "token_id: TokenId", account_id as "account_id: AccountId"
        from queue_tokens
        where program_id = $1 and status = 'WAITING' and parked_at is null
        order by queue_number
        limit $2
        "#,
        program_id as _,
        i64::try_from(n_max).unwrap_or(i64::MAX),
    )
    .fetch_all(tx)
    .await
}

/// Facts written with the tokens that a gate admits together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub stay_ends_at: DateTime<Utc>,
    /// Tokens that the gate admitted before and that are `ACTIVE`.
    pub(crate) n_inside: i32,
    pub capacity: Option<i32>,
    /// Access gate that admits them; `None`: the program's gate does, or staff.
    pub(crate) access_gate: Option<AccessGateId>,
}

/// Admits `tokens` in their order, up to the first whose row is locked or that waits no longer: a
/// token whose owner is about to leave may yet stay, and must not be passed. Returns the admitted
/// accounts.
pub(crate) async fn write_admissions(
    tx: &mut Connection,
    tokens: &[TokenId],
    admission: &Admission,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with looked_at as materialized (
            select o.id, nth, t.id is not null as is_ours
            from unnest($1::uuid[]) with ordinality as o (id, nth)
            left join lateral (
                select id from queue_tokens
                where id = o.id and status = 'WAITING'
                limit 1
                for no key update skip locked
            ) t on true
        ), chosen as materialized (
            select id, nth from looked_at
            where nth < coalesce((select min(nth) from looked_at where not is_ours), nth + 1)
        )
        update queue_tokens t
        set status = 'ACTIVE', parked_at = null, admitted_at = clock_timestamp(),
            stay_ends_at = $2, expires_at = $2,
            inside_after = $3 + nth::integer, capacity_then = $4::integer,
            gate_id = coalesce($5, gate_id), through_gate = $5 is not null
        from chosen
        where t.id = chosen.id
        returning t.account_id as "account_id: AccountId"
        "#,
        tokens as _,
        admission.stay_ends_at,
        admission.n_inside,
        admission.capacity,
        admission.access_gate as _,
    )
    .fetch_all(tx)
    .await
}

/// Parks `tokens`, whose accounts were silent when their number came up; returns their accounts.
pub(crate) async fn park(
    tx: &mut Connection,
    tokens: &[TokenId],
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update queue_tokens
        set parked_at = clock_timestamp()
        where id in (
            select t.id
            from unnest($1::uuid[]) as o (id)
            cross join lateral (
                select id from queue_tokens
                where id = o.id and status = 'WAITING'
                limit 1
                for no key update skip locked
            ) t
        )
        returning account_id as "account_id: AccountId"
        "#,
        tokens as _,
    )
    .fetch_all(tx)
    .await
}
