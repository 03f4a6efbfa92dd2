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
pub(crate) struct ChangedSeat {
    pub(crate) id: ScheduleSeatId,
    pub(crate) status: SeatStatus,
    pub(crate) price: Points,
    pub(crate) version: i64,
}

/// A zone as it stands after a change.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ChangedZone {
    pub(crate) id: ZoneId,
    pub(crate) remaining: i32,
    pub(crate) name: String,
    pub(crate) price: Points,
    pub(crate) version: i64,
}

/// What one snapshot showed.
#[derive(Debug)]
pub(crate) struct ChangedRows {
    pub(crate) cursor: i64,
    pub(crate) price_version: i64,
    pub(crate) venue_version: i64,
    pub(crate) seats: Json<Vec<ChangedSeat>>,
    pub(crate) zones: Json<Vec<ChangedZone>>,
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
pub(crate) async fn changes_since(
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
