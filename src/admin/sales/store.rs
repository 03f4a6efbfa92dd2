//! SQL of sales by performance and section.

use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use uuid::Uuid;

use crate::{
    catalog::{ProgramId, ScheduleId},
    infra::postgres::Pool,
    points::Points,
    reservation::ReservationId,
};

/// Section or zone of one performance.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct SoldSection {
    pub schedule_id: ScheduleId,
    pub starts_at: DateTime<Utc>,
    #[serde(skip)]
    pub time_zone: String,
    pub section: String,
    pub sold: i64,
    pub held: i64,
    pub free: i64,
    /// Sum of the prices of sold places, before discounts.
    pub revenue: i64,
}

/// Lists the sections and zones of all performances of a program, the soonest performance
/// first.
pub async fn list_sections(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<SoldSection>, sqlx::Error> {
    sqlx::query_as!(
        SoldSection,
        r#"
        select d.id as "schedule_id: ScheduleId", d.starts_at, v.time_zone,
            inventory.section as "section!", inventory.sold as "sold!", inventory.held as "held!",
            inventory.free as "free!", inventory.revenue as "revenue!"
        from schedules d
        join venues v on v.id = d.venue_id
        cross join lateral (
            -- Places on return count as sold until a buyer has paid for them.
            select s.section, coalesce(sum(n.places), 0) as sold,
                count(*) filter (where seat_standing(c.status, c.return_id) = 'HELD') as held,
                count(*) filter (where is_free(seat_standing(c.status, c.return_id))) as free,
                coalesce(sum(n.points), 0)::bigint as revenue
            from schedule_seats c
            join seats s on s.id = c.seat_id and s.venue_id = d.venue_id
            left join lateral (
                select places, points from sold_now where schedule_seat_id = c.id offset 0
            ) n on true
            where c.schedule_id = d.id
            group by s.section
            union all
            select z.name, n.places,
                -- Free, sold and held places add up to the capacity.
                z.capacity - z.remaining + z.returned - n.places, z.remaining - z.returned, n.points
            from (select * from zones where schedule_id = d.id offset 0) z
            cross join lateral (
                select coalesce(sum(places), 0) as places, coalesce(sum(points), 0)::bigint as points
                from sold_now where zone_id = z.id offset 0
            ) n
        ) inventory
        where d.program_id = $1
        order by d.starts_at, inventory.section
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the discounts of the paid reservations of a program's performances, in points, without the part of places that
/// were given back by themselves; performances without any are left out.
pub(crate) async fn list_discounts(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<(ScheduleId, i64)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select r.schedule_id as "schedule_id: ScheduleId", sum(r.discount - gone.points)::bigint as "points!"
        from (select id from sale_codes where program_id = $1 offset 0) c
        cross join lateral (
            select id, schedule_id, discount from reservations
            where sale_code_id = c.id and status = 'CONFIRMED' offset 0
        ) r
        cross join lateral (select discount_given_back(r.id) as points offset 0) gone
        group by r.schedule_id
        having sum(r.discount - gone.points) > 0
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.schedule_id, row.points)).collect())
}

/// Row of the CSV file: one reservation, with its present places, or the places that it had when it
/// ended.
#[derive(Clone, Debug)]
pub struct SoldReservation {
    pub id: ReservationId,
    pub created_at: DateTime<Utc>,
    pub status: String,
    pub email: String,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
    /// Places that stayed with the reservation.
    pub places: i64,
    /// Places that other accounts have bought since.
    pub resold: i64,
    /// Places that were given back by themselves, to the office.
    pub given_back: i64,
    /// Points paid, or to be paid, for `places`.
    pub total: Points,
    /// Names of price types with their numbers of places; empty if all are at the ordinary price.
    pub price_types: String,
    /// Discount of `places`.
    pub discount: Points,
    /// Word of its code; `None` without one.
    pub code: Option<String>,
}

