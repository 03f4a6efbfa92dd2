//! SQL of the file of charges, and of the list of money to be returned.

use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::infra::postgres::Pool;

/// Charge as the file shows it.
#[derive(Clone, Debug)]
pub(crate) struct ListedCharge {
    pub id: Uuid,
    pub account_id: Uuid,
    pub points: i64,
    pub reversed: i64,
    pub amount_minor: i64,
    pub currency: String,
    pub provider: String,
    pub provider_ref: Option<String>,
    pub payment_ref: Option<String>,
    pub status: String,
    pub created_at: DateTime<Utc>,
    pub settled_at: Option<DateTime<Utc>>,
}

/// Lists charges that were ordered on `day` in the time zone named `zone`, after the charge `after`.
/// Ids are in the order of the orders.
pub(crate) async fn list_charges(
    db: &Pool,
    day: NaiveDate,
    zone: &str,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<ListedCharge>, sqlx::Error> {
    sqlx::query_as!(
        ListedCharge,
        r#"
        select id, account_id, points, reversed, amount_minor, currency, provider, provider_ref,
            payment_ref, status, created_at, settled_at
        from charges
        where created_at >= $1::date::timestamp at time zone $2
            and created_at < ($1::date + 1)::timestamp at time zone $2
            and amount_minor > 0
            and id > coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
        order by id
        limit $4
        "#,
        day,
        zone,
        after,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Money that came for an account that was deleted, and has not been returned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnclaimedCharge {
    pub id: Uuid,
    pub account_id: Uuid,
    pub amount_minor: i64,
    pub currency: String,
    /// Name of the payment at the provider, by which it is refunded there.
    pub payment_ref: String,
    pub unclaimed_at: DateTime<Utc>,
}

/// Lists money that came for deleted accounts, and has not been returned, in the order of the orders,
/// after the charge `after`.
pub async fn list_unclaimed(
    db: &Pool,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<UnclaimedCharge>, sqlx::Error> {
    sqlx::query_as!(
        UnclaimedCharge,
        r#"
        select id, account_id, amount_minor, currency, payment_ref as "payment_ref!",
            unclaimed_at as "unclaimed_at!"
        from charges
        where unclaimed_at is not null and status in ('SETTLED', 'REINSTATED')
            and id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
        order by id
        limit $2
        "#,
        after,
        rows_max,
    )
    .fetch_all(db)
    .await
}
