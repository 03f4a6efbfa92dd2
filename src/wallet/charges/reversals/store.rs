//! SQL of reversals.

use uuid::Uuid;

use super::model::{Moved, PaidPurchase, Reversal};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    wallet::charges::purchases::model::{PurchaseId, PurchaseStatus},
};

/// Settled purchase whose provider is due to be asked about its money.
#[derive(Clone, Debug)]
pub struct DuePurchase {
    pub id: PurchaseId,
    pub payment_ref: String,
}

/// Claims up to `rows_max` settled purchases that are due, for an hour: without an answer they are due
/// again then. Purchases that were settled `days_max` ago, or `days_max_disputed` while a dispute is
/// open, are claimed for the last time.
pub async fn claim_settled(
    db: &Pool,
    rows_max: i64,
    days_max: i32,
    days_max_disputed: i32,
) -> Result<Vec<DuePurchase>, sqlx::Error> {
    sqlx::query_as!(
        DuePurchase,
        r#"
        update charges
        set check_at = case
                when settled_at < clock_timestamp()
                    - make_interval(days => case status when 'DISPUTED' then $3::integer else $2::integer end)
                then 'infinity'
                else clock_timestamp() + interval '1 hour'
            end
        where id = any(array(
            select id from charges
            where settled_at is not null and check_at < 'infinity' and check_at <= now()
            order by check_at, id
            limit $1
            for no key update skip locked))
        returning id as "id: _", payment_ref as "payment_ref!"
        "#,
        rows_max,
        days_max,
        days_max_disputed,
    )
    .fetch_all(db)
    .await
}

/// Notes that the provider has answered for a settled purchase. It is asked again after an hour, then two,
/// four and so on, a week at most, or a day while a dispute is open.
pub async fn write_answered(db: &Pool, id: PurchaseId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update charges
        set n_checks = n_checks + 1,
            check_at = clock_timestamp() + least(
                case status when 'DISPUTED' then interval '1 day' else interval '7 days' end,
                interval '1 hour' * (2 ^ least(n_checks, 8)))
        where id = $1 and check_at < 'infinity'
        "#,
        id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the account of the purchase that a payment settled; `None` if there is none.
pub async fn find_buyer(
    tx: &mut Connection,
    payment_ref: &str,
) -> Result<Option<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select account_id as "account_id: AccountId" from charges where payment_ref = $1"#,
        payment_ref,
    )
    .fetch_optional(tx)
    .await
}

/// Locks the purchase that a payment settled; `None` if there is none.
pub(super) async fn lock_paid_by(
    tx: &mut Connection,
    payment_ref: &str,
) -> Result<Option<PaidPurchase>, sqlx::Error> {
    sqlx::query_as!(
        PaidPurchase,
        r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, status as "status: _", reversed, unclaimed_at is not null as "is_unclaimed!"
        from charges
        where payment_ref = $1
        for no key update
        "#,
        payment_ref,
    )
    .fetch_optional(tx)
    .await
}

/// Lists the reversals of a purchase, in the order in which they were written.
pub(super) async fn list_reversals(
    tx: &mut Connection,
    id: PurchaseId,
) -> Result<Vec<Reversal>, sqlx::Error> {
    sqlx::query_as!(
        Reversal,
        r#"
        select cause as "cause: _", cause_ref, amount_minor, happened_at, points
        from charge_reversals
        where charge_id = $1
        order by created_at, id
        "#,
        id as _,
    )
    .fetch_all(tx)
    .await
}

/// Inserts a reversal with the movement of its points.
pub(super) async fn insert_reversal(
    tx: &mut Connection,
    id: Uuid,
    purchase_id: PurchaseId,
    reversal: &Reversal,
    Moved { moved, forgone }: Moved,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into charge_reversals
            (id, charge_id, cause, cause_ref, points, moved, forgone, amount_minor, happened_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        "#,
        id,
        purchase_id as _,
        reversal.cause as _,
        reversal.cause_ref,
        reversal.points,
        moved,
        forgone,
        reversal.amount_minor,
        reversal.happened_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the points of an account's debts that were written off, less the points that it has forgone
/// since for this reason.
pub(super) async fn written_off(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select (coalesce((
                select sum(w.points) from debt_write_offs w
                where w.wallet_id = (select id from wallets where account_id = $1)), 0)
            - coalesce((
                select sum(reversal.forgone)
                from (select id from charges where account_id = $1 offset 0) own
                cross join lateral (
                    select forgone from charge_reversals where charge_id = own.id offset 0
                ) reversal), 0))::bigint as "points!"
        "#,
        account_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Writes the points reversed so far and the status of a locked purchase.
pub(super) async fn write_reversed(
    tx: &mut Connection,
    id: PurchaseId,
    reversed: i64,
    status: PurchaseStatus,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update charges set reversed = $2, status = $3 where id = $1",
        id as _,
        reversed,
        status as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
