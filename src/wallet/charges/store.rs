//! SQL of charges that are settled together.

use uuid::Uuid;

use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    points::Points,
};

/// Returns the balances after the `charges` that are settled, each with its charge's id. `accounts`
/// is parallel to `charges`.
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

/// Whether `account_id` orders points for a reservation of its own that is not held any more, by a
/// request key that ordered none before.
pub(super) async fn is_for_ended_hold(
    db: &Pool,
    account_id: AccountId,
    reservation_id: Uuid,
    request_key: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
                select from reservations
                where id = $2 and account_id = $1
                    and (status <> 'HELD' or expires_at <= clock_timestamp()))
            and not exists (select from charges where account_id = $1 and request_key = $3)
            and not exists (
                select from point_transactions where reference_id = $3 and kind = 'CHARGE') as "is!"
        "#,
        account_id as _,
        reservation_id,
        request_key,
    )
    .fetch_one(db)
    .await
}
