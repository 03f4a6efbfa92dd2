//! SQL of the tokens, as their entries describe them.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        log::entry::{Commitment, JoinEntry},
        model::{QueueNumber, TokenId},
    },
    infra::postgres::{Connection, Pool},
};

/// Token as its entry describes it.
#[derive(Clone, Debug)]
pub(crate) struct LoggedToken {
    pub id: TokenId,
    pub number: QueueNumber,
    pub joined_at: DateTime<Utc>,
    /// `None`: inserted by an older version.
    pub commitment: Option<Vec<u8>>,
}

impl LoggedToken {
    /// Returns the token's entry; `None` while there is no commitment.
    pub(crate) fn entry(&self) -> Option<JoinEntry> {
        let commitment = self.commitment.as_deref().and_then(Commitment::stored)?;
        Some(JoinEntry { number: self.number, joined_at: self.joined_at, commitment })
    }
}

/// Returns the next tokens with numbers above `after`, in number order.
pub(crate) async fn list_tokens(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    after: i64,
    n_max: i64,
) -> Result<Vec<LoggedToken>, sqlx::Error> {
    sqlx::query_as!(
        LoggedToken,
        r#"
        select id as "id: TokenId", queue_number as "number: QueueNumber", issued_at as joined_at,
            commitment
        from queue_tokens
        where program_id = $1 and queue_number > $2
        order by queue_number
        limit $3
        "#,
        program_id as _,
        after,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the latest token of an account in a queue.
pub(crate) async fn find_token(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<LoggedToken>, sqlx::Error> {
    sqlx::query_as!(
        LoggedToken,
        r#"
        select id as "id: TokenId", queue_number as "number: QueueNumber", issued_at as joined_at,
            commitment
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

/// Returns the tokens without a commitment among the next `n_max` tokens with numbers above
/// `after`.
pub(crate) async fn list_uncommitted(
    tx: &mut Connection,
    program_id: ProgramId,
    after: i64,
    n_max: i64,
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: TokenId" from queue_tokens
        where program_id = $1 and queue_number > $2 and queue_number <= $2 + $3
            and commitment is null
        order by queue_number
        "#,
        program_id as _,
        after,
        n_max,
    )
    .fetch_all(tx)
    .await
}

/// Adds commitments to tokens that have none.
pub(crate) async fn write_commitments(
    tx: &mut Connection,
    tokens: &[TokenId],
    commitments: &[Vec<u8>],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_tokens set commitment = new.commitment
        from unnest($1::uuid[], $2::bytea[]) as new (id, commitment)
        where queue_tokens.id = new.id and queue_tokens.commitment is null
        "#,
        tokens as _,
        commitments,
    )
    .execute(tx)
    .await?;
    Ok(())
}
