//! SQL of the payouts of all accounts.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    infra::postgres::Pool,
    wallet::charges::payouts::model::{PayoutId, PayoutStatus, shown},
};

/// Payouts that are listed; `None` selects all.
#[derive(Clone, Debug, Default)]
pub struct PayoutFilter {
    pub status: Option<PayoutStatus>,
    /// Performances whose refunds they are part of.
    pub schedules: Option<Vec<Uuid>>,
}

/// Payout as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedPayout {
    pub id: PayoutId,
    pub status: PayoutStatus,
    pub account_id: AccountId,
    pub email: String,
    pub reservation_id: Option<Uuid>,
    pub points: i64,
    pub amount_minor: i64,
    pub currency: String,
    /// Name of the payment at the provider.
    pub payment_ref: String,
    /// Name of the refund at the provider; null until its answer has arrived.
    pub refund_ref: Option<String>,
    /// Why it failed, as the provider says it.
    pub failure: Option<String>,
    /// How often the provider was asked.
    pub n_checks: i32,
    /// Whether it failed and another payout tries it again.
    pub is_retried: bool,
    pub created_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
}

impl ListedPayout {
    /// Returns the amount as people read it.
    pub fn money(&self) -> String {
        shown(self.amount_minor, &self.currency)
    }

    /// Whether it can be tried again, or asked about.
    pub fn can_be_tried(&self) -> bool {
        self.status == PayoutStatus::Sent || self.status == PayoutStatus::Failed && !self.is_retried
    }
}

/// Lists payouts that `filter` selects, the newest first, older than `after`. Each filter has a branch of its own,
/// because a single plan for all would read the whole table.
pub async fn list(
    db: &Pool,
    filter: &PayoutFilter,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<ListedPayout>, sqlx::Error> {
    sqlx::query_as!(
        ListedPayout,
        r#"
        select p.id as "id!: _", p.status as "status!: _", c.account_id as "account_id!: _",
            a.email as "email!", p.reservation_id, p.points as "points!",
            p.amount_minor as "amount_minor!", c.currency as "currency!",
            c.payment_ref as "payment_ref!", p.refund_ref, p.failure, p.n_checks as "n_checks!",
            (select again.id from payouts again where again.retry_of = p.id limit 1) is not null
                as "is_retried!",
            p.created_at as "created_at!", p.sent_at, p.ended_at
        from (
            (select * from payouts
             where $1::text is null and $2::uuid[] is null
                and id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
             order by id desc
             limit $4)
            union all
            (select * from payouts
             where $1 = 'FAILED' and $2::uuid[] is null and status = 'FAILED'
                and id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
             order by id desc
             limit $4)
            union all
            (select * from payouts
             where $1 in ('OPEN', 'SENT') and $2::uuid[] is null and status in ('OPEN', 'SENT')
                and status = $1
                and id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
             order by id desc
             limit $4)
            union all
            -- Most are settled: the newest ones are found from the newest of all.
            (select * from payouts
             where $1 = 'SETTLED' and $2::uuid[] is null and status = 'SETTLED'
                and id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
             order by id desc
             limit $4)
            union all
            (select * from payouts
             where schedule_id = any($2) and ($1::text is null or status = $1)
                and id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
             order by id desc
             limit $4)
        ) p
        cross join lateral (
            select account_id, currency, payment_ref from charges where id = p.charge_id limit 1
        ) c
        cross join lateral (select email from accounts where id = c.account_id limit 1) a
        order by p.id desc
        "#,
        filter.status as _,
        filter.schedules.as_deref(),
        after,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Sum of the payouts of one state and currency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PayoutSum {
    pub status: PayoutStatus,
    pub currency: String,
    pub count: i64,
    pub points: i64,
    pub amount_minor: i64,
}

impl PayoutSum {
    /// Returns the amount as people read it.
    pub fn money(&self) -> String {
        shown(self.amount_minor, &self.currency)
    }
}

/// Returns the sums of the payouts of the orders of `schedules`, or of the newest `rows_max` payouts, of every
/// state.
pub async fn sum(
    db: &Pool,
    schedules: Option<&[Uuid]>,
    rows_max: i64,
) -> Result<Vec<PayoutSum>, sqlx::Error> {
    sqlx::query_as!(
        PayoutSum,
        r#"
        select p.status as "status!: _", c.currency as "currency!", count(*) as "count!",
            sum(p.points)::bigint as "points!", sum(p.amount_minor)::bigint as "amount_minor!"
        from (
            (select * from payouts where schedule_id = any($1) offset 0)
            union all
            (select * from payouts
             where $1::uuid[] is null and id < 'ffffffff-ffff-ffff-ffff-ffffffffffff'
             order by id desc
             limit $2)
        ) p
        cross join lateral (select currency from charges where id = p.charge_id limit 1) c
        group by p.status, c.currency
        order by array_position(array['OPEN', 'SENT', 'SETTLED', 'FAILED'], p.status), c.currency
        "#,
        schedules,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists failed payouts that `filter` selects and that no other payout tries again, the oldest first, newer than
/// `after`.
pub async fn list_failed(
    db: &Pool,
    filter: &PayoutFilter,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<PayoutId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: PayoutId" from payouts p
        where status = 'FAILED' and id > coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
            and ($1::uuid[] is null or schedule_id = any($1))
            and (select again.id from payouts again where again.retry_of = p.id limit 1) is null
        order by id
        limit $2
        "#,
        filter.schedules.as_deref(),
        rows_max,
        after,
    )
    .fetch_all(db)
    .await
}

/// Lists the performances of a program.
pub async fn list_schedules(db: &Pool, program_id: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!("select id from schedules where program_id = $1", program_id)
        .fetch_all(db)
        .await
}
