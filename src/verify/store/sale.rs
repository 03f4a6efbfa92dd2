//! Checks of payments, tickets and request keys.

use crate::{infra::postgres::Connection, verify::invariant::CheckFailure};

/// P1: reservations that are confirmed and not paid exactly once, or paid and not confirmed.
pub(crate) async fn list_wrong_payments(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with paid as (
            select reservation_id,
                count(*) as n,
                count(*) filter (where payments.account_id = reservations.account_id
                    and amount = total) as n_right
            from payments join reservations on reservations.id = reservation_id
            where payments.status = 'COMPLETED'
            group by reservation_id
        )
        select 'reservation ' || id as "subject!",
            format('is %s with %s completed payments, %s of them of %s by its account',
                status, coalesce(n, 0), coalesce(n_right, 0), total) as "sentence!"
        from reservations left join paid on reservation_id = id
        where case when status = 'CONFIRMED' then coalesce(n, 0) <> 1 or n_right <> 1
            else n is not null end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// P1: payments that did not debit their wallet exactly once.
pub(crate) async fn list_wrong_debits(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with taken as (
            select reference_id, count(*) as n,
                count(*) filter (where wallets.account_id = payments.account_id
                    and point_transactions.amount = -payments.amount
                    and pending_change = 0) as n_right
            from point_transactions
            join wallets on wallets.id = wallet_id
            join payments on payments.id = reference_id
            where kind = 'PAYMENT'
            group by reference_id
        )
        select 'payment ' || id as "subject!",
            format('is %s with %s payment entries, %s of them of %s in its account''s wallet',
                status, coalesce(n, 0), coalesce(n_right, 0), -amount) as "sentence!"
        from payments left join taken on reference_id = id
        where case when status in ('COMPLETED', 'REFUNDED')
            then coalesce(n, 0) <> 1 or n_right <> 1
            else n is not null end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// P1: refunded payments that did not credit points exactly once, or credited more than they had
/// debited.
pub(crate) async fn list_wrong_refunds(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with given as (
            select reference_id, count(*) as n,
                count(*) filter (where wallets.account_id = payments.account_id
                    and point_transactions.amount between 0 and payments.amount
                    and pending_change = 0) as n_right
            from point_transactions
            join wallets on wallets.id = wallet_id
            join payments on payments.id = reference_id
            where kind = 'REFUND'
            group by reference_id
        )
        select 'payment ' || id as "subject!",
            format('is %s with %s refund entries, %s of them of at most %s in its account''s wallet',
                status, coalesce(n, 0), coalesce(n_right, 0), amount) as "sentence!"
        from payments left join given on reference_id = id
        where case when status = 'REFUNDED' then coalesce(n, 0) <> 1 or n_right <> 1
            else n is not null end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// P2: items whose tickets are not one for each confirmed place, and none otherwise. After a refund
/// by an administrator, or of a cancelled program, a used ticket stays used.
pub(crate) async fn list_wrong_tickets(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with issued as (
            select reservation_item_id, count(*) filter (where tickets.status = 'VALID') as n_valid,
                count(*) filter (where tickets.status = 'USED') as n_used,
                count(*) filter (where tickets.account_id = reservations.account_id) as n_right
            from tickets
            join reservation_items on reservation_items.id = reservation_item_id
            join reservations on reservations.id = reservation_id
            where tickets.status in ('VALID', 'USED')
            group by reservation_item_id
        ), counted as (
            select items.id, reservation_id, reservations.status, program_id, quantity,
                coalesce(n_valid, 0) as n_valid, coalesce(n_used, 0) as n_used,
                coalesce(n_right, 0) as n_right
            from reservation_items items
            join reservations on reservations.id = reservation_id
            left join issued on reservation_item_id = items.id
        )
        select 'item ' || id as "subject!",
            format('has %s valid and %s used tickets, %s of them its account''s, for %s places of '
                'reservation %s, which is %s',
                n_valid, n_used, n_right, quantity, reservation_id, status) as "sentence!"
        from counted
        where n_right <> n_valid + n_used
            or case status
                when 'CONFIRMED' then n_valid + n_used <> quantity
                when 'REFUNDED' then n_valid > 0 or n_used > 0
                    and not exists (select from audit_log
                                    where subject_id = reservation_id::text and act = 'refunded')
                    and not exists (select from programs
                                    where id = program_id and cancelled_at is not null)
                else n_valid + n_used > 0 end
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// P3: points debited or credited for a payment that does not exist.
pub(crate) async fn list_lone_debits(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'point transaction ' || entry.id as "subject!",
            format('is a %s of %s for a payment %s that does not exist',
                kind, entry.amount, coalesce(reference_id::text, '(none)')) as "sentence!"
        from point_transactions entry
        where kind in ('PAYMENT', 'REFUND')
            and not exists (
                select from payments join reservations on reservations.id = reservation_id
                where payments.id = entry.reference_id
            )
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// P3: tickets of an item that does not exist.
pub(crate) async fn list_lone_tickets(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'ticket ' || tickets.id as "subject!",
            format('is %s for an item %s that does not exist', status, reservation_item_id)
                as "sentence!"
        from tickets
        where not exists (
            select from reservation_items items join reservations on reservations.id = reservation_id
            where items.id = reservation_item_id
        )
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// P4: request keys whose kept outcome names an object that does not exist or belongs to another
/// account.
pub(crate) async fn list_wrong_outcomes(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with named as (
            select account_id, key, outcome,
                outcome ->> 'reservation_id' as reservation_id,
                outcome ->> 'payment_id' as payment_id,
                outcome ->> 'transfer_id' as transfer_id
            from idempotency_keys
        )
        select format('request key %s of account %s', key, account_id) as "subject!",
            format('was answered with %s, which is not so',
                coalesce(left(outcome::text, 200), 'nothing')) as "sentence!"
        from named
        where outcome is null
            or reservation_id is not null and not exists (
                select from reservations
                where id::text = named.reservation_id and (account_id = named.account_id
                    -- Refunded by the management, under a key of its own.
                    or exists (select from audit_log act
                               where act.subject_id = named.reservation_id
                                   and act.account_id = named.account_id
                                   and act.act = 'refunded')))
            or payment_id is not null and not exists (
                select from payments
                where id::text = named.payment_id and account_id = named.account_id
                    and status in ('COMPLETED', 'REFUNDED')
                    and amount = coalesce((outcome ->> 'amount')::bigint, amount))
            or transfer_id is not null and not exists (
                select from transfers
                where id::text = named.transfer_id and sender_id = named.account_id)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}
