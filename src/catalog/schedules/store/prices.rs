//! SQL of saved prices and of writing them into the seats.

use sqlx::PgExecutor;

use crate::{
    catalog::model::{ScheduleId, ScheduleSeatId, SeatId},
    infra::postgres::{Connection, Pool},
    points::Points,
};

/// Bound on seats of one section read at once: those of a whole venue.
const SEATS_MAX: i64 = 100_000;
/// Bound on sections of one performance whose prices are written.
const SECTIONS_MAX: i64 = 5_000;
/// Bound on performances whose prices are written in one tick.
const SCHEDULES_MAX: i64 = 100;

/// Price that the seats of a section are to get.
#[derive(Clone, Debug)]
pub(crate) struct PriceChange {
    pub(crate) section: String,
    pub(crate) price: Points,
    /// Edition of the performance that set the price.
    pub(crate) version: i64,
}

/// Saves the prices of sections; no section may be given twice.
pub(crate) async fn upsert_changes(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    version: i64,
    sections: &[String],
    prices: &[i64],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into price_changes (schedule_id, section, price, version)
        select $1, section, price, $2
        from unnest($3::text[], $4::bigint[]) as p (section, price)
        on conflict on constraint price_changes_pkey
            do update set price = excluded.price, version = excluded.version
        "#,
        schedule_id as _,
        version,
        sections,
        prices,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the changes of a performance that are still to be written, by section.
pub(crate) async fn list_changes(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<Vec<PriceChange>, sqlx::Error> {
    sqlx::query_as!(
        PriceChange,
        r#"
        select section, price as "price: Points", version
        from price_changes where schedule_id = $1
        order by section
        limit $2
        "#,
        schedule_id as _,
        SECTIONS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Returns whether changes of a performance are still to be written.
pub(crate) async fn has_changes(db: &Pool, schedule_id: ScheduleId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from price_changes where schedule_id = $1) as "has!""#,
        schedule_id as _,
    )
    .fetch_one(db)
    .await
}

/// Lists performances with changes that are still to be written.
pub(crate) async fn list_changing(db: &Pool) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select distinct schedule_id as "schedule_id: ScheduleId" from price_changes
        order by schedule_id
        limit $1
        "#,
        SCHEDULES_MAX,
    )
    .fetch_all(db)
    .await
}

/// Seat of the venue that lacks its price; `id` is `None` while it is not for sale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpricedSeat {
    pub(crate) seat_id: SeatId,
    pub(crate) id: Option<ScheduleSeatId>,
}

/// Lists the seats of a section without the price, read without a lock: those for sale first,
/// by id.
pub(crate) async fn list_unpriced(
    db: &Pool,
    schedule_id: ScheduleId,
    change: &PriceChange,
) -> Result<Vec<UnpricedSeat>, sqlx::Error> {
    sqlx::query_as!(
        UnpricedSeat,
        r#"
        select s.id as "seat_id: SeatId", c.id as "id?: ScheduleSeatId"
        from schedules d
        join seats s on s.venue_id = d.venue_id and s.section = $2
        left join schedule_seats c on c.seat_id = s.id and c.schedule_id = d.id
        where d.id = $1 and coalesce(c.price_after, c.price) is distinct from $3
        order by c.id nulls last, s.id
        limit $4
        "#,
        schedule_id as _,
        change.section,
        change.price as _,
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

/// Returns whether the change is still the newest one of its section.
pub(crate) async fn is_newest(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    change: &PriceChange,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from price_changes where schedule_id = $1 and section = $2 and version = $3
        ) as "is!"
        "#,
        schedule_id as _,
        change.section,
        change.version,
    )
    .fetch_one(tx)
    .await
}

/// Changes the price of seats, locked by id as every hold locks them; a hold keeps the price it
/// was made at, and a return what was paid.
pub(crate) async fn write_prices(
    tx: &mut Connection,
    ids: &[ScheduleSeatId],
    price: Points,
    step: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with locked as materialized (
            select id from schedule_seats where id = any($1) order by id for no key update
        )
        update schedule_seats s
        set price = case when s.return_id is null then $2 else s.price end,
            price_after = case when s.return_id is null then null else $2 end,
            price_version = $3, changed_xid = pg_current_xact_id()
        from locked
        where s.id = locked.id and coalesce(s.price_after, s.price) <> $2
        "#,
        ids as _,
        price as _,
        step,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Puts seats of the venue on sale; those already for sale are left as they are.
pub(crate) async fn insert_priced(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    seat_ids: &[SeatId],
    price: Points,
    step: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into schedule_seats
            (schedule_id, seat_id, price, price_version, kind, wheelchair_seat_id)
        select $1, s.id, $3, $4, s.kind, w.id
        from seats s
        left join seats w on w.venue_id = s.venue_id and w.section = s.section
            and w.row_label = s.row_label and w.number = s.companion_of
        where s.id = any($2)
        order by s.id
        on conflict on constraint schedule_seats_seat_id_schedule_id_key do nothing
        "#,
        schedule_id as _,
        seat_ids as _,
        price as _,
        step,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a written change, unless a newer one replaced it.
pub(crate) async fn delete_change(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
    change: &PriceChange,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from price_changes where schedule_id = $1 and section = $2 and version = $3",
        schedule_id as _,
        change.section,
        change.version,
    )
    .execute(db)
    .await?;
    Ok(())
}
