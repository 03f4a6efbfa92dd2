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
    pub(in crate::reservation) price_version: i64,
    pub(in crate::reservation) venue_version: i64,
    pub(in crate::reservation) seats: Json<Vec<ChangedSeat>>,
    pub(in crate::reservation) zones: Json<Vec<ChangedZone>>,
}

/// What was changed by transactions from `since` on, in its present state, and where to
/// ask from next. One statement, so that cursor and rows are of one snapshot; a row whose
/// writer is not older than everything still running comes again with the next question,
/// so that one that commits late is never skipped.
///
/// A row that was restored from another cluster bears the number of a transaction that did not
/// happen here, maybe one to come: it did not change, unless everything is asked for. A `since`
/// that this cluster has not reached comes from another one as well: its viewer is told
/// everything.
pub(in crate::reservation) async fn changes_since(
    db: &Pool,
    schedule_id: ScheduleId,
    since: i64,
) -> Result<ChangedRows, sqlx::Error> {
    sqlx::query_as!(
        ChangedRows,
        r#"
        with snapshot as (
            select pg_snapshot_xmin(pg_current_snapshot()) as oldest,
                pg_snapshot_xmax(pg_current_snapshot()) as next
        ), asked as materialized (
            select oldest,
                case when is_whole then '0'::xid8 else $2::bigint::text::xid8 end as since,
                case when is_whole then '18446744073709551615'::xid8 else next end as until
            from snapshot
            cross join lateral (select $2::bigint <= 0 or $2::bigint::text::xid8 > oldest as is_whole) a
        )
        select (select oldest::text::bigint from asked) as "cursor!",
            coalesce((select price_version from schedules where id = $1), 0) as "price_version!",
            coalesce((
                select v.version from schedules d join venues v on v.id = d.venue_id
                where d.id = $1
            ), 0) as "venue_version!",
            (
                select coalesce(jsonb_agg(jsonb_build_object(
                    'id', id, 'status', status, 'price', price, 'version', version)), '[]')
                from schedule_seats
                where schedule_id = $1 and changed_xid >= (select since from asked)
                  and changed_xid < (select until from asked)
            ) as "seats!: Json<Vec<ChangedSeat>>",
            (
                select coalesce(jsonb_agg(jsonb_build_object(
                    'id', id, 'remaining', remaining, 'name', name, 'price', price,
                    'version', version)), '[]')
                from zones
                where schedule_id = $1 and changed_xid >= (select since from asked)
                  and changed_xid < (select until from asked)
            ) as "zones!: Json<Vec<ChangedZone>>"
        "#,
        schedule_id as _,
        since,
    )
    .fetch_one(db)
    .await
}
