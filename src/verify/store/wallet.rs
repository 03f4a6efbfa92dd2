//! Checks of wallets, their histories, and transfers.

use crate::{infra::postgres::Connection, verify::invariant::CheckFailure};

/// W1: wallets whose balance and pending points are not the sums of their changes.
pub(crate) async fn list_wrong_sums(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with history as (
            select wallet_id, sum(amount) as amount, sum(pending_change) as pending
            from point_transactions group by wallet_id
        )
        select 'wallet ' || wallets.id as "subject!",
            format('holds %s and withholds %s, but its changes add up to %s and %s',
                balance, wallets.pending, coalesce(amount, 0), coalesce(history.pending, 0))
                as "sentence!"
        from wallets left join history on wallet_id = wallets.id
        where balance <> coalesce(amount, 0) or wallets.pending <> coalesce(history.pending, 0)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// W2: changes that do not follow from the change before.
pub(crate) async fn list_broken_links(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with chain as (
            select wallet_id, wallet_version, amount, balance_after,
                lag(wallet_version, 1, 0::bigint) over history as version_before,
                lag(balance_after, 1, 0::bigint) over history as balance_before
            from point_transactions
            window history as (partition by wallet_id order by wallet_version)
        )
        select 'wallet ' || wallet_id as "subject!",
            format('version %s (%s, then %s) does not follow from version %s (then %s)',
                wallet_version, amount, balance_after, version_before, balance_before)
                as "sentence!"
        from chain
        where wallet_version <> version_before + 1 or balance_after <> balance_before + amount
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// W2: wallets whose version is not that of their last change.
pub(crate) async fn list_wrong_versions(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with history as (
            select wallet_id, max(wallet_version) as version
            from point_transactions group by wallet_id
        )
        select 'wallet ' || id as "subject!",
            format('is at version %s, but its last change is %s',
                wallets.version, coalesce(history.version, 0)) as "sentence!"
        from wallets left join history on wallet_id = id
        where wallets.version <> coalesce(history.version, 0)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// W3: whether points were created or lost. The kinds that only move points between wallets must
/// cancel out, and every amount must have the sign of its kind.
pub(crate) async fn list_lost_points(
    tx: &mut Connection,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with held as (
            select coalesce(sum(balance), 0) as points from wallets
        ), made as (
            select coalesce(sum(amount) filter
                    (where kind in ('CHARGE', 'ADJUSTMENT', 'REFUND', 'PAYMENT')), 0) as points,
                coalesce(sum(amount) filter (where kind like 'TRANSFER%'), 0) as transferred,
                count(*) filter (where case kind
                    when 'PAYMENT' then amount > 0
                    when 'TRANSFER_OUT' then amount > 0
                    when 'ADJUSTMENT' then false
                    else amount < 0 end) as n_wrong_signs
            from point_transactions
        )
        select 'all wallets' as "subject!",
            format('hold %s, charges, adjustments and refunds less payments are %s; transfers add '
                'up to %s; %s changes have the sign of another kind',
                held.points, made.points, transferred, n_wrong_signs) as "sentence!"
        from held cross join made
        where held.points <> made.points or transferred <> 0 or n_wrong_signs <> 0
        "#,
    )
    .fetch_all(tx)
    .await
}

/// W4: transfers whose entries do not match their status, amount and accounts.
pub(crate) async fn list_wrong_transfers(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        with entries as (
            select reference_id, account_id, kind, point_transactions.amount, pending_change
            from point_transactions join wallets on wallets.id = wallet_id
            where kind like 'TRANSFER%'
        ), tally as (
            select transfers.id, status,
                count(*) filter (where kind = 'TRANSFER_HOLD' and account_id = sender_id
                    and entries.amount = 0 and pending_change = transfers.amount) as holds,
                count(*) filter (where kind = 'TRANSFER_RELEASE' and account_id = sender_id
                    and entries.amount = 0 and pending_change = -transfers.amount) as releases,
                count(*) filter (where kind = 'TRANSFER_OUT' and account_id = sender_id
                    and entries.amount = -transfers.amount
                    and pending_change = -transfers.amount) as outs,
                count(*) filter (where kind = 'TRANSFER_IN' and account_id = receiver_id
                    and entries.amount = transfers.amount and pending_change = 0) as ins,
                count(kind) as n
            from transfers left join entries on reference_id = transfers.id
            group by transfers.id
        )
        select 'transfer ' || id as "subject!",
            format('is %s with %s right of %s entries: %s hold, %s release, %s out, %s in',
                status, holds + releases + outs + ins, n, holds, releases, outs, ins)
                as "sentence!"
        from tally
        where (holds, releases, outs, ins, n) <> all (case status
            when 'PENDING' then array[(1::bigint, 0::bigint, 0::bigint, 0::bigint, 1::bigint)]
            when 'ACCEPTED' then array[(1::bigint, 0::bigint, 1::bigint, 1::bigint, 3::bigint)]
            else array[(1::bigint, 1::bigint, 0::bigint, 0::bigint, 2::bigint)] end)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// W4: entries of a transfer that does not exist.
pub(crate) async fn list_lone_transfer_entries(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'point transaction ' || id as "subject!",
            format('is a %s of a transfer %s that does not exist',
                kind, coalesce(reference_id::text, '(none)')) as "sentence!"
        from point_transactions
        where kind like 'TRANSFER%'
            and not exists (select from transfers where transfers.id = reference_id)
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// W5: transfer requests still open a minute after their end, the oldest first.
pub(crate) async fn list_overdue_transfers(
    db: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'transfer ' || id as "subject!",
            format('is still PENDING, though it ended at %s', expires_at) as "sentence!"
        from transfers
        where status = 'PENDING' and expires_at < now() - interval '1 minute'
        order by expires_at
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}
