//! SQL of prices that were saved, until they are written into the seats.

use sqlx::PgExecutor;

use crate::{
    catalog::{model::ScheduleId, schedules::price_group::PriceGroup},
    infra::postgres::{Connection, Pool},
    points::Points,
};

/// Bound on price groups of one performance whose prices are written in one round.
const GROUPS_MAX: i64 = 5_000;
/// Bound on performances whose prices are written in one tick.
const SCHEDULES_MAX: i64 = 100;

/// Price that the seats of a group are to get.
#[derive(Clone, Debug)]
pub struct PriceChange {
    pub group: PriceGroup,
    pub price: Points,
    /// Edition of the performance that set the price.
    pub version: i64,
}

/// Saves the prices of sections; no section may be given twice.
pub(crate) async fn upsert_sections(
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

/// Saves the prices of categories; no category may be given twice.
pub(crate) async fn upsert_categories(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    version: i64,
    categories: &[String],
    prices: &[i64],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into category_price_changes (schedule_id, category, price, version)
        select $1, category, price, $2
        from unnest($3::text[], $4::bigint[]) as p (category, price)
        on conflict on constraint category_price_changes_pkey
            do update set price = excluded.price, version = excluded.version
        "#,
        schedule_id as _,
        version,
        categories,
        prices,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the changes of a performance that are still to be written: changes of sections, by name,
/// and then changes of categories.
pub(crate) async fn list_changes(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<Vec<PriceChange>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select section as "name!", false as "is_category!", price as "price!: Points",
            version as "version!"
        from price_changes where schedule_id = $1
        union all
        select category, true, price, version
        from category_price_changes where schedule_id = $1
        order by 2, 1
        limit $2
        "#,
        schedule_id as _,
        GROUPS_MAX,
    );
    let rows = rows.fetch_all(db).await?.into_iter().map(|row| PriceChange {
        group: match row.is_category {
            true => PriceGroup::Category(row.name),
            false => PriceGroup::Section(row.name),
        },
        price: row.price,
        version: row.version,
    });
    Ok(rows.collect())
}

/// Returns whether changes of a performance are still to be written.
pub(crate) async fn has_changes(db: &Pool, schedule_id: ScheduleId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (select from price_changes where schedule_id = $1)
            or exists (select from category_price_changes where schedule_id = $1) as "has!"
        "#,
        schedule_id as _,
    )
    .fetch_one(db)
    .await
}

/// Lists performances with changes that are still to be written.
pub(crate) async fn list_changing(db: &Pool) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select schedule_id as "schedule_id!: ScheduleId" from price_changes
        union
        select schedule_id from category_price_changes
        order by 1
        limit $1
        "#,
        SCHEDULES_MAX,
    )
    .fetch_all(db)
    .await
}

/// Returns whether the change is still the newest one of its group.
pub async fn is_newest(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    change: &PriceChange,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from price_changes where schedule_id = $1 and section = $2 and version = $4
        ) or exists (
            select from category_price_changes
            where schedule_id = $1 and category = $3 and version = $4
        ) as "is!"
        "#,
        schedule_id as _,
        change.group.section(),
        change.group.category(),
        change.version,
    )
    .fetch_one(tx)
    .await
}

/// Deletes a written change, unless a newer one replaced it.
pub(crate) async fn delete_change(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
    change: &PriceChange,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with of_category as (
            delete from category_price_changes
            where schedule_id = $1 and category = $3 and version = $4
        )
        delete from price_changes where schedule_id = $1 and section = $2 and version = $4
        "#,
        schedule_id as _,
        change.group.section(),
        change.group.category(),
        change.version,
    )
    .execute(db)
    .await?;
    Ok(())
}
