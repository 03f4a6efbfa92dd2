//! SQL of the accounts that a move of a performance concerns.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    accounts::AccountId,
    catalog::ScheduleId,
    infra::postgres::{Connection, Pool},
};

/// Accounts that a move of a performance concerns, counted; one account may be of several kinds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Concerned {
    /// Accounts that hold a ticket.
    pub(crate) holders: i64,
    /// Accounts that paid for a reservation of it.
    pub(crate) payers: i64,
    /// Accounts on its waiting list.
    pub(crate) waiting: i64,
    /// Accounts in the line of its show. They get no mail: the pages that they wait on say the new start.
    pub(crate) in_line: i64,
}

impl Concerned {
    /// Whether a move would be told to any account.
    pub(crate) fn is_any(&self) -> bool {
        self.holders + self.payers + self.waiting > 0
    }
}

/// Counts the accounts that a move of a performance concerns.
pub(crate) async fn count(db: &Pool, id: ScheduleId) -> Result<Concerned, sqlx::Error> {
    sqlx::query_as!(
        Concerned,
        r#"
        with paid as materialized (
            select r.id from reservations r where r.schedule_id = $1 and r.status = 'CONFIRMED'
        )
        select
            (select count(distinct t.account_id)
             from paid
             cross join lateral (
                select id from reservation_items where reservation_id = paid.id offset 0
             ) i
             cross join lateral (
                select account_id from tickets
                where reservation_item_id = i.id and status <> 'VOID' offset 0
             ) t) as "holders!",
            (select count(distinct m.account_id)
             from paid
             cross join lateral (
                select account_id from payments
                where reservation_id = paid.id and status = 'COMPLETED' offset 0
             ) m) as "payers!",
            (select count(*) from wishes
             where schedule_id = $1 and status = 'WAITING' and settled_at is null) as "waiting!",
            (select count(*) from queue_tokens
             where program_id = d.program_id and status = 'WAITING' and parked_at is null)
            + (select count(*) from queue_tokens
               where program_id = d.program_id and status = 'WAITING' and parked_at is not null)
                as "in_line!"
        from schedules d
        where d.id = $1
        "#,
        id as _,
    )
    .fetch_one(db)
    .await
}

/// Account that a move concerns.
pub(super) struct ConcernedAccount {
    pub(super) id: AccountId,
    /// Whether it has a part in the performance: a ticket, a payment, a reservation or a hold. Otherwise it
    /// waits for places.
    pub(super) has_part: bool,
}

/// Locks a performance against new holds and wishes, having waited for the ones under way, and returns whether
/// its move to `starts_at` can concern any account: false for a draft, where it is cancelled, or both starts have
/// passed.
pub(super) async fn lock(
    tx: &mut Connection,
    id: ScheduleId,
    starts_at: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let is_live = sqlx::query_scalar!(
        r#"
        select d.cancelled_at is null and p.status = 'PUBLISHED'
            and greatest(d.starts_at, $2::timestamptz) > clock_timestamp() as "is_live!"
        from schedules d
        join programs p on p.id = d.program_id
        where d.id = $1
        for update of d
        "#,
        id as _,
        starts_at,
    );
    Ok(is_live.fetch_optional(tx).await?.unwrap_or_default())
}

/// Lists the accounts that the move of a locked performance concerns, each once.
pub(super) async fn list(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<Vec<ConcernedAccount>, sqlx::Error> {
    sqlx::query_file_as!(
        ConcernedAccount,
        "../../src/admin/schedules/telling/list_concerned.sql",
        id as _,
    )
    .fetch_all(tx)
    .await
}
