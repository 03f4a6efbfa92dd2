//! SQL of the obstacles of a deletion. The features write their own rows.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::model::Obstacle;
use crate::{accounts::AccountId, infra::postgres::Pool, points::Points};

struct ObstacleRow {
    kind: String,
    id: Uuid,
    title: String,
    points: Points,
    /// End of a hold or a transfer, or start of a performance.
    until: DateTime<Utc>,
    time_zone: String,
}

impl From<ObstacleRow> for Obstacle {
    fn from(row: ObstacleRow) -> Self {
        let ObstacleRow { kind, id, title, points, until, time_zone } = row;
        match kind.as_str() {
            "hold" => Self::Hold { id, title, until },
            "tickets" => Self::Tickets { id, title, starts_at: until, time_zone },
            "received-ticket" => Self::TicketReceived { id, title, starts_at: until, time_zone },
            "shared-ticket" => Self::TicketShared { id, title, starts_at: until, time_zone },
            "return" => Self::Return { id, title },
            "share" => Self::SharePaid { id, title, points },
            "sent-offer" => Self::HandOverSent { id, title },
            "received-offer" => Self::HandOverReceived { id, title },
            "sent" => Self::TransferSent { id, name: title, points },
            "received" => Self::TransferReceived { id, name: title, points },
            "wish" => Self::Wish { id, title },
            _ => Self::Purchase { id, points },
        }
    }
}

/// Lists the obstacles to the deletion of an account, at most `rows_max` of each kind. Holds, transfers
/// and hand-overs past their end count only where `is_strict`: a worker is about to end them.
pub(super) async fn list_obstacles(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
    is_strict: bool,
    rows_max: i64,
) -> Result<Vec<Obstacle>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        ObstacleRow,
        "../../src/account_deletion/obstacles.sql",
        account_id as _,
        is_strict,
        rows_max,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Obstacle::from).collect())
}

/// Lists the titles of the programs in whose queues an account is, at most `rows_max`.
pub(super) async fn list_lines(
    db: &Pool,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select p.title as "title!"
        from (
            select program_id
            from (select program_id, status from queue_tokens where account_id = $1 offset 0) own
            where status in ('WAITING', 'ACTIVE')
            limit $2
        ) t
        cross join lateral (select title from programs where id = t.program_id limit 1) p
        order by p.title
        "#,
        account_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}
