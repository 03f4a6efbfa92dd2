//! SQL of charges that are settled together.

use std::collections::HashSet;

use sqlx::{Row, postgres::PgRow, types::Json};
use uuid::Uuid;

use super::model::ChargeRequest;
use crate::{
    accounts::AccountId,
    infra::{
        idempotency::{NewOutcomes, Outcomes, RequestKey},
        postgres::{Connection, OpeningCall, Pool},
    },
    points::Points,
    wallet::{
        error::WalletError,
        locked::{LockedWallets, store::Movements},
    },
};

/// Returns the call that locks the wallets of `accounts` that no other transaction has locked, and
/// reads the outcomes of `requests`.
pub(super) fn locks_for(accounts: &HashSet<AccountId>, requests: &[&ChargeRequest]) -> OpeningCall {
    let keys = || requests.iter().filter_map(|request| request.key.as_ref()).map(RequestKey::id);
    OpeningCall::of("lock_charges")
        .ids(accounts.iter().map(|account_id| account_id.0))
        .ids(keys().map(|(account_id, _)| account_id))
        .ids(keys().map(|(_, key)| key))
}

/// Reads the row that the call of [`locks_for`] returned.
pub(super) fn read_locked(row: &PgRow) -> Result<(LockedWallets, Outcomes), WalletError> {
    let (Json(wallets), Json(kept)) = (row.try_get("wallets")?, row.try_get("outcomes")?);
    Ok((LockedWallets::of(wallets), Outcomes::of(kept)?))
}

/// Writes the entries of charges, their wallets and last their outcomes, in one statement; fails as
/// [`write_movements`](crate::wallet::locked::store::write_movements) does.
pub(super) async fn write_charges(
    tx: &mut Connection,
    movements: &Movements,
    outcomes: &NewOutcomes,
) -> Result<(), WalletError> {
    if movements.is_empty() && outcomes.keys.is_empty() {
        return Ok(());
    }
    let n_written = sqlx::query_scalar!(
        r#"
        select n_entries as "n_entries!"
        from write_charges($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        "#,
        &movements.ids,
        movements.wallets as _,
        &movements.versions,
        &movements.amounts,
        movements.balances as _,
        &movements.references,
        &movements.kinds,
        &outcomes.accounts,
        &outcomes.keys,
        &outcomes.fingerprints,
        &outcomes.outcomes,
    )
    .fetch_one(tx)
    .await?;
    movements.require_written(n_written)
}

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
