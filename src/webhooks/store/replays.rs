//! SQL of replays.

use chrono::{DateTime, Utc};

use crate::{events::EventId, infra::postgres::Connection, webhooks::model::EndpointId};

/// Makes a delivery that was made or given up due again; returns whether it did.
pub(crate) async fn write_due(
    tx: &mut Connection,
    endpoint_id: EndpointId,
    event_id: EventId,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update webhook_deliveries
        set delivered_at = null, failed_at = null, attempts = 0, replayed_at = clock_timestamp(),
            next_attempt_at = clock_timestamp(), expires_at = default
        where endpoint_id = $1 and event_id = $2
            and (delivered_at is not null or failed_at is not null)
        "#,
        endpoint_id as _,
        event_id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Makes deliveries that were given up at `since` or later due again, at most `rows_max`, the oldest
/// first; returns how many.
pub async fn write_failed_due(
    tx: &mut Connection,
    endpoint_id: EndpointId,
    since: DateTime<Utc>,
    rows_max: i64,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update webhook_deliveries
        set failed_at = null, attempts = 0, replayed_at = clock_timestamp(),
            next_attempt_at = clock_timestamp(), expires_at = default
        where ctid = any(array(
            select ctid from webhook_deliveries
            where endpoint_id = $1 and failed_at >= $2 and failed_at is not null
            order by position
            limit $3
            for no key update))
        "#,
        endpoint_id as _,
        since,
        rows_max,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}
