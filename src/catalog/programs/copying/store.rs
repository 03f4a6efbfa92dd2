//! SQL of copies of programs and performances.

use crate::{
    catalog::model::{ProgramId, ScheduleId},
    infra::postgres::Connection,
};

/// Lists the performances of a program that are not cancelled, soonest first.
pub(super) async fn list_to_copy(
    tx: &mut Connection,
    program_id: ProgramId,
    rows_max: i64,
) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleId" from schedules
        where program_id = $1 and cancelled_at is null
        order by starts_at
        limit $2
        "#,
        program_id as _,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Inserts what the program `from` says of reminders for the program `to`.
pub(super) async fn insert_reminder_settings(
    tx: &mut Connection,
    from: ProgramId,
    to: ProgramId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into reminder_settings (program_id, hours_before)
        select $2, hours_before from reminder_settings where program_id = $1
        "#,
        from as _,
        to as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts the performance `to` of a program, where and when `from` is.
pub(super) async fn insert_schedule(
    tx: &mut Connection,
    from: ScheduleId,
    to: ScheduleId,
    program_id: ProgramId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into schedules (id, program_id, venue_id, starts_at, kept_until_hours)
        select $2, $3, venue_id, starts_at, kept_until_hours from schedules where id = $1
        "#,
        from as _,
        to as _,
        program_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts the zones of `from` into `to`, all their places free.
pub(super) async fn insert_zones(
    tx: &mut Connection,
    from: ScheduleId,
    to: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into zones (id, schedule_id, name, price, capacity, remaining)
        select gen_random_uuid(), $2, name, price, capacity, capacity
        from zones where schedule_id = $1
        "#,
        from as _,
        to as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts the current price types of `from` into `to`, as types of their own.
pub(super) async fn insert_price_types(
    tx: &mut Connection,
    from: ScheduleId,
    to: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into price_types (id, series_id, schedule_id, name, note, percent, price, sections, kinds,
            per_order_max, beside, per_beside_max)
        select gen_random_uuid(), gen_random_uuid(), $2, name, note, percent, price,
            sections_of_price_type(id), kinds, per_order_max, beside, per_beside_max
        from price_types where schedule_id = $1 and withdrawn_at is null
        "#,
        from as _,
        to as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Saves the prices of the sections of `from` for `to`: prices that are the same for all seats of the
/// section without a price category. A seat on return counts with the price that it had before.
pub(super) async fn insert_prices(
    tx: &mut Connection,
    from: ScheduleId,
    to: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into price_changes (schedule_id, section, price, version)
        select $2, s.section, min(c.price), 0
        from (
            select seat_id, coalesce(price_after, price) as price
            from schedule_seats where schedule_id = $1 offset 0
        ) c
        cross join lateral (
            select section from seats where id = c.seat_id and price_category is null offset 0
        ) s
        group by s.section
        having min(c.price) = max(c.price)
        "#,
        from as _,
        to as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Saves the prices of the price categories of `from` for `to`: prices that are the same for a whole
/// category, as [`insert_prices`] does for sections.
pub(super) async fn insert_category_prices(
    tx: &mut Connection,
    from: ScheduleId,
    to: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into category_price_changes (schedule_id, category, price, version)
        select $2, s.price_category, min(c.price), 0
        from (
            select seat_id, coalesce(price_after, price) as price
            from schedule_seats where schedule_id = $1 offset 0
        ) c
        cross join lateral (
            select price_category from seats
            where id = c.seat_id and price_category is not null offset 0
        ) s
        group by s.price_category
        having min(c.price) = max(c.price)
        "#,
        from as _,
        to as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
