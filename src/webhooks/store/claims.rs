//! SQL of deliveries as they are made: claiming, noting, ending. Rows that end together are found by where
//! they lie, once they are locked: their key has two columns.

use crate::{
    events::EventId,
    infra::postgres::Pool,
    webhooks::{
        client::Attempt,
        model::{ClaimedEvent, EndpointId},
    },
};

/// Claims deliveries of an endpoint that are due, each the first of its subject that is still to be
/// made.
pub async fn claim(
    db: &Pool,
    endpoint_id: EndpointId,
    rows_max: i64,
    claim_secs: f64,
) -> Result<Vec<ClaimedEvent>, sqlx::Error> {
    sqlx::query_as!(
        ClaimedEvent,
        r#"
        with claimed as (
            update webhook_deliveries
            set claims = claims + 1,
                next_attempt_at = clock_timestamp() + make_interval(secs => $3)
            where endpoint_id = $1 and event_id = any(array(
                select due.event_id from webhook_deliveries due
                where due.endpoint_id = $1 and due.delivered_at is null and due.failed_at is null
                    and due.next_attempt_at <= now()
                    and due.position = (
                        select first.position from webhook_deliveries first
                        where first.endpoint_id = $1 and first.subject_id = due.subject_id
                            and first.delivered_at is null and first.failed_at is null
                        order by first.position
                        limit 1)
                order by due.next_attempt_at
                limit $2
                for no key update skip locked))
            returning event_id, claims, attempts
        )
        select e.id as "id: EventId", c.claims as claim, c.attempts, e.subject_id, e.position, e.kind,
            e.payload, e.occurred_at
        from claimed c
        cross join lateral (select * from domain_events where id = c.event_id limit 1) e
        order by e.position
        "#,
        endpoint_id as _,
        rows_max,
        claim_secs,
    )
    .fetch_all(db)
    .await
}

/// Records that an event was delivered, even if another instance has claimed it meanwhile. The next of its
/// subject, which was put off with it, is due at once.
pub(crate) async fn write_delivered(
    db: &Pool,
    endpoint_id: EndpointId,
    event: &ClaimedEvent,
    attempt: &Attempt,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with made as (
            update webhook_deliveries
            set delivered_at = clock_timestamp(), failed_at = null, attempts = attempts + 1,
                last_status = $3, last_error = null, last_latency_ms = $4
            where endpoint_id = $1 and event_id = $2 and delivered_at is null
            returning subject_id, position
        )
        update webhook_deliveries d
        set next_attempt_at = clock_timestamp()
        from made
        where d.endpoint_id = $1 and d.subject_id = made.subject_id and d.position > made.position
            and d.delivered_at is null and d.failed_at is null
            and d.next_attempt_at > clock_timestamp()
        "#,
        endpoint_id as _,
        event.id as _,
        attempt.status,
        attempt.latency_ms,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Puts a delivery off, and the deliveries behind it, which wait for it; if the claim is still the last.
pub async fn write_put_off(
    db: &Pool,
    endpoint_id: EndpointId,
    event: &ClaimedEvent,
    attempt: &Attempt,
    pause_secs: f64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with failed as (
            update webhook_deliveries
            set next_attempt_at = clock_timestamp() + make_interval(secs => $4),
                attempts = attempts + 1, last_status = $5, last_error = $6, last_latency_ms = $7
            where endpoint_id = $1 and event_id = $2 and claims = $3
                and delivered_at is null and failed_at is null
            returning subject_id, position
        )
        update webhook_deliveries d
        set next_attempt_at = clock_timestamp() + make_interval(secs => $4)
        from failed
        where d.endpoint_id = $1 and d.subject_id = failed.subject_id
            and d.position > failed.position and d.delivered_at is null and d.failed_at is null
        "#,
        endpoint_id as _,
        event.id as _,
        event.claim,
        pause_secs,
        attempt.status,
        attempt.error,
        attempt.latency_ms,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Gives up deliveries past their end, of paused endpoints too; returns how many.
pub async fn write_expired(db: &Pool, rows_max: i64) -> Result<u64, sqlx::Error> {
    let expired = sqlx::query!(
        r#"
        update webhook_deliveries
        set failed_at = clock_timestamp(),
            last_error = coalesce('given up; last: ' || last_error, 'given up before an attempt')
        where ctid = any(array(
            select ctid from webhook_deliveries
            where delivered_at is null and failed_at is null and expires_at < now()
            order by expires_at
            limit $1
            for no key update skip locked))
        "#,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(expired.rows_affected())
}

/// Deletes deliveries of deleted endpoints; returns how many.
pub(crate) async fn delete_of_deleted(db: &Pool, rows_max: i64) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from webhook_deliveries
        where ctid = any(array(
            select theirs.ctid
            from (select id from webhook_endpoints where deleted_at is not null offset 0) e
            cross join lateral (
                select ctid from webhook_deliveries
                where endpoint_id = e.id
                limit $1
                for update skip locked
            ) theirs
            limit $1))
        "#,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