/// Lists at most `rows_max` reservations of a program after `after`, newest first.
pub async fn list_reservations(
    db: &Pool,
    program_id: ProgramId,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<SoldReservation>, sqlx::Error> {
    sqlx::query_as!(
        SoldReservation,
        r#"
        select r.id as "id: ReservationId", r.created_at, r.status, a.email, d.starts_at,
            time_zone, r.total - had.points + gone.points as "total!: Points",
            r.discount - gone.points as "discount!: Points",
            (select word from sale_codes where id = r.sale_code_id) as code,
            had.places as "places!", had.returned - given_back as "resold!",
            given_back as "given_back!",
            coalesce((
                select string_agg(typed.name || ' × ' || typed.places, '; ' order by typed.name)
                from (
                    select t.name, sum(i.quantity - i.returned) as places
                    from reservation_items i
                    cross join lateral (
                        select name from price_types where id = i.price_type_id offset 0
                    ) t
                    where i.reservation_id = r.id and i.returned < i.quantity
                    group by t.name
                ) typed
            ), '') as "price_types!"
        from reservations r
        join accounts a on a.id = r.account_id
        join schedules d on d.id = r.schedule_id
        join venues on venues.id = venue_id
        cross join lateral (
            select coalesce(sum(quantity - returned), 0) as places, coalesce(sum(returned), 0) as returned,
                coalesce(sum(returned * unit_price), 0)::bigint as points
            from reservation_items where reservation_id = r.id offset 0
        ) had
        cross join lateral (
            select count(*) as given_back from ticket_returns
            where reservation_id = r.id and to_house and status = 'SOLD' offset 0
        ) house
        cross join lateral (select discount_given_back(r.id) as points offset 0) gone
        where r.program_id = $1 and r.id < $2
        order by r.id desc
        limit $3
        "#,
        program_id as _,
        after.unwrap_or(Uuid::max()),
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Places of one price at one performance.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct SoldType {
    pub schedule_id: ScheduleId,
    /// Name of the price type; `None` at the ordinary price.
    pub price_type: Option<String>,
    pub sold: i64,
    /// Points paid for them.
    pub revenue: i64,
}

/// Lists the sales by price type, of all performances of a program.
pub(crate) async fn list_types(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<SoldType>, sqlx::Error> {
    sqlx::query_as!(
        SoldType,
        r#"
        select d.id as "schedule_id: ScheduleId", sold.name as price_type,
            sold.places as "sold!", sold.revenue as "revenue!"
        from schedules d
        cross join lateral (
            select typed.name, sum(typed.places) as places, sum(typed.points)::bigint as revenue
            from (
                select id from reservations
                where schedule_id = d.id and status = 'CONFIRMED' offset 0
            ) r
            cross join lateral (
                select places, points, (select name from price_types where id = n.price_type_id)
                from sold_now n where reservation_id = r.id
            ) typed
            group by typed.name
        ) sold
        where d.program_id = $1
        order by d.id, sold.name nulls first
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await
}

/// Net sales of a program on one day of the office's time zone.
#[derive(Clone, Copy, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct SoldDay {
    pub day: NaiveDate,
    /// Reservations paid less reservations refunded; negative on a day of refunds.
    pub bookings: i64,
    /// Points paid less points given back.
    pub revenue: i64,
}

/// Lists the days from `first` on with sales or refunds of a program, the oldest first.
pub(crate) async fn list_days(
    db: &Pool,
    program_id: ProgramId,
    first: NaiveDate,
) -> Result<Vec<SoldDay>, sqlx::Error> {
    sqlx::query_as!(
        SoldDay,
        r#"
        select sold.day, sum(sold.bookings)::bigint as "bookings!",
            sum(sold.revenue)::bigint as "revenue!"
        from (select id from schedules where program_id = $1 offset 0) d
        cross join lateral (
            select day, bookings, revenue from daily_sales
            where schedule_id = d.id and day >= $2 offset 0
        ) sold
        group by sold.day
        order by sold.day
        "#,
        program_id as _,
        first,
    )
    .fetch_all(db)
    .await
}
