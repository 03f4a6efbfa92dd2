//! SQL of the winding down of a cancelled program.

use crate::{
    catalog::model::{ProgramId, ScheduleId},
    infra::postgres::Connection,
};

/// Clears `wound_down_at` of the locked program of a performance.
pub(crate) async fn write_not_wound_down(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update programs set wound_down_at = null
        where id = (select program_id from schedules where id = $1) and wound_down_at is not null
        "#,
        schedule_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Sets `wound_down_at` of a locked program, if it is cancelled.
pub async fn write_wound_down(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update programs set wound_down_at = clock_timestamp()
        where id = $1 and cancelled_at is not null and wound_down_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
