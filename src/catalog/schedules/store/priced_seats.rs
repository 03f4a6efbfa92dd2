//! SQL that writes saved prices into the seats of a performance.

use super::prices::PriceChange;
use crate::{
    catalog::{
        model::{ScheduleId, ScheduleSeatId, SeatId},
        schedules::price_group::PriceGroup,
    },
    infra::postgres::{Connection, Pool},
    points::Points,
};

/// Bound on seats of one price group read at once: the size of a whole venue.
const SEATS_MAX: i64 = 100_000;

/// Seat of the venue that lacks its price; `id` is `None` while it is not for sale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpricedSeat {
    pub seat_id: SeatId,
    pub id: Option<ScheduleSeatId>,
}

/// Lists the seats of a price group without the price, read without a lock: seats for sale first, by id.
pub(crate) async fn list_unpriced(
    db: &Pool,
    schedule_id: ScheduleId,
    change: &PriceChange,
) -> Result<Vec<UnpricedSeat>, sqlx::Error> {
    match &change.group {
        PriceGroup::Category(name) => of_category(db, schedule_id, name, change.price).await,
        PriceGroup::Section(name) => of_section(db, schedule_id, name, change.price).await,
    }
}

async fn of_category(
    db: &Pool,
    schedule_id: ScheduleId,
    category: &str,
    price: Points,
) -> Result<Vec<UnpricedSeat>, sqlx::Error> {
    sqlx::query_as!(
        UnpricedSeat,
        r#"
        select s.id as "seat_id: SeatId", c.id as "id?: ScheduleSeatId"
        from schedules d
        join seats s on s.venue_id = d.venue_id and s.price_category = $2
        -- Seat by seat, however many the performance had when this was planned.
        left join lateral (
            select id, price, price_after from schedule_seats
            where seat_id = s.id and schedule_id = d.id offset 0
        ) c on true
        where d.id = $1 and coalesce(c.price_after, c.price) is distinct from $3
        order by c.id nulls last, s.id
        limit $4
        "#,
        schedule_id as _,
        category,
        price as _,
        SEATS_MAX,
    )
    .fetch_all(db)
    .await
}

async fn of_section(
    db: &Pool,
    schedule_id: ScheduleId,
    section: &str,
    price: Points,
) -> Result<Vec<UnpricedSeat>, sqlx::Error> {
    sqlx::query_as!(
        UnpricedSeat,
        r#"
        select s.id as "seat_id: SeatId", c.id as "id?: ScheduleSeatId"
        from schedules d
        join seats s
            on s.venue_id = d.venue_id and s.section = $2 and s.price_category is null
        -- Seat by seat, however many the performance had when this was planned.
        left join lateral (
            select id, price, price_after from schedule_seats
            where seat_id = s.id and schedule_id = d.id offset 0
        ) c on true
        where d.id = $1 and coalesce(c.price_after, c.price) is distinct from $3
        order by c.id nulls last, s.id
        limit $4
        "#,
        schedule_id as _,
        section,
        price as _,
        SEATS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Begins a step: locks the performance, and after it the venue against a new seat plan.
/// Returns the number of the step; `None` if there is no such performance.
pub(crate) async fn lock_for_step(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<Option<i64>, sqlx::Error> {
    let step = sqlx::query_scalar!(
        "update schedules set price_version = price_version + 1 where id = $1 returning price_version",
        schedule_id as _,
    )
    .fetch_optional(&mut *tx)
    .await?;
    sqlx::query!(
        "select id from venues where id = (select venue_id from schedules where id = $1) for share",
        schedule_id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(step)
}

/// Changes the price of seats, locked by id as every hold locks them; a hold keeps the price it was made
/// at, and a return the price that was paid. A seat that the plan has given another category meanwhile
/// is left as it is.
pub(crate) async fn write_prices(
    tx: &mut Connection,
    ids: &[ScheduleSeatId],
    change: &PriceChange,
    step: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with locked as materialized (
            select id from schedule_seats where id = any($1) order by id for no key update
        )
        update schedule_seats c
        set price = case when c.return_id is null then $2 else c.price end,
            price_after = case when c.return_id is null then null else $2 end,
            price_version = $3, changed_xid = pg_current_xact_id()
        from locked, seats s
        where c.id = locked.id and coalesce(c.price_after, c.price) <> $2 and s.id = c.seat_id
            and s.price_category is not distinct from $4 and s.section = coalesce($5, s.section)
        "#,
        ids as _,
        change.price as _,
        step,
        change.group.category(),
        change.group.section(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Puts seats of the venue on sale, hidden where their section is; seats that are already for sale, or
/// that the plan has given another category meanwhile, are left as they are.
pub(crate) async fn insert_priced(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    seat_ids: &[SeatId],
    change: &PriceChange,
    step: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with sections as materialized (
            select own.section, hidden_like($1, own.section) as hidden_at
            from (select distinct section from seats where id = any($2)) own
        )
        insert into schedule_seats
            (schedule_id, seat_id, price, price_version, kind, wheelchair_seat_id, hidden_at, status)
        select $1, s.id, $3, $4, s.kind, w.id, sections.hidden_at, free_status(sections.hidden_at)
        from seats s
        join sections on sections.section = s.section
        left join seats w on w.venue_id = s.venue_id and w.section = s.section
            and w.row_label = s.row_label and w.number = s.companion_of
        where s.id = any($2)
            and s.price_category is not distinct from $5 and s.section = coalesce($6, s.section)
        order by s.id
        on conflict on constraint schedule_seats_seat_id_schedule_id_key do nothing
        "#,
        schedule_id as _,
        seat_ids as _,
        change.price as _,
        step,
        change.group.category(),
        change.group.section(),
    )
    .execute(tx)
    .await?;
    Ok(())
}
