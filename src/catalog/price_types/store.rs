//! SQL of price types.

use std::str::FromStr;

use sqlx::PgExecutor;

use super::model::{Company, Cost, PriceType, PriceTypeDetails, PriceTypeId, PriceTypeSeriesId};
use crate::{
    catalog::{model::ScheduleId, venues::kind::SeatKind},
    infra::{ids::new_id, postgres::Connection},
    points::Points,
};

/// Bound on types read at once; edits keep to fewer.
const ROWS_MAX: i64 = 200;

/// Row of terms.
struct Terms {
    id: PriceTypeId,
    series_id: PriceTypeSeriesId,
    name: String,
    note: String,
    percent: Option<i32>,
    price: Option<Points>,
    sections: Option<Vec<String>>,
    kinds: Option<Vec<String>>,
    per_order_max: Option<i32>,
    beside: Option<Company>,
    per_beside_max: Option<i32>,
    is_withdrawn: bool,
}

impl From<Terms> for PriceType {
    fn from(row: Terms) -> Self {
        // `price_types_one_cost`: a row without a price has a percentage.
        let percent = Cost::Percent(row.percent.unwrap_or_default());
        let known = |kind: &String| SeatKind::from_str(kind).ok();
        Self {
            id: row.id,
            series_id: row.series_id,
            details: PriceTypeDetails {
                name: row.name,
                note: row.note,
                cost: row.price.map_or(percent, Cost::Price),
                sections: row.sections,
                kinds: row.kinds.map(|kinds| kinds.iter().filter_map(known).collect()),
                per_order_max: row.per_order_max,
                beside: row.beside,
                per_beside_max: row.per_beside_max,
            },
            is_withdrawn: row.is_withdrawn,
        }
    }
}

/// Lists the current types of a performance, in the order in which they were made.
pub async fn list_current(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
) -> Result<Vec<PriceType>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Terms,
        r#"
        select id as "id: _", series_id as "series_id: _", name, note, percent,
            price as "price: _", sections_of_price_type(id) as sections, kinds, per_order_max, beside as "beside: _",
            per_beside_max, withdrawn_at is not null as "is_withdrawn!"
        from price_types
        where schedule_id = $1 and withdrawn_at is null
        order by series_id
        limit $2
        "#,
        schedule_id as _,
        ROWS_MAX,
    );
    Ok(rows.fetch_all(db).await?.into_iter().map(PriceType::from).collect())
}

/// Lists the current types of a performance, and its withdrawn terms among `ids`.
pub async fn list_named(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
    ids: &[PriceTypeId],
) -> Result<Vec<PriceType>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Terms,
        r#"
        select t.id as "id!: _", t.series_id as "series_id!: _", t.name as "name!",
            t.note as "note!", t.percent, t.price as "price: _",
            sections_of_price_type(t.id) as sections, t.kinds, t.per_order_max, t.beside as "beside: _", t.per_beside_max,
            t.withdrawn_at is not null as "is_withdrawn!"
        from (
            (select * from price_types where schedule_id = $1 and withdrawn_at is null
             order by series_id limit $3)
            union all
            (select * from price_types
             where id = any($2) and schedule_id = $1 and withdrawn_at is not null)
        ) t
        "#,
        schedule_id as _,
        ids as _,
        ROWS_MAX,
    );
    Ok(rows.fetch_all(db).await?.into_iter().map(PriceType::from).collect())
}

/// Lists the current types of the performance `from` if it is of the same program as `schedule_id`.
pub(super) async fn list_of_sibling(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    from: ScheduleId,
) -> Result<Vec<PriceType>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Terms,
        r#"
        select t.id as "id: _", t.series_id as "series_id: _", t.name, t.note, t.percent,
            t.price as "price: _", sections_of_price_type(t.id) as sections, t.kinds, t.per_order_max,
            t.beside as "beside: _", t.per_beside_max, t.withdrawn_at is not null as "is_withdrawn!"
        from schedules other
        join schedules own on own.id = $1 and own.program_id = other.program_id
        cross join lateral (
            select * from price_types where schedule_id = other.id and withdrawn_at is null offset 0
        ) t
        where other.id = $2
        order by t.series_id
        limit $3
        "#,
        schedule_id as _,
        from as _,
        ROWS_MAX,
    );
    Ok(rows.fetch_all(tx).await?.into_iter().map(PriceType::from).collect())
}

/// Inserts the current terms of a type of a locked performance.
pub(super) async fn insert(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    series_id: PriceTypeSeriesId,
    details: &PriceTypeDetails,
) -> Result<(), sqlx::Error> {
    let (percent, price) = match details.cost {
        Cost::Percent(percent) => (Some(percent), None),
        Cost::Price(price) => (None, Some(price)),
    };
    let names = |kinds: &Vec<SeatKind>| kinds.iter().map(|kind| kind.as_ref().to_owned()).collect();
    let kinds: Option<Vec<String>> = details.kinds.as_ref().map(names);
    sqlx::query!(
        r#"
        insert into price_types (id, series_id, schedule_id, name, note, percent, price, sections,
            kinds, per_order_max, beside, per_beside_max)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        "#,
        new_id(),
        series_id as _,
        schedule_id as _,
        details.name,
        details.note,
        percent,
        price as _,
        details.sections.as_deref(),
        kinds.as_deref(),
        details.per_order_max,
        details.beside.as_ref().map(Company::as_ref),
        details.per_beside_max,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Withdraws terms of a locked performance.
pub(super) async fn write_withdrawn(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    id: PriceTypeId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update price_types set withdrawn_at = clock_timestamp()
        where id = $1 and schedule_id = $2 and withdrawn_at is null
        "#,
        id as _,
        schedule_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
