//! SQL of deliveries as administrators see them.

use uuid::Uuid;

use crate::{
    events::EventId,
    infra::postgres::Pool,
    webhooks::model::{EndpointId, HookState, ListedDelivery},
};

/// Lists at most `rows_max` deliveries of an endpoint after that of the event `after`, newest first;
/// the deliveries in `state`, or all. Each state has its own index and branch.
pub async fn list(
    db: &Pool,
    endpoint_id: EndpointId,
    state: Option<HookState>,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<ListedDelivery>, sqlx::Error> {
    let state: Option<&'static str> = state.map(Into::into);
    let rows = sqlx::query!(
        r#"
        with found as (
            (select event_id from webhook_deliveries
             where endpoint_id = $1 and $2::text is null and event_id < $3
             order by event_id desc limit $4)
            union all
            (select event_id from webhook_deliveries
             where endpoint_id = $1 and $2 = 'waiting' and event_id < $3
                and delivered_at is null and failed_at is null
             order by event_id desc limit $4)
            union all
            (select event_id from webhook_deliveries
             where endpoint_id = $1 and $2 = 'failed' and event_id < $3 and failed_at is not null
             order by event_id desc limit $4)
            union all
            (select event_id from webhook_deliveries
             where endpoint_id = $1 and $2 = 'delivered' and event_id < $3
                and delivered_at is not null
             order by event_id desc limit $4)
        )
        select d.event_id as "event_id: EventId", e.kind, d.subject_id, d.attempts, d.last_status,
            d.last_error, d.last_latency_ms, e.occurred_at, d.next_attempt_at,
            coalesce(d.delivered_at, d.failed_at) as ended_at,
            d.delivered_at is not null as "is_delivered!", d.failed_at is not null as "is_failed!"
        from (select event_id from found order by event_id desc limit $4) page
        cross join lateral (
            select * from webhook_deliveries
            where endpoint_id = $1 and event_id = page.event_id limit 1) d
        cross join lateral (select * from domain_events where id = page.event_id limit 1) e
        order by d.event_id desc
        "#,
        endpoint_id as _,
        state,
        after.unwrap_or(Uuid::max()),
        rows_max,
    )
    .fetch_all(db)
    .await?;
    let deliveries = rows.into_iter().map(|row| ListedDelivery {
        event_id: row.event_id,
        kind: row.kind,
        subject_id: row.subject_id,
        state: match (row.is_delivered, row.is_failed) {
            (true, _) => HookState::Delivered,
            (false, true) => HookState::Failed,
            (false, false) => HookState::Waiting,
        },
        attempts: row.attempts,
        last_status: row.last_status,
        last_error: row.last_error,
        last_latency_ms: row.last_latency_ms,
        occurred_at: row.occurred_at,
        next_attempt_at: row.next_attempt_at,
        ended_at: row.ended_at,
    });
    Ok(deliveries.collect())
}
