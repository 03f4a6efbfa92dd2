//! SQL of a performance's inventory, counted by section, by price category and by zone.

use sqlx::PgExecutor;

use crate::{
    catalog::{
        editing::{CategoryInventory, SectionInventory, ZoneInventory},
        model::{ScheduleId, ZoneId},
    },
    infra::postgres::Pool,
    points::Points,
};

/// Returns the inventory of each section of the venue at the performance.
pub async fn list_sections(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
) -> Result<Vec<SectionInventory>, sqlx::Error> {
    list_parts(db, schedule_id, true).await
}

/// Returns the inventory of the seats without a price category, of each section that has any.
pub async fn list_uncategorised(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
) -> Result<Vec<SectionInventory>, sqlx::Error> {
    list_parts(db, schedule_id, false).await
}

async fn list_parts(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
    with_categorised: bool,
) -> Result<Vec<SectionInventory>, sqlx::Error> {
    sqlx::query_as!(
        SectionInventory,
        r#"
        select s.section, count(*) as "seats!",
            count(*) filter (where is_free(seat_standing(c.status, c.return_id))) as "free!",
            count(*) filter (where seat_standing(c.status, c.return_id) = 'HELD') as "held!",
            count(*) filter (where seat_standing(c.status, c.return_id) = 'RESERVED') as "sold!",
            count(*) filter (where seat_standing(c.status, c.return_id) = 'BLOCKED') as "blocked!",
            min(c.price) as "price_min: Points", max(c.price) as "price_max: Points"
        from schedules d
        join seats s on s.venue_id = d.venue_id
        -- Seat by seat, however many the performance had when this was planned.
        left join lateral (
            select status, return_id, price from schedule_seats
            where seat_id = s.id and schedule_id = d.id offset 0
        ) c on true
        where d.id = $1 and ($2 or s.price_category is null)
        group by s.section
        order by min(s.y), s.section
        "#,
        schedule_id as _,
        with_categorised,
    )
    .fetch_all(db)
    .await
}

/// Returns the inventory of each price category of the venue at the performance, the frontmost first,
/// by the middle of its seats.
pub async fn list_categories(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
) -> Result<Vec<CategoryInventory>, sqlx::Error> {
    sqlx::query_as!(
        CategoryInventory,
        r#"
        select s.price_category as "category!", count(*) as "seats!",
            count(*) filter (where is_free(seat_standing(c.status, c.return_id))) as "free!",
            count(*) filter (where seat_standing(c.status, c.return_id) = 'HELD') as "held!",
            count(*) filter (where seat_standing(c.status, c.return_id) = 'RESERVED') as "sold!",
            count(*) filter (where seat_standing(c.status, c.return_id) = 'BLOCKED') as "blocked!",
            min(c.price) as "price_min: Points", max(c.price) as "price_max: Points"
        from schedules d
        join seats s on s.venue_id = d.venue_id and s.price_category is not null
        -- Seat by seat, however many the performance had when this was planned.
        left join lateral (
            select status, return_id, price from schedule_seats
            where seat_id = s.id and schedule_id = d.id offset 0
        ) c on true
        where d.id = $1
        group by s.price_category
        order by avg(s.y), s.price_category
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the zones of the performance, by name.
pub async fn list_zones(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<Vec<ZoneInventory>, sqlx::Error> {
    sqlx::query_as!(
        ZoneInventory,
        r#"
        select id as "id: ZoneId", name, price as "price: Points", capacity,
            -- Places on return count as sold until a buyer has paid for them.
            remaining - returned as "remaining!"
        from zones where schedule_id = $1
        order by name
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await
}
