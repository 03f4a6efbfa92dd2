//! SQL of hand-overs past their end.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    infra::postgres::Pool,
    tickets::{hand_over::model::HandOverId, model::TicketId},
};

/// Lists pending hand-overs past their end, with their tickets, after the end and id of the last one
/// of the previous page.
pub(crate) async fn list(
    db: &Pool,
    after: Option<(DateTime<Utc>, HandOverId)>,
    rows_max: i64,
) -> Result<Vec<(DateTime<Utc>, HandOverId, TicketId)>, sqlx::Error> {
    let (after_end, after_id) = after.unzip();
    let rows = sqlx::query!(
        r#"
        select expires_at, id as "id: HandOverId", ticket_id as "ticket_id: TicketId"
        from ticket_hand_overs
        where status = 'PENDING' and settled_at is null and expires_at <= clock_timestamp()
          and (expires_at, id) > (coalesce($1, '-infinity'::timestamptz),
                                  coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
        order by expires_at, id
        limit $3
        "#,
        after_end,
        after_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.expires_at, row.id, row.ticket_id)).collect())
}

/// Lists the tickets of an account's pending hand-overs past their end, sent or received.
pub(crate) async fn list_of(
    db: &Pool,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Vec<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        (select ticket_id as "ticket_id!: TicketId" from ticket_hand_overs
         where sender_id = $1 and status = 'PENDING' and expires_at <= clock_timestamp()
         order by id limit $2)
        union all
        (select ticket_id from ticket_hand_overs
         where recipient_id = $1 and status = 'PENDING' and expires_at <= clock_timestamp()
         order by id limit $2)
        "#,
        account_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}
