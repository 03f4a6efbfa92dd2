//! SQL of payouts.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::{
    allocation::AllocatedPart,
    bought::LedgerLine,
    model::{DuePayout, PayoutId, PayoutStatus, ShownPayout},
};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    points::Points,
    wallet::charges::purchases::model::PurchaseId,
};

/// Lists the newest `rows_max` lines of an account's ledger, the oldest first.
pub async fn list_lines(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Vec<LedgerLine>, sqlx::Error> {
    sqlx::query_as!(
        LedgerLine,
        r#"
        select case when to_house.payment_id is null then kind else 'REFUND' end as "kind!: _",
            amount as "amount!", coalesce(to_house.payment_id, reference_id) as "reference_id!",
            balance_after as "balance_after!"
        from (
            select wallet_version, kind, amount, reference_id, balance_after
            from point_transactions
            where wallet_id = (select id from wallets where account_id = $1)
            order by wallet_version desc
            limit $2
        ) newest
        -- What the house took back is a refund of a part of its payment.
        left join lateral (
            select payment_id from ticket_returns
            where newest.kind = 'RESALE' and id = newest.reference_id and to_house limit 1
        ) to_house on true
        order by wallet_version
        "#,
        account_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Inserts a payout that is to be sent at once.
pub(super) async fn insert(
    tx: &mut Connection,
    id: PayoutId,
    part: &AllocatedPart,
    reservation_id: Option<Uuid>,
    retry_of: Option<PayoutId>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into payouts
            (id, charge_id, points, amount_minor, reservation_id, retry_of, schedule_id)
        values ($1, $2, $3, $4, $5, $6, (select schedule_id from reservations where id = $5))
        "#,
        id as _,
        part.charge_id as _,
        part.points,
        part.minor,
        reservation_id,
        retry_of as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the points that the payouts of a locked purchase have taken, as these say.
pub(super) async fn write_paid_out(tx: &mut Connection, id: PurchaseId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update charges
        set paid_out = (select coalesce(sum(points), 0) from payouts
                        where charge_id = $1 and status <> 'FAILED')
        where id = $1
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Has the worker ask the provider soon about the money of a purchase.
pub(super) async fn ask_soon(tx: &mut Connection, id: PurchaseId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update charges
        set check_at = least(check_at, clock_timestamp() + interval '1 minute')
        where id = $1 and settled_at is not null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Claims up to `rows_max` payouts that are due, and notes that the provider is asked about them. An open one
/// is sent from then on. The next time is a minute later, then two, four and so on: an hour at most while the
/// provider has given no name, a day while the money is on its way, and every ten days once it has been sent. After
/// 30 days the provider is asked no more about one that it has named, and one without a name is looked for each
/// day until the provider says what became of it.
pub async fn claim_due(db: &Pool, rows_max: i64) -> Result<Vec<DuePayout>, sqlx::Error> {
    sqlx::query_as!(
        DuePayout,
        r#"
        with due as (
            update payouts
            set status = case status when 'OPEN' then 'SENT' else status end,
                sent_at = coalesce(sent_at, clock_timestamp()), n_checks = n_checks + 1,
                check_at = case
                    when sent_at < clock_timestamp() - interval '30 days' and refund_ref is not null then 'infinity'
                    when status = 'SETTLED' then clock_timestamp() + interval '10 days'
                    else clock_timestamp() + least(
                        case when refund_ref is null and coalesce(sent_at, clock_timestamp())
                            > clock_timestamp() - interval '30 days' then interval '1 hour'
                            else interval '1 day' end,
                        interval '1 minute' * (2 ^ least(n_checks, 11)))
                end
            where id = any(array(
                select id from payouts
                where check_at < 'infinity' and check_at <= now()
                order by check_at, id
                limit $1
                for no key update skip locked))
            returning id, charge_id, amount_minor, refund_ref, n_checks,
                sent_at < clock_timestamp() - interval '20 hours' as is_old,
                refund_ref is null and sent_at < clock_timestamp() - interval '30 days' as is_overdue
        )
        select due.id as "id!: _", due.charge_id as "charge_id!: _", c.payment_ref as "payment_ref!",
            due.amount_minor as "amount_minor!", c.currency as "currency!",
            due.refund_ref, due.n_checks as "n_checks!", due.is_old as "is_old!",
            due.is_overdue as "is_overdue!"
        from due
        cross join lateral (
            select payment_ref, currency from charges where id = due.charge_id limit 1
        ) c
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the payout `id`, or the one that the provider has named `refund_ref`, about which it is not asked;
/// `None` if there is neither.
pub async fn find(
    db: &Pool,
    id: Option<PayoutId>,
    refund_ref: &str,
) -> Result<Option<DuePayout>, sqlx::Error> {
    sqlx::query_as!(
        DuePayout,
        r#"
        select p.id as "id!: _", p.charge_id as "charge_id!: _", c.payment_ref as "payment_ref!",
            p.amount_minor as "amount_minor!", c.currency as "currency!",
            p.refund_ref, p.n_checks as "n_checks!", false as "is_old!", false as "is_overdue!"
        from (
            (select * from payouts where id = $1 limit 1)
            union all
            (select * from payouts where refund_ref = $2 limit 1)
        ) p
        cross join lateral (
            select payment_ref, currency from charges where id = p.charge_id limit 1
        ) c
        limit 1
        "#,
        id as _,
        refund_ref,
    )
    .fetch_optional(db)
    .await
}

/// Payout whose row a transaction has locked.
#[derive(Clone, Debug)]
pub struct LockedPayout {
    pub points: Points,
    pub amount_minor: i64,
    pub status: PayoutStatus,
    pub reservation_id: Option<Uuid>,
    /// Whether another payout tries it again.
    pub is_retried: bool,
}

/// Locks a payout.
pub(super) async fn lock(
    tx: &mut Connection,
    id: PayoutId,
) -> Result<Option<LockedPayout>, sqlx::Error> {
    sqlx::query_as!(
        LockedPayout,
        r#"
        select points as "points: _", amount_minor, status as "status: _", reservation_id,
            exists (select from payouts again where again.retry_of = $1) as "is_retried!"
        from payouts
        where id = $1
        for no key update
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns the account and the purchase of a payout; `None` if there is none.
pub async fn find_payer(
    tx: &mut Connection,
    id: PayoutId,
) -> Result<Option<(AccountId, PurchaseId)>, sqlx::Error> {
    let found = sqlx::query!(
        r#"
        select c.account_id as "account_id!: AccountId", p.charge_id as "charge_id!: PurchaseId"
        from (select charge_id from payouts where id = $1 limit 1) p
        cross join lateral (select account_id from charges where id = p.charge_id limit 1) c
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.map(|row| (row.account_id, row.charge_id)))
}

/// Writes the provider's name of a payout.
pub async fn write_named(db: &Pool, id: PayoutId, refund_ref: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update payouts set refund_ref = $2
        where id = $1 and refund_ref is null and status = 'SENT'
        "#,
        id as _,
        refund_ref,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Writes that the provider has sent the money of a locked payout, about which it is asked every ten days.
pub(super) async fn write_settled(
    tx: &mut Connection,
    id: PayoutId,
    refund_ref: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update payouts
        set status = 'SETTLED', refund_ref = coalesce(refund_ref, $2), ended_at = clock_timestamp(),
            check_at = clock_timestamp() + interval '10 days'
        where id = $1
        "#,
        id as _,
        refund_ref,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes that a locked payout has failed, at the time `at` of the provider or now.
pub(super) async fn write_failed(
    tx: &mut Connection,
    id: PayoutId,
    refund_ref: Option<&str>,
    failure: &str,
    at: Option<DateTime<Utc>>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update payouts
        set status = 'FAILED', refund_ref = coalesce(refund_ref, $2), failure = $3,
            ended_at = coalesce($4, clock_timestamp()), check_at = 'infinity'
        where id = $1
        "#,
        id as _,
        refund_ref,
        failure,
        at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes a locked payout due that is under way.
pub(super) async fn write_due(tx: &mut Connection, id: PayoutId) -> Result<(), sqlx::Error> {
    sqlx::query!("update payouts set check_at = clock_timestamp() where id = $1", id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Lists the newest payouts of an account, of one reservation or of all.
pub async fn list_shown(
    db: &Pool,
    account_id: AccountId,
    reservation_id: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<ShownPayout>, sqlx::Error> {
    sqlx::query_as!(
        ShownPayout,
        r#"
        select payout.id as "id!: _", payout.status as "status!: _", payout.points as "points!: _",
            payout.amount_minor as "amount_minor!", own.currency as "currency!", payout.reservation_id,
            coalesce(own.settled_at, own.created_at) as "paid_at!", payout.created_at as "created_at!",
            payout.ended_at
        from (select * from charges where account_id = $1 and settled_at is not null offset 0) own
        cross join lateral (select * from payouts where charge_id = own.id offset 0) payout
        where $2::uuid is null or payout.reservation_id = $2
        order by payout.id desc
        limit $3
        "#,
        account_id as _,
        reservation_id,
        rows_max,
    )
    .fetch_all(db)
    .await
}
