//! SQL of charges that are settled together.

use uuid::Uuid;

use crate::{accounts::AccountId, infra::postgres::Connection, points::Points};

/// Returns the balances after those of `charges` that are settled, each with its charge's id.
/// `accounts` is parallel to `charges`.
pub(super) async fn list_settled(
    tx: &mut Connection,
    charges: &[Uuid],
    accounts: &[AccountId],
) -> Result<Vec<(Uuid, Points)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select t.reference_id, t.balance_after as "balance_after: Points"
        from unnest($1::uuid[], $2::uuid[]) as asked (charge_id, account_id)
        cross join lateral (
            select id from wallets where account_id = asked.account_id limit 1
        ) w
        cross join lateral (
            select reference_id, balance_after from point_transactions
            where reference_id = asked.charge_id and kind = any('{CHARGE,PURCHASE}')
              and wallet_id = w.id
            limit 1
        ) t
        "#,
        charges,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.reference_id, row.balance_after)).collect())
}
