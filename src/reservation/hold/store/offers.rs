//! SQL of the offers that come with a refusal.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::{Schedule, ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::Pool,
    points::Points,
};

/// Number of zones read for the alternatives to one.
const ZONES_LIKE_MAX: i64 = 64;

/// Whether all of `seat_ids` are free, and the account may have as many further places in the
/// program.
pub(crate) async fn may_hold(
    db: &Pool,
    schedule_id: ScheduleId,
    account_id: AccountId,
    seat_ids: &[ScheduleSeatId],
) -> Result<bool, sqlx::Error> {
    let may_hold = sqlx::query_scalar!(
        r#"
        select (
                select count(*) from schedule_seats
                where id = any($3) and schedule_id = s.id and status = 'AVAILABLE'
            ) = cardinality($3::bigint[])
            and (
                select coalesce(sum(i.quantity - i.returned), 0)
                from reservations r
                join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
                where r.account_id = $2 and r.program_id = p.id
                  and r.status in ('HELD', 'CONFIRMED')
                  and (r.status = 'CONFIRMED' or r.expires_at > clock_timestamp())
            ) + cardinality($3::bigint[]) <= p.places_per_account_max as "may_hold!"
        from schedules s
        join programs p on p.id = s.program_id
        where s.id = $1
        "#,
        schedule_id as _,
        account_id as _,
        seat_ids as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(may_hold.unwrap_or(false))
}

/// Lists the seats among `seat_ids` that the account has put back on sale.
pub(crate) async fn list_own_seats(
    db: &Pool,
    account_id: AccountId,
    seat_ids: &[ScheduleSeatId],
) -> Result<Vec<ScheduleSeatId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select schedule_seat_id as "seat_id!: ScheduleSeatId" from ticket_returns
        where schedule_seat_id = any($2) and schedule_seat_id is not null and status = 'OPEN'
            and seller_id = $1
        "#,
        account_id as _,
        seat_ids as _,
    )
    .fetch_all(db)
    .await
}

/// Returns the number of free places that the account has put back on sale, by zone. Zones without such
/// places are left out.
pub(crate) async fn count_own_places(
    db: &Pool,
    account_id: AccountId,
    zone_ids: &[ZoneId],
) -> Result<HashMap<ZoneId, i32>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select zone_id as "zone_id!: ZoneId", count(*)::integer as "n!"
        from ticket_returns t
        where zone_id = any($2) and status = 'OPEN' and seller_id = $1 and not exists (
            select from reservation_items
            where return_id = t.id and (live or awaits_return)
            offset 0)
        group by zone_id
        "#,
        account_id as _,
        zone_ids as _,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.zone_id, row.n)).collect())
}

/// Zone with its free places, and its performance.
#[derive(Clone, Debug)]
pub(crate) struct ZonePlaces {
    pub schedule_id: ScheduleId,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Time zone of the venue.
    pub time_zone: String,
    pub zone_id: ZoneId,
    pub name: String,
    /// Price of one place.
    pub price: Points,
    /// Number of free places.
    pub remaining: i32,
    /// Number of free places that are on return.
    pub returned: i32,
}

/// Lists `zone_id`, the zones of `schedule` with free places, and the zones of the same name in the
/// program's future performances, at most `ZONES_LIKE_MAX`: zones of `schedule` first, then by the
/// time between the performances.
pub(crate) async fn list_zones_like(
    db: &Pool,
    schedule: &Schedule,
    zone_id: ZoneId,
) -> Result<Vec<ZonePlaces>, sqlx::Error> {
    sqlx::query_as!(
        ZonePlaces,
        r#"
        select s.id as "schedule_id: _", s.starts_at, v.time_zone, z.id as "zone_id: _", z.name,
            z.price as "price: _", z.remaining, z.returned
        from schedules s
        join venues v on v.id = s.venue_id
        -- `offset 0` keeps the planner from reading the zones of all performances at once.
        cross join lateral (select * from zones where schedule_id = s.id offset 0) z
        where s.program_id = $1 and z.hidden_at is null and (z.remaining > 0 or z.id = $3) and (
            s.id = $2
            or s.starts_at > clock_timestamp() and z.name = (select name from zones where id = $3)
        )
        order by s.id <> $2, z.id <> $3, abs(extract(epoch from s.starts_at - $4::timestamptz)),
            z.price desc, z.name
        limit $5
        "#,
        schedule.program_id as _,
        schedule.id as _,
        zone_id as _,
        schedule.starts_at,
        ZONES_LIKE_MAX,
    )
    .fetch_all(db)
    .await
}
