//! SQL of reversals.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::model::{Cause, Moved, OwnPayout, PaidPurchase, Reversal};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    points::Points,
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

/// Makes a statement that reads purchases, of the table and the conditions behind it.
macro_rules! paid_rows {
    ($from:tt, $($bound:expr),+ $(,)?) => {
        sqlx::query_as!(
            PaidRow,
            r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, status as "status: _", reversed, paid_out,
            unclaimed_at is not null as "is_unclaimed!"
"# + $from,
            $($bound),+
        )
    };
}

/// Columns of a purchase.
struct PaidRow {
    id: PurchaseId,
    account_id: AccountId,
    points: Points,
    amount_minor: i64,
    currency: String,
    status: PurchaseStatus,
    reversed: i64,
    paid_out: i64,
    is_unclaimed: bool,
}

impl PaidRow {
    fn with(self, payouts: &[OwnPayout]) -> PaidPurchase {
        let own = payouts.iter().filter(|payout| payout.charge_id == self.id).copied().collect();
        PaidPurchase {
            id: self.id,
            account_id: self.account_id,
            points: self.points,
            amount_minor: self.amount_minor,
            currency: self.currency,
            status: self.status,
            reversed: self.reversed,
            paid_out: self.paid_out,
            own,
            is_unclaimed: self.is_unclaimed,
        }
    }
}

/// Locks the purchase that a payment settled; `None` if there is none.
pub(super) async fn lock_paid_by(
    tx: &mut Connection,
    payment_ref: &str,
) -> Result<Option<PaidPurchase>, sqlx::Error> {
    let found = paid_rows!(
        r#"
        from charges
        where payment_ref = $1
        for no key update
        "#,
        payment_ref,
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(with_payouts(tx, found).await?.pop())
}

/// Locks the settled purchase `id`; `None` if it is not settled.
pub(crate) async fn lock_paid(
    tx: &mut Connection,
    id: PurchaseId,
) -> Result<Option<PaidPurchase>, sqlx::Error> {
    let found = paid_rows!(
        r#"
        from charges
        where id = $1 and settled_at is not null
        for no key update
        "#,
        id as _,
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(with_payouts(tx, found).await?.pop())
}

/// Locks the purchases of `accounts` of which points are left and no money is in dispute, at most `rows_max` of
/// each account. Returns them newest first.
pub(crate) async fn lock_left(
    tx: &mut Connection,
    accounts: &[AccountId],
    rows_max: i64,
) -> Result<Vec<PaidPurchase>, sqlx::Error> {
    let found = paid_rows!(
        r#"
        from charges
        where id = any(array(
                select own.id from unnest($1::uuid[]) as payer (id)
                cross join lateral (
                    select theirs.id
                    from (select * from charges where account_id = payer.id offset 0) theirs
                    where theirs.status in ('SETTLED', 'REINSTATED') and theirs.unclaimed_at is null
                        and theirs.paid_out + theirs.reversed < theirs.points
                    order by theirs.id desc
                    limit $2
                ) own))
            and status in ('SETTLED', 'REINSTATED')
        order by id
        for no key update
        "#,
        accounts as _,
        rows_max,
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut newest_first = with_payouts(tx, found).await?;
    newest_first.reverse();
    Ok(newest_first)
}

/// Lists the purchases that [`lock_left`] would lock.
pub(crate) async fn list_left(
    db: &Pool,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Vec<PaidPurchase>, sqlx::Error> {
    let found = paid_rows!(
        r#"
        from (select * from charges where account_id = $1 offset 0) own
        where status in ('SETTLED', 'REINSTATED') and unclaimed_at is null and paid_out + reversed < points
        order by id desc
        limit $2
        "#,
        account_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await?;
    with_payouts(db, found).await
}

/// Lists settled purchases by their ids.
pub(super) async fn list_paid(
    db: &Pool,
    ids: &[PurchaseId],
) -> Result<Vec<PaidPurchase>, sqlx::Error> {
    let found = paid_rows!(
        r#"
        from (select * from charges where id = any($1) offset 0) own
        where settled_at is not null
        "#,
        ids as _,
    )
    .fetch_all(db)
    .await?;
    with_payouts(db, found).await
}

/// Lists the purchases that have a reversal which was booked from `from` until before `until`.
pub(super) async fn list_reversed(
    db: &Pool,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<PurchaseId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select distinct charge_id as "id: PurchaseId"
        from (select charge_id from charge_reversals where created_at >= $1 and created_at < $2 offset 0) booked
        "#,
        from,
        until,
    )
    .fetch_all(db)
    .await
}

/// Adds the payouts of purchases, of locked ones as they are behind the lock.
async fn with_payouts(
    db: impl PgExecutor<'_>,
    rows: Vec<PaidRow>,
) -> Result<Vec<PaidPurchase>, sqlx::Error> {
    let ids: Vec<PurchaseId> = rows.iter().map(|row| row.id).collect();
    let own = list_payouts(db, &ids).await?;
    Ok(rows.into_iter().map(|row| row.with(&own)).collect())
}

/// Lists the payouts of purchases.
pub(crate) async fn list_payouts(
    db: impl PgExecutor<'_>,
    ids: &[PurchaseId],
) -> Result<Vec<OwnPayout>, sqlx::Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_as!(
        OwnPayout,
        r#"
        select charge_id as "charge_id: _", amount_minor as minor, sent_at,
            case status when 'FAILED' then ended_at end as failed_at,
            refund_ref is not null as "is_known!", status = 'SETTLED' as "is_settled!"
        from payouts
        where charge_id = any($1)
        "#,
        ids as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the reversals of a purchase, in the order in which they were written.
pub(crate) async fn list_reversals(
    db: impl PgExecutor<'_>,
    id: PurchaseId,
) -> Result<Vec<Reversal>, sqlx::Error> {
    let rows = list_all_reversals(db, &[id]).await?;
    Ok(rows.into_iter().map(|(_, reversal)| reversal).collect())
}

/// Lists the reversals of purchases, in the order in which they were written.
pub(super) async fn list_all_reversals(
    db: impl PgExecutor<'_>,
    ids: &[PurchaseId],
) -> Result<Vec<(PurchaseId, Reversal)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select charge_id as "charge_id: PurchaseId", cause as "cause: Cause", cause_ref, amount_minor, happened_at,
            created_at, points
        from (select * from charge_reversals where charge_id = any($1) offset 0) own
        order by created_at, id
        "#,
        ids as _,
    )
    .fetch_all(db)
    .await?;
    let reversals = rows.into_iter().map(|row| {
        let reversal = Reversal {
            cause: row.cause,
            cause_ref: row.cause_ref,
            amount_minor: row.amount_minor,
            happened_at: row.happened_at,
            created_at: Some(row.created_at),
            points: row.points,
        };
        (row.charge_id, reversal)
    });
    Ok(reversals.collect())
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
            (id, charge_id, cause, cause_ref, points, moved, forgone, amount_minor, happened_at,
             knows_payouts)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, true)
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
pub(crate) async fn write_reversed(
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
