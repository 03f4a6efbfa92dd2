//! SQL of what is compared with the provider's lists.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{infra::postgres::Pool, wallet::charges::payouts::model::PayoutStatus};

/// Rows of ours of one span that are compared.
pub(super) const ROWS_MAX: i64 = 1_000;
/// The same as a length.
pub(super) const ROWS_COUNT: usize = 1_000;

/// Purchase as it is kept here.
#[derive(Clone, Debug)]
pub(crate) struct KeptCharge {
    pub id: Uuid,
    pub account_id: Uuid,
    /// Name of the payment at the provider; `None` before it is settled.
    pub payment_ref: Option<String>,
    pub amount_minor: i64,
    /// Code of the currency, in upper case.
    pub currency: String,
    pub is_settled: bool,
    /// Whether it came for a deleted account, and was not returned.
    pub is_unclaimed: bool,
    /// Whether a dispute about its money was booked.
    pub was_disputed: bool,
}

/// Lists purchases by the names of their payments and by their ids; one that is found by both is listed twice.
pub(super) async fn list_found(
    db: &Pool,
    names: &[String],
    ids: &[Uuid],
) -> Result<Vec<KeptCharge>, sqlx::Error> {
    sqlx::query_as!(
        KeptCharge,
        r#"
        select id as "id!", account_id as "account_id!", payment_ref, amount_minor as "amount_minor!",
            currency as "currency!", settled_at is not null as "is_settled!",
            (unclaimed_at is not null and status in ('SETTLED', 'REINSTATED')) as "is_unclaimed!",
            (status = 'DISPUTED' or (
                select count(*) > 0 from charge_reversals where charge_id = c.id and cause = 'DISPUTE'
            )) as "was_disputed!"
        from (
            select * from charges where payment_ref = any($1)
            union all
            select * from charges where id = any($2)
            offset 0
        ) c
        "#,
        names,
        ids,
    )
    .fetch_all(db)
    .await
}

/// Lists settled purchases that were ordered from `from` until before `until`, in the order of the orders.
pub(super) async fn list_settled(
    db: &Pool,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    rows_max: i64,
) -> Result<Vec<KeptCharge>, sqlx::Error> {
    sqlx::query_as!(
        KeptCharge,
        r#"
        select id, account_id, payment_ref, amount_minor, currency, true as "is_settled!",
            (unclaimed_at is not null and status in ('SETTLED', 'REINSTATED')) as "is_unclaimed!",
            status = 'DISPUTED' as "was_disputed!"
        from charges
        where created_at >= $1 and created_at < $2 and amount_minor > 0 and settled_at is not null
        order by created_at, id
        limit $3
        "#,
        from,
        until,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Payout as it is kept here.
#[derive(Clone, Debug)]
pub(crate) struct SentPayout {
    pub id: Uuid,
    pub account_id: Uuid,
    /// Name of the refund at the provider; `None` until its answer has arrived.
    pub refund_ref: Option<String>,
    pub amount_minor: i64,
    /// Code of the currency, in upper case.
    pub currency: String,
    pub status: PayoutStatus,
}

/// Lists payouts by their ids.
pub(super) async fn list_payouts(db: &Pool, ids: &[Uuid]) -> Result<Vec<SentPayout>, sqlx::Error> {
    sqlx::query_as!(
        SentPayout,
        r#"
        select p.id, c.account_id, p.refund_ref, p.amount_minor, c.currency, p.status as "status: PayoutStatus"
        from (select * from payouts where id = any($1) offset 0) p
        cross join lateral (select account_id, currency from charges where id = p.charge_id offset 0) c
        "#,
        ids,
    )
    .fetch_all(db)
    .await
}

/// Lists payouts that were made from `from` until before `until` and did not fail, in the order of their making.
pub(super) async fn list_sent(
    db: &Pool,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    rows_max: i64,
) -> Result<Vec<SentPayout>, sqlx::Error> {
    sqlx::query_as!(
        SentPayout,
        r#"
        select p.id, c.account_id, p.refund_ref, p.amount_minor, c.currency, p.status as "status: PayoutStatus"
        from (
            select * from payouts where created_at >= $1 and created_at < $2 and amount_minor > 0 and status <> 'FAILED'
            order by created_at, id
            limit $3
        ) p
        cross join lateral (select account_id, currency from charges where id = p.charge_id offset 0) c
        "#,
        from,
        until,
        rows_max,
    )
    .fetch_all(db)
    .await
}
