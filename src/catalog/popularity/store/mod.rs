//! SQL of popularity.

pub mod count;
pub mod listed;
pub mod rank;

use chrono::NaiveDate;

use crate::{
    catalog::{ProgramId, ScheduleId},
    infra::postgres::Pool,
};

/// Net sales of one performance on one day.
#[derive(Clone, Debug)]
pub(crate) struct DaySales {
    pub day: NaiveDate,
    pub schedule_id: ScheduleId,
    pub program_id: ProgramId,
    pub bookings: i64,
    pub revenue: i64,
    /// Number of the count that changed it last.
    pub(crate) changed_in: i64,
}

/// Lists at most `rows_max` rows that follow `after` in the order in which they changed.
pub(crate) async fn list_changed(
    db: &Pool,
    after: (i64, NaiveDate, ScheduleId),
    rows_max: i64,
) -> Result<Vec<DaySales>, sqlx::Error> {
    let (changed_in, day, schedule_id) = after;
    sqlx::query_as!(
        DaySales,
        r#"
        select day, schedule_id as "schedule_id: ScheduleId", program_id as "program_id: ProgramId",
            bookings, revenue, changed_in
        from daily_sales
        where (changed_in, day, schedule_id) > ($1, $2, $3) and changed_in > 0
        order by changed_in, day, schedule_id
        limit $4
        "#,
        changed_in,
        day,
        schedule_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Notes that days before `day` are no longer kept.
pub(crate) async fn write_kept_from(db: &Pool, day: NaiveDate) -> Result<(), sqlx::Error> {
    sqlx::query!("update daily_sales_progress set kept_from = $1 where kept_from < $1", day)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes at most `rows_max` rows of days before `day`, and returns how many.
pub(crate) async fn delete_before(
    db: &Pool,
    day: NaiveDate,
    rows_max: i64,
) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from daily_sales
        where ctid = any(array(
            select ctid from daily_sales where day < $1 order by day, schedule_id limit $2
        ))
        "#,
        day,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
