//! SQL that counts sales.

use chrono::{DateTime, Utc};

use crate::{catalog::ScheduleId, infra::postgres::Connection};

/// How far sales are counted.
#[derive(Clone, Debug)]
pub(crate) struct SalesProgress {
    /// Everything before this moment is counted.
    pub counted_until: DateTime<Utc>,
    /// Number of the last count that changed anything.
    pub counts: i64,
    /// Name of the time zone of the days; `None` before any was counted.
    pub time_zone: Option<String>,
}

/// Locks the progress and returns it; `None` while another instance has it locked.
pub(crate) async fn lock_progress(
    tx: &mut Connection,
) -> Result<Option<SalesProgress>, sqlx::Error> {
    sqlx::query_as!(
        SalesProgress,
        "select counted_until, counts, time_zone from daily_sales_progress
        for no key update skip locked",
    )
    .fetch_optional(tx)
    .await
}

/// Adds payments, refunds and resales from `from` until before `until` to the daily sales, with days
/// of the time zone `zone`, in the count `number`. Returns the performances with a payment.
pub(crate) async fn write_sales(
    tx: &mut Connection,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    zone: &str,
    number: i64,
) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with sold as (
            select schedule_id, program_id, confirmed_at as at, 1 as bookings, total as revenue
            from reservations
            where confirmed_at >= $1 and confirmed_at < $2
            union all
            select schedule_id, program_id, settled_at, -1, -(
                select coalesce(sum(entry.amount), 0)::bigint
                from payments
                join point_transactions entry
                    on entry.reference_id = payments.id and entry.kind = 'REFUND'
                where payments.reservation_id = reservations.id
            )
            from reservations
            where status = 'REFUNDED' and confirmed_at is not null
                and settled_at >= $1 and settled_at < $2
            union all
            select r.schedule_id, schedules.program_id, r.settled_at, 0, -r.payout
            from ticket_returns r
            join schedules on schedules.id = r.schedule_id
            where r.status = 'SOLD' and r.schedule_id is not null
                and r.settled_at >= $1 and r.settled_at < $2
        )
        insert into daily_sales as d (day, schedule_id, program_id, bookings, revenue, changed_in)
        select (at at time zone $3)::date, schedule_id, program_id, sum(bookings), sum(revenue), $4
        from sold
        where substr(program_id::text, 15, 1) <> '8'
        group by 1, 2, 3
        on conflict (day, schedule_id) do update
            set bookings = d.bookings + excluded.bookings, revenue = d.revenue + excluded.revenue,
                changed_in = excluded.changed_in
        returning schedule_id as "id: ScheduleId"
        "#,
        from,
        until,
        zone,
        number,
    )
    .fetch_all(tx)
    .await
}

/// Forgets what was counted from the day of `moment` on, in the time zone `zone` and the count `number`, and begins again
/// with that day.
pub(crate) async fn begin_again(
    tx: &mut Connection,
    moment: DateTime<Utc>,
    zone: &str,
    number: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with again as (
            update daily_sales_progress
            set counted_until = greatest(counted_from, date_trunc('day', $1, $2)), counts = $3
            returning (counted_until at time zone $2)::date as day
        )
        update daily_sales d set bookings = 0, revenue = 0, changed_in = $3
        from again
        where d.day >= again.day
        "#,
        moment,
        zone,
        number,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Records performances that have sold out for the first time: none of their seats and places is free,
/// hidden or held.
pub(crate) async fn write_sell_outs(
    tx: &mut Connection,
    schedule_ids: &[ScheduleId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into sell_outs (schedule_id, program_id, opened_at, sold_out_at, took_secs)
        select d.id, d.program_id, p.on_sale_at, last.at,
            greatest(extract(epoch from last.at - p.on_sale_at)::bigint, 0)
        from unnest($1::uuid[]) as touched (id)
        join schedules d on d.id = touched.id
        join programs p on p.id = d.program_id
        cross join lateral (
            select max(paid.at) as at from (
                select confirmed_at as at from reservations
                where schedule_id = d.id and status = 'CONFIRMED' offset 0
            ) paid
        ) last
        where last.at is not null
            and (select true from sell_outs where schedule_id = d.id) is null
            and (
                select true from schedule_seats
                where schedule_id = d.id and status = 'AVAILABLE' and return_id is null limit 1
            ) is null
            and (
                select true from schedule_seats
                where schedule_id = d.id and return_id is null and (status = 'HELD' or is_free(status))
                limit 1
            ) is null
            and (select true from zones where schedule_id = d.id and remaining > returned limit 1) is null
            and (
                select true from (select id from zones where schedule_id = d.id offset 0) z
                cross join lateral (
                    select reservation_id from reservation_items
                    where zone_id = z.id and live offset 0
                ) i
                cross join lateral (
                    select from reservations where id = i.reservation_id and status = 'HELD' offset 0
                ) r
                limit 1
            ) is null
        on conflict (schedule_id) do nothing
        "#,
        schedule_ids as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes how far sales are counted.
pub(crate) async fn write_progress(
    tx: &mut Connection,
    progress: &SalesProgress,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update daily_sales_progress set counted_until = $1, counts = $2, time_zone = $3
        "#,
        progress.counted_until,
        progress.counts,
        progress.time_zone,
    )
    .execute(tx)
    .await?;
    Ok(())
}
