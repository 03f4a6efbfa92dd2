//! SQL of reading the changes of a map.

use serde::Deserialize;
use sqlx::types::Json;

use crate::{
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::Pool,
    points::Points,
    reservation::model::SeatStatus,
};

/// Current state of a changed seat.
#[derive(Clone, Debug, Deserialize)]
pub struct ChangedSeat {
    pub id: ScheduleSeatId,
    pub status: SeatStatus,
    pub price: Points,
    pub version: i64,
    pub(crate) on_return: bool,
}

/// Current state of a changed zone.
#[derive(Clone, Debug, Deserialize)]
pub struct ChangedZone {
    pub id: ZoneId,
    pub remaining: i32,
    pub(crate) on_return: i32,
    pub name: String,
    pub price: Points,
    pub version: i64,
}

/// Changed rows and versions, read in one database snapshot.
#[derive(Debug)]
pub struct ChangedRows {
    pub cursor: i64,
    pub price_version: i64,
    pub venue_version: i64,
    pub seats: Json<Vec<ChangedSeat>>,
    pub zones: Json<Vec<ChangedZone>>,
}

impl ChangedRows {
    /// Returns the reading without rows.
    pub(crate) fn none(&self) -> Self {
        let (seats, zones) = (Json(Vec::new()), Json(Vec::new()));
        Self { seats, zones, ..*self }
    }
}

/// Returns the current state of rows changed by transactions from `since` on, and the next cursor.
/// A single statement reads the cursor and the rows in one database snapshot. A row is returned
/// again until its writer is older than every running transaction, so that a late commit is never
/// skipped.
///
/// A row restored from another cluster has a transaction number of that cluster, which may even be
/// in the future here. Such a row counts as unchanged unless everything is requested. A `since` of
/// zero, or one that this cluster has not reached, requests everything.
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
                select v.version + d.hidden_version
                from schedules d join venues v on v.id = d.venue_id
                where d.id = $1
            ), 0) as "venue_version!",
            (
                select coalesce(jsonb_agg(jsonb_build_object(
                    'id', id, 'status', status, 'price', price, 'version', version,
                    'on_return', return_id is not null)), '[]')
                from schedule_seats
                where schedule_id = $1 and hidden_at is null
                  and changed_xid >= (select since from asked)
                  and changed_xid < (select until from asked)
            ) as "seats!: Json<Vec<ChangedSeat>>",
            (
                select coalesce(jsonb_agg(jsonb_build_object(
                    'id', id, 'remaining', remaining, 'name', name, 'price', price,
                    'on_return', returned, 'version', version)), '[]')
                from zones
                where schedule_id = $1 and hidden_at is null
                  and changed_xid >= (select since from asked)
                  and changed_xid < (select until from asked)
            ) as "zones!: Json<Vec<ChangedZone>>"
        "#,
        schedule_id as _,
        since,
    )
    .fetch_one(db)
    .await
}
