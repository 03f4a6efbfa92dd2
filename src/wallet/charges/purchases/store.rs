//! SQL of purchases.

use uuid::Uuid;

use super::model::{BoughtFor, Purchase, PurchaseId, PurchaseOrder, PurchaseStatus};
use crate::{
    accounts::AccountId,
    infra::{
        ids::new_id,
        postgres::{Connection, Pool, WhenHeld},
    },
    wallet::charges::model::TakenPayment,
};

/// Inserts an open purchase whose checkout may be paid for `checkout_secs`; `None` if its request
/// key made one before, or its account was deleted. The provider is asked about it after a minute. A
/// reservation of another account is not remembered.
pub(crate) async fn insert_purchase(
    db: &Pool,
    order: &PurchaseOrder,
    checkout_secs: f64,
) -> Result<Option<Purchase>, sqlx::Error> {
    let (reservation_id, share_id) = match order.bought_for {
        Some(BoughtFor::Reservation(id)) => (Some(id), None),
        Some(BoughtFor::Share(id)) => (None, Some(id)),
        None => (None, None),
    };
    sqlx::query_as!(
        Purchase,
        r#"
        insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            reservation_id, share_id, pays, next_path, expires_at, check_at)
        select $1, accounts.id, $3, $4, $5, $6, 'STRIPE',
            (select id from reservations where id = $7 and account_id = $2), $10,
            $10::uuid is not null or exists (select from reservations where id = $7 and account_id = $2), $8,
            clock_timestamp() + make_interval(secs => $9),
            clock_timestamp() + interval '1 minute'
        from accounts
        where accounts.id = $2 and deleted_at is null
        for key share
        on conflict on constraint charges_request_key do nothing
        returning id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, provider_ref, checkout_url, reservation_id, share_id, next_path,
            status as "status: _", created_at, expires_at
        "#,
        new_id(),
        order.account_id as _,
        order.request_key,
        order.amount.points() as _,
        order.price.minor,
        order.price.currency.code(),
        reservation_id,
        order.next,
        checkout_secs,
        share_id,
    )
    .fetch_optional(db)
    .await
}

/// Returns the purchase that a request key of `account_id` made; `None` if there is none.
pub async fn find_ordered(
    db: &Pool,
    account_id: AccountId,
    request_key: Uuid,
) -> Result<Option<Purchase>, sqlx::Error> {
    sqlx::query_as!(
        Purchase,
        r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, provider_ref, checkout_url, reservation_id, share_id, next_path,
            status as "status: _", created_at, expires_at
        from charges
        where account_id = $1 and request_key = $2
        "#,
        account_id as _,
        request_key,
    )
    .fetch_optional(db)
    .await
}

/// Returns a purchase; `None` if there is none.
pub async fn find_purchase(db: &Pool, id: PurchaseId) -> Result<Option<Purchase>, sqlx::Error> {
    sqlx::query_as!(
        Purchase,
        r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, provider_ref, checkout_url, reservation_id, share_id, next_path,
            status as "status: _", created_at, expires_at
        from charges
        where id = $1
        "#,
        id as _,
    )
    .fetch_optional(db)
    .await
}

/// Counts purchases that are neither paid nor ended, up to `rows_max`.
pub async fn count_open(db: &Pool, rows_max: i64) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "n!" from (
            select from charges
            where status = 'OPEN' and settled_at is null and check_at > '-infinity'
            limit $1) open
        "#,
        rows_max,
    )
    .fetch_one(db)
    .await
}

