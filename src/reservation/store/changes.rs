//! What changed on a map.

use serde::Deserialize;
use sqlx::types::Json;

use crate::{
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::Pool,
    points::Points,
    reservation::model::SeatStatus,
};

/// A seat as it stands after a change.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::reservation) struct ChangedSeat {
    pub(in crate::reservation) id: ScheduleSeatId,
    pub(in crate::reservation) status: SeatStatus,
    pub(in crate::reservation) price: Points,
    pub(in crate::reservation) version: i64,
}

/// A zone as it stands after a change.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::reservation) struct ChangedZone {
    pub(in crate::reservation) id: ZoneId,
    pub(in crate::reservation) remaining: i32,
    pub(in crate::reservation) name: String,
    pub(in crate::reservation) price: Points,
    pub(in crate::reservation) version: i64,
}

/// What one snapshot showed.
#[derive(Debug)]
pub(in crate::reservation) struct ChangedRows {
    pub(in crate::reservation) cursor: i64,
    pub(in crate::reservation) seats: Json<Vec<ChangedSeat>>,
    pub(in crate::reservation) zones: Json<Vec<ChangedZone>>,
}

/// What was changed by transactions from `since` on, in its present state, and where to
/// ask from next. One statement, so that cursor and rows are of one snapshot; a row whose
/// writer is not older than everything still running comes again with the next question,
/// so that one that commits late is never skipped.
pub(in crate::reservation) async fn changes_since(
    db: &Pool,
    schedule_id: ScheduleId,
    since: i64,
) -> Result<ChangedRows, sqlx::Error> {
    sqlx::query_as!(
        ChangedRows,
        r#"
        select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "cursor!",
            (
                select coalesce(jsonb_agg(jsonb_build_object(
                    'id', id, 'status', status, 'price', price, 'version', version)), '[]')
                from schedule_seats
                where schedule_id = $1 and changed_xid >= $2::bigint::text::xid8
            ) as "seats!: Json<Vec<ChangedSeat>>",
            (
                select coalesce(jsonb_agg(jsonb_build_object(
                    'id', id, 'remaining', remaining, 'name', name, 'price', price,
                    'version', version)), '[]')
                from zones
                where schedule_id = $1 and changed_xid >= $2::bigint::text::xid8
            ) as "zones!: Json<Vec<ChangedZone>>"
        "#,
        schedule_id as _,
        since,
    )
    .fetch_one(db)
    .await
}
