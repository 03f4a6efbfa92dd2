//! Checks of agreements: refunds, holds during an admission, transfers, and the counter-entries of
//! the office.

use crate::{infra::postgres::Connection, verify::invariant::CheckFailure};

/// How long a hold may take from the check of its admission to its row, in seconds: it waits for
/// rows at most that long, and the server ends a transaction that stays idle longer.
const HOLDING_SECS_MAX: f64 = 10.0;

/// G1: refunds that are neither the agreed share nor full by an administrator or for a cancelled
/// program.
pub(crate) async fn list_wrong_shares(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'payment ' || payments.id as "subject!",
            format('gave %s of %s back, though %s percent were agreed',
                entry.amount, payments.amount, reservations.refund_percent) as "sentence!"
        from payments
        join reservations on reservations.id = reservation_id
        join programs on programs.id = program_id
        join point_transactions entry on entry.reference_id = payments.id and kind = 'REFUND'
        where payments.status = 'REFUNDED'
            and entry.amount <> div(payments.amount::numeric * reservations.refund_percent, 100)
            and not (entry.amount = payments.amount
                and (cancelled_at is not null
                    or exists (select from audit_log
                               where subject_id = reservation_id::text and act = 'refunded')))
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// G1: paid reservations with unused tickets in a wound-down program.
pub(crate) async fn list_not_wound_down(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'reservation ' || reservations.id as "subject!",
            format('is paid, with %s tickets that were not used, though its program %s was wound '
                'down at %s', count(*), programs.id, wound_down_at) as "sentence!"
        from programs
        join reservations on program_id = programs.id and reservations.status = 'CONFIRMED'
        join reservation_items items on reservation_id = reservations.id
        join tickets on reservation_item_id = items.id and tickets.status = 'VALID'
        where wound_down_at is not null
        group by reservations.id, programs.id
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// G2: reservations that were held while their account was not admitted.
pub(crate) async fn list_holds_outside(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'reservation ' || id as "subject!",
            format('was held at %s, when account %s was in no stay of program %s',
                created_at, account_id, program_id) as "sentence!"
        from reservations
        where not exists (
            select from queue_tokens token
            where token.account_id = reservations.account_id
                and token.program_id = reservations.program_id
                and admitted_at <= created_at
                and created_at < least(stay_ends_at, ended_at) + make_interval(secs => $1)
        )
        limit $2
        "#,
        HOLDING_SECS_MAX,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// G2: reservations with which an account exceeded its cap when they were held.
pub(crate) async fn list_holds_over_the_cap(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with held as (
            select reservations.id, account_id, program_id, created_at, places_max, places,
                case status
                    when 'CONFIRMED' then 'infinity'
                    when 'HELD' then expires_at
                    when 'EXPIRED' then expires_at
                    else settled_at end as live_until
            from reservations
            join (select reservation_id, sum(quantity) as places
                  from reservation_items group by reservation_id) items on reservation_id = id
        )
        select 'reservation ' || held.id as "subject!",
            format('was held at %s for %s places beside %s live ones, though %s are the most',
                held.created_at, held.places, coalesce(sum(other.places), 0), held.places_max)
                as "sentence!"
        from held
        left join held other on other.account_id = held.account_id
            and other.program_id = held.program_id
            and other.created_at < held.created_at and held.created_at < other.live_until
        group by held.id, held.created_at, held.places, held.places_max
        having held.places + coalesce(sum(other.places), 0) > held.places_max
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// G3: transfers whose status is not the last of their history, or whose history is not one of open
/// first, then settled at most once.
pub(crate) async fn list_wrong_histories(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with told as (
            select transfer_id, array_agg(status order by version) as statuses,
                array_agg(version order by version) as versions
            from transfer_status_history group by transfer_id
        )
        select 'transfer ' || id as "subject!",
            format('is %s at version %s, but its history is %s',
                status, version, coalesce(statuses::text, 'missing')) as "sentence!"
        from transfers left join told on transfer_id = id
        where case when status = 'PENDING'
            then (statuses, versions, version) is distinct from
                (array['PENDING'], array[0::bigint], 0::bigint)
            else (statuses, versions, version) is distinct from
                (array['PENDING', status], array[0::bigint, 1::bigint], 1::bigint) end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// G5: movements of points without their counter-entry in the office's books, and transfers between
/// people that have one.
pub(crate) async fn list_wrong_house_entries(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select format('version %s of wallet %s', wallet_version, wallet_id) as "subject!",
            format('is %s of %s, but the house has %s', coalesce(kind, 'no entry'),
                coalesce(entry.amount, 0), coalesce(house.amount::text, 'nothing'))
                as "sentence!"
        from point_transactions entry
        full join house_entries house using (wallet_id, wallet_version)
        where case when kind like 'TRANSFER%' then house.amount is not null
            else house.amount is distinct from -entry.amount end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// G5: whether the points of people and of the office add up to zero. Every movement is booked on
/// both sides, so the total is zero.
pub(crate) async fn list_unbalanced_sums(
    tx: &mut Connection,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with people as (
            select coalesce(sum(amount), 0) as points from point_transactions
            where kind not like 'TRANSFER%'
        ), house as (
            select coalesce(sum(amount), 0) as points from house_entries
        )
        select 'all movements' as "subject!",
            format('gave people %s and the house %s, which together are not nothing',
                people.points, house.points) as "sentence!"
        from people cross join house
        where people.points + house.points <> 0
        "#,
    )
    .fetch_all(tx)
    .await
}

/// G5: adjustments without their entry in the audit log.
pub(crate) async fn list_lone_adjustments(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'point transaction ' || entry.id as "subject!",
            format('is an adjustment of %s for an act %s that is not in the log',
                amount, reference_id) as "sentence!"
        from point_transactions entry
        join wallets on wallets.id = wallet_id
        where kind = 'ADJUSTMENT'
            and not exists (select from audit_log
                            where audit_log.id = reference_id and act = 'points-adjusted'
                                and subject_id = wallets.account_id::text)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}
