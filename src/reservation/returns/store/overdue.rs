//! SQL of open returns after the opening of the door.

use chrono::TimeDelta;

use crate::{accounts::AccountId, infra::postgres::Pool, reservation::model::ReturnId};

/// Lists open returns of performances whose door has opened, which is `door_opens_before` their
/// start, after the last one of the previous page.
pub(in crate::reservation::returns) async fn list_overdue(
    db: &Pool,
    door_opens_before: TimeDelta,
    after: Option<ReturnId>,
    rows_max: i64,
) -> Result<Vec<ReturnId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select t.id as "id: ReturnId"
        from ticket_returns t
        cross join lateral (select starts_at from schedules where id = t.schedule_id limit 1) d
        where t.status = 'OPEN' and t.settled_at is null
          and t.id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
          and d.starts_at <= clock_timestamp() + $3
        order by t.id
        limit $2
        "#,
        after as _,
        rows_max,
        door_opens_before as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the open returns of one seller of performances whose door has opened.
pub(in crate::reservation::returns) async fn list_overdue_of(
    db: &Pool,
    seller_id: AccountId,
    door_opens_before: TimeDelta,
    rows_max: i64,
) -> Result<Vec<ReturnId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select t.id as "id: ReturnId"
        from (
            select id, schedule_id from ticket_returns
            where seller_id = $1 and status = 'OPEN'
            offset 0
        ) t
        cross join lateral (select starts_at from schedules where id = t.schedule_id limit 1) d
        where d.starts_at <= clock_timestamp() + $3
        limit $2
        "#,
        seller_id as _,
        rows_max,
        door_opens_before as _,
    )
    .fetch_all(db)
    .await
}
