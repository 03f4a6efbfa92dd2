//! SQL of single tokens; joins, admission, guards and the purge have stores of their own.
//!
//! A queue grows from nothing to a million tokens in minutes, faster than the planner's statistics,
//! and a plan made for an empty table reads all of it. Therefore every statement about many
//! accounts or programs asks for each of them alone: `lateral (… limit 1)` leaves the planner no
//! other way than one index lookup for each.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use super::model::{LiveToken, QueueNumber, Stay, Token, TokenId, TokenStatus};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::{Connection, Pool},
};

pub(crate) mod positions;

/// Position that an account should have in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProjectedPosition {
    /// Waiting, with this number.
    Waiting(QueueNumber),
    /// Admitted, with a stay until this moment.
    Inside(DateTime<Utc>),
    /// Neither: no live token, or a parked one.
    Nowhere,
}

impl ProjectedPosition {
    /// Returns the queue number, if the account waits.
    pub(crate) fn number(self) -> Option<QueueNumber> {
        match self {
            Self::Waiting(number) => Some(number),
            Self::Inside(_) | Self::Nowhere => None,
        }
    }
}

/// Returns the latest token of an account in a queue.
pub(crate) async fn find_token(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<Token>, sqlx::Error> {
    sqlx::query_as!(
        Token,
        r#"
        select id as "id: TokenId", queue_number as "queue_number: QueueNumber",
            case when status = 'ACTIVE' and expires_at <= clock_timestamp() then 'EXPIRED'
                 else status end as "status!: TokenStatus",
            parked_at, stay_ends_at, expires_at
        from queue_tokens
        where program_id = $1 and account_id = $2
        order by queue_number desc
        limit 1
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Returns the stay of an account, if it has not ended at this moment.
pub(crate) async fn find_stay(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<Stay>, sqlx::Error> {
    sqlx::query_as!(
        Stay,
        r#"
        select id as "token_id: TokenId", program_id as "program_id: ProgramId",
            account_id as "account_id: AccountId", queue_number as "queue_number: QueueNumber",
            stay_ends_at as "stay_ends_at!", expires_at as "expires_at!"
        from queue_tokens
        where program_id = $1 and account_id = $2
            and status = 'ACTIVE' and expires_at > clock_timestamp()
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Locks the live token of an account. Its status is `EXPIRED` if its stay has run out.
pub(crate) async fn lock_live_token(
    tx: &mut Connection,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<LiveToken>, sqlx::Error> {
    sqlx::query_as!(
        LiveToken,
        r#"
        select id as "id: TokenId", queue_number as "queue_number: QueueNumber",
            case when status = 'ACTIVE' and expires_at <= clock_timestamp() then 'EXPIRED'
                 else status end as "status!: TokenStatus"
        from queue_tokens
        where program_id = $1 and account_id = $2 and status in ('WAITING', 'ACTIVE')
        for no key update
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Ends locked tokens with `status`.
pub(crate) async fn write_ends(
    tx: &mut Connection,
    tokens: &[TokenId],
    status: TokenStatus,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_tokens set status = $2, ended_at = clock_timestamp() where id = any($1)",
        tokens as _,
        status as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Records the administrator who admits a token past the queue, and why.
pub(crate) async fn write_let_in_by(
    tx: &mut Connection,
    token_id: TokenId,
    staff: AccountId,
    reason: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_tokens set let_in_by = $2, let_in_reason = $3 where id = $1",
        token_id as _,
        staff as _,
        reason,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns a parked token to the queue, with the number it has.
pub(crate) async fn write_return(db: &Pool, token_id: TokenId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_tokens set parked_at = null where id = $1 and status = 'WAITING'",
        token_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whether any account waits in this queue; parked ones do not count.
pub(crate) async fn is_anybody_waiting(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from queue_tokens
            where program_id = $1 and status = 'WAITING' and parked_at is null
        ) as "is!"
        "#,
        program_id as _,
    )
    .fetch_one(db)
    .await
}

/// Returns the position that each of `accounts` should have in Redis, in their order: none while
/// numbers are being drawn.
pub(crate) async fn positions_of_accounts(
    db: &Pool,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, ProjectedPosition)>, sqlx::Error> {
    if accounts.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query!(
        r#"
        select o.account_id as "account_id!: AccountId", status as "status?: TokenStatus",
            queue_number as "queue_number?: QueueNumber", stay_ends_at as "stay_ends_at?",
            parked_at as "parked_at?"
        from unnest($2::uuid[]) with ordinality as o (account_id, nth)
        left join lateral (
            select status, queue_number, stay_ends_at, parked_at
            from queue_tokens
            where program_id = $1 and account_id = o.account_id
                and status in ('WAITING', 'ACTIVE')
                and not exists (
                    select from queue_draws d
                    where d.program_id = $1 and d.step in ('CLOSED', 'REVEALED'))
            limit 1
        ) t on true
        order by nth
        "#,
        program_id as _,
        accounts as _,
    )
    .fetch_all(db)
    .await?;
    let positions = rows.into_iter().map(|row| {
        let position = match (row.status, row.queue_number, row.stay_ends_at) {
            (Some(TokenStatus::Active), _, Some(ends_at)) => ProjectedPosition::Inside(ends_at),
            (Some(_), Some(number), _) if row.parked_at.is_none() => {
                ProjectedPosition::Waiting(number)
            }
            _ => ProjectedPosition::Nowhere,
        };
        (row.account_id, position)
    });
    Ok(positions.collect())
}