/// Writes the name and the address of a purchase's checkout.
pub(crate) async fn write_checkout(
    db: &Pool,
    id: PurchaseId,
    provider_ref: &str,
    href: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update charges
        set provider_ref = $2, checkout_url = $3
        where id = $1 and (provider_ref is null or provider_ref = $2)
        "#,
        id as _,
        provider_ref,
        href,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends an open purchase without its money; any other stays as it is.
pub async fn write_ended(
    db: &Pool,
    id: PurchaseId,
    status: PurchaseStatus,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update charges set status = $2 where id = $1 and status = 'OPEN'",
        id as _,
        status as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Fails an open purchase that is older than `days_max`: its provider never gave a word for it.
pub async fn give_up(db: &Pool, id: PurchaseId, days_max: i32) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update charges set status = 'FAILED'
        where id = $1 and status = 'OPEN'
            and created_at < clock_timestamp() - make_interval(days => $2)
        "#,
        id as _,
        days_max,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whether `at`, in seconds since the epoch, is within `tolerance_secs` of the database's clock.
pub async fn is_recent(db: &Pool, at: i64, tolerance_secs: i64) -> Result<bool, sqlx::Error> {
    let now =
        sqlx::query_scalar!(r#"select extract(epoch from clock_timestamp())::bigint as "now!""#);
    let now = now.fetch_one(db).await?;
    Ok(now.saturating_sub(at).saturating_abs() <= tolerance_secs)
}

/// Claims up to `rows_max` open purchases whose provider is to be asked. The next time is a minute
/// later, then two, four and so on, an hour at most.
pub async fn claim_due(db: &Pool, rows_max: i64) -> Result<Vec<Purchase>, sqlx::Error> {
    sqlx::query_as!(
        Purchase,
        r#"
        update charges
        set n_checks = n_checks + 1,
            check_at = clock_timestamp()
                + least(interval '1 hour', interval '1 minute' * (2 ^ least(n_checks, 6)))
        where id = any(array(
            select id from charges
            where status = 'OPEN' and settled_at is null and check_at <= now()
            order by check_at, id
            limit $1
            for no key update skip locked))
        returning id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, provider_ref, checkout_url, reservation_id, share_id, next_path,
            status as "status: _", created_at, expires_at
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists purchases that were settled at least 10 seconds ago and whose reservation or share is still to be
/// paid, which the request that settled them should have done.
pub async fn list_to_pay(db: &Pool, rows_max: i64) -> Result<Vec<Purchase>, sqlx::Error> {
    sqlx::query_as!(
        Purchase,
        r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, provider_ref, checkout_url, reservation_id, share_id, next_path,
            status as "status: _", created_at, expires_at
        from charges
        where pays and status = 'SETTLED'
            and settled_at <= now() - interval '10 seconds'
        order by settled_at, id
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Notes that the payment of what a purchase was made for was tried.
pub async fn write_tried(db: &Pool, id: PurchaseId) -> Result<(), sqlx::Error> {
    sqlx::query!("update charges set pays = false where id = $1 and pays", id as _)
        .execute(db)
        .await?;
    Ok(())
}

/// Purchase whose row a transaction has locked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockedPurchase {
    pub id: PurchaseId,
    pub status: PurchaseStatus,
    /// Whether the money came for an account that was deleted.
    pub(crate) is_unclaimed: bool,
}

/// Locks purchases, in the order of their ids.
pub(crate) async fn lock_purchases(
    tx: &mut Connection,
    ids: &[PurchaseId],
    when_held: WhenHeld,
) -> Result<Vec<LockedPurchase>, sqlx::Error> {
    match when_held {
        WhenHeld::Skip => {
            sqlx::query_as!(
                LockedPurchase,
                r#"
                select id as "id: _", status as "status: _",
                    unclaimed_at is not null as "is_unclaimed!"
                from charges
                where id = any($1)
                order by id
                for no key update skip locked
                "#,
                ids as _,
            )
            .fetch_all(tx)
            .await
        }
        WhenHeld::Wait => {
            sqlx::query_as!(
                LockedPurchase,
                r#"
                select id as "id: _", status as "status: _",
                    unclaimed_at is not null as "is_unclaimed!"
                from charges
                where id = any($1)
                order by id
                for no key update
                "#,
                ids as _,
            )
            .fetch_all(tx)
            .await
        }
    }
}

/// Marks locked purchases as settled by their payments. The money of the purchases in `unclaimed`
/// came for accounts that were deleted. A worker asks the provider about the money after an hour.
pub(crate) async fn write_settled(
    tx: &mut Connection,
    settled: &[(PurchaseId, TakenPayment)],
    unclaimed: &[PurchaseId],
) -> Result<(), sqlx::Error> {
    let ids: Vec<PurchaseId> = settled.iter().map(|(id, _)| *id).collect();
    let provider_refs: Vec<String> =
        settled.iter().map(|(_, taken)| taken.provider_ref.clone()).collect();
    let payment_refs: Vec<String> =
        settled.iter().map(|(_, taken)| taken.payment_ref.clone()).collect();
    sqlx::query!(
        r#"
        update charges
        set status = 'SETTLED', settled_at = clock_timestamp(), n_checks = 0,
            check_at = clock_timestamp() + interval '1 hour', provider_ref = taken.provider_ref,
            payment_ref = taken.payment_ref,
            unclaimed_at = case when charges.id = any($4) then clock_timestamp() end
        from unnest($1::uuid[], $2::text[], $3::text[]) as taken (id, provider_ref, payment_ref)
        where charges.id = any($1) and charges.id = taken.id
        "#,
        ids as _,
        &provider_refs,
        &payment_refs,
        unclaimed as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
