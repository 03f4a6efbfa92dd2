//! Checks of seats, zones and reservations.

use crate::{infra::postgres::Connection, verify::invariant::CheckFailure};

/// Time the one renewal of a hold adds, in seconds.
const RENEWAL_SECS: i32 = 120;
/// How long a payment may take from reading the clock to its row, in seconds: the server ends a
/// transaction that stays idle longer.
const PAYING_SECS_MAX: f64 = 5.0;

/// S1: seats that are in two live items.
pub(crate) async fn list_double_seats(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'seat ' || schedule_seat_id as "subject!",
            format('is in %s live items: %s', count(*), string_agg(id::text, ', ')) as "sentence!"
        from reservation_items
        where live and schedule_seat_id is not null
        group by schedule_seat_id
        having count(*) > 1
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// S2: items that are live without their reservation, or the other way round.
pub(crate) async fn list_wrong_items(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'item ' || items.id as "subject!",
            format('is %s, but its reservation %s is %s',
                case when live then 'live' else 'not live' end, reservations.id, status)
                as "sentence!"
        from reservation_items items join reservations on reservations.id = reservation_id
        where live <> (status in ('HELD', 'CONFIRMED'))
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// S2: seats whose status disagrees with their live item.
pub(crate) async fn list_wrong_seats(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with taken as (
            select schedule_seat_id, reservations.id, status, reservations.schedule_id
            from reservation_items join reservations on reservations.id = reservation_id
            where live and schedule_seat_id is not null
        )
        select 'seat ' || seats.id as "subject!",
            format('is %s, but %s', seats.status,
                coalesce(format('reservation %s of it is %s', taken.id, taken.status),
                    'nobody has it')) as "sentence!"
        from schedule_seats seats left join taken on schedule_seat_id = seats.id
        where seats.schedule_id <> taken.schedule_id
            or case taken.status
                when 'HELD' then seats.status <> 'HELD'
                when 'CONFIRMED' then seats.status <> 'RESERVED'
                else seats.status in ('HELD', 'RESERVED') end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// S3: reservations that do not end at their fixed time.
pub(crate) async fn list_wrong_ends(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'reservation ' || id as "subject!",
            format('was made at %s for %s seconds, %s, and ends at %s',
                created_at, hold_ttl_secs,
                case when renewed_at is null then 'not renewed' else 'renewed once' end,
                expires_at) as "sentence!"
        from reservations
        where expires_at <> created_at + make_interval(secs => hold_ttl_secs
            + case when renewed_at is null then 0 else $1::integer end)
        limit $2
        "#,
        RENEWAL_SECS,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// S3: holds still held a minute after their end, the oldest first.
pub(crate) async fn list_overdue_holds(
    db: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'reservation ' || id as "subject!",
            format('is still HELD, though it ended at %s', expires_at) as "sentence!"
        from reservations
        where status = 'HELD' and expires_at < now() - interval '1 minute'
        order by expires_at
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// S4: reservations paid after their end, by the time that decided (`confirmed_at`) or by the
/// payment's own.
pub(crate) async fn list_late_payments(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'reservation ' || reservations.id as "subject!",
            format('was paid at %s, decided by %s, after its end at %s',
                payments.created_at, confirmed_at, expires_at) as "sentence!"
        from reservations join payments on reservation_id = reservations.id
        where reservations.status in ('CONFIRMED', 'REFUNDED')
            and payments.status in ('COMPLETED', 'REFUNDED')
            and (payments.created_at > expires_at + make_interval(secs => $1)
                or coalesce(confirmed_at >= expires_at, true))
        limit $2
        "#,
        PAYING_SECS_MAX,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// S4: reservations without items or with another total than that of their items.
pub(crate) async fn list_wrong_totals(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with items as (
            select reservation_id, sum(unit_price * quantity) as total
            from reservation_items group by reservation_id
        )
        select 'reservation ' || id as "subject!",
            format('costs %s, but %s', reservations.total,
                coalesce('its items cost ' || items.total, 'has no items')) as "sentence!"
        from reservations left join items on reservation_id = id
        where items.total is distinct from reservations.total
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// S5: zones that lack more or fewer places than are live in them.
pub(crate) async fn list_wrong_zones(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with taken as (
            select zone_id, sum(quantity) as places
            from reservation_items where live and zone_id is not null group by zone_id
        )
        select 'zone ' || id as "subject!",
            format('has %s of %s left, but %s are taken',
                remaining, capacity, coalesce(places, 0)) as "sentence!"
        from zones left join taken on zone_id = id
        where capacity - remaining <> coalesce(places, 0)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}
