//! How far the primary has written, and how far the standby has replayed it.
//!
//! The functions that are asked may be called by every role.

use super::freshness::{LogPosition, LogTimeline, StandbyAnswer};
use crate::infra::postgres::Pool;

/// Asks the primary how far it has written. Fails on a server that is in recovery.
pub(super) async fn ask_primary(db: &Pool) -> Result<LogPosition, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as "position!",
            (select system_identifier from pg_control_system()) as "system_id!",
            ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as "timeline!"
        "#,
    )
    .fetch_one(db)
    .await?;
    let timeline = LogTimeline { system_id: row.system_id, number: row.timeline };
    Ok(LogPosition { timeline, position: row.position })
}

/// Asks the standby how far it has replayed, and on which timeline: the timeline in its control file, which
/// is written a while after the standby has followed the primary to a new one.
pub(super) async fn ask_standby(db: &Pool) -> Result<StandbyAnswer, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select pg_is_in_recovery() as "is_in_recovery!",
            coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint as "position!",
            (select system_identifier from pg_control_system()) as "system_id!",
            greatest(
                (select timeline_id from pg_control_checkpoint()),
                (select min_recovery_end_timeline from pg_control_recovery())
            ) as "timeline!"
        "#,
    )
    .fetch_one(db)
    .await?;
    if !row.is_in_recovery {
        return Ok(StandbyAnswer::Promoted);
    }
    let timeline = LogTimeline { system_id: row.system_id, number: row.timeline };
    Ok(StandbyAnswer::Replayed(LogPosition { timeline, position: row.position }))
}
