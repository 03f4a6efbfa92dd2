//! SQL of tokens of several accounts; each is asked for alone, as `store` explains.

use super::model::OwnedToken;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{TokenId, TokenStatus},
    infra::postgres::Connection,
};

/// Locks the live tokens of `owners` that nobody else holds. It waits for no lock, so their order
/// does not matter.
pub(crate) async fn lock_free(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
) -> Result<Vec<OwnedToken>, sqlx::Error> {
    let (programs, accounts): (Vec<_>, Vec<_>) = owners.iter().copied().unzip();
    sqlx::query_as!(
        OwnedToken,
        r#"
        select t.id as "id: TokenId", t.program_id as "program_id: ProgramId",
            t.account_id as "account_id: AccountId", t.status as "status: TokenStatus"
        from unnest($1::uuid[], $2::uuid[]) as asked (program_id, account_id)
        cross join lateral (
            select id, program_id, account_id, status from queue_tokens
            where program_id = asked.program_id and account_id = asked.account_id
                and status in ('WAITING', 'ACTIVE')
            limit 1
            for no key update skip locked
        ) t
        "#,
        programs as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns those of `owners` that have a live token.
pub(crate) async fn list_with_live_token(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
) -> Result<Vec<(ProgramId, AccountId)>, sqlx::Error> {
    let (programs, accounts): (Vec<_>, Vec<_>) = owners.iter().copied().unzip();
    let rows = sqlx::query!(
        r#"
        select t.program_id as "program_id: ProgramId", t.account_id as "account_id: AccountId"
        from unnest($1::uuid[], $2::uuid[]) as asked (program_id, account_id)
        cross join lateral (
            select program_id, account_id from queue_tokens
            where program_id = asked.program_id and account_id = asked.account_id
                and status in ('WAITING', 'ACTIVE')
            limit 1
        ) t
        "#,
        programs as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.program_id, row.account_id)).collect())
}
