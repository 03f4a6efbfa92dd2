//! SQL of the cancellation of a performance, and of its winding down.

use crate::{catalog::model::ScheduleId, infra::postgres::Connection};

/// Writes the cancellation of a locked performance.
pub(crate) async fn write_cancelled(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update schedules set cancelled_at = clock_timestamp() where id = $1 and cancelled_at is null",
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Clears `wound_down_at` of a locked performance.
pub(crate) async fn write_not_wound_down(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update schedules set wound_down_at = null where id = $1 and wound_down_at is not null",
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Sets `wound_down_at` of a locked performance, if it is cancelled.
pub(crate) async fn write_wound_down(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update schedules set wound_down_at = clock_timestamp()
        where id = $1 and cancelled_at is not null and wound_down_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
