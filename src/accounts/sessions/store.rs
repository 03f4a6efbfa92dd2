//! SQL of sessions.

use sqlx::PgExecutor;
use uuid::Uuid;

use super::{Session, SessionRules};
use crate::{
    accounts::model::{AccountId, LastCode, Role, SessionAccount, TokenHash},
    infra::postgres::{Connection, Pool},
};

/// Opens a session unless the account is locked or has another password than that of
/// `password_hash`, and returns whether it did. Waits for a change under way, so that a log-in whose
/// password was checked earlier does not bypass it.
pub async fn insert(
    db: impl PgExecutor<'_>,
    token_hash: &TokenHash,
    (account_id, password_hash): (AccountId, &str),
    lives_days: i32,
    device: &str,
    is_code_given: bool,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        r#"
        insert into sessions (token_hash, account_id, expires_at, device, code_given_at)
        select $1, id, now() + make_interval(days => $3), $4,
            case when $6 then clock_timestamp() end
        from accounts
        where id = $2 and locked_at is null and password_hash = $5
        for share
        "#,
        token_hash,
        account_id as _,
        lives_days,
        device,
        password_hash,
        is_code_given,
    )
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Returns the account of a live session and the number of transfers that await its answer:
/// every page's head shows both, so one statement reads both. `None` if the session is over or
/// the account is locked.
pub async fn find(
    db: &Pool,
    token_hash: &TokenHash,
    rules: SessionRules,
) -> Result<Option<SessionAccount>, sqlx::Error> {
    let found = list(db, &[*token_hash], rules).await?;
    Ok(found.into_iter().next().map(|(_, account)| account))
}

/// Returns the live ones among many sessions, each with its account, as [`find`] does. A lateral
/// join per hash keeps the plan on the index with any statistics.
pub async fn list(
    db: &Pool,
    token_hashes: &[TokenHash],
    rules: SessionRules,
) -> Result<Vec<(TokenHash, SessionAccount)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.nth as "nth!", found.id as session_id, account_id as "account_id: AccountId",
            role as "role: Role", is_demo, email_confirmed_at, is_confirmed as "is_confirmed!",
            has_second_factor as "has_second_factor!", is_code_fresh as "is_code_fresh!",
            is_unseen as "is_unseen!",
            (select count(*) from transfers
             where receiver_id = account_id and status = 'PENDING'
               and transfers.expires_at > now()
               and (transfers.starts_at > now()) is not true) as "requests_waiting!"
        from unnest($1::bytea[]) with ordinality as o (token_hash, nth)
        cross join lateral (
            select sessions.id, sessions.account_id, role, is_demo, email_confirmed_at,
                confirmed_at > now() - make_interval(secs => $5::float8) as is_confirmed,
                factor.set_at is not null as has_second_factor,
                coalesce(code_given_at > now() - make_interval(secs => $5::float8), false)
                    as is_code_fresh,
                last_seen_at < now() - least(idle.longest / 10, interval '1 hour') as is_unseen
            from sessions
            join accounts on accounts.id = sessions.account_id
            left join lateral (
                select set_at from second_factors f
                where f.account_id = sessions.account_id limit 1
            ) factor on true
            cross join lateral (
                select make_interval(secs => case role when 'CUSTOMER' then $2::float8 else $3::float8 end)
                    as longest
            ) idle
            where token_hash = o.token_hash and sessions.expires_at > now() and locked_at is null
                and last_seen_at > now() - idle.longest
                and (factor.set_at is null or code_given_at >= factor.set_at)
                and (role = 'CUSTOMER'
                    or sessions.created_at > now() - make_interval(secs => $4::float8))
            limit 1
        ) found
        "#,
        token_hashes as _,
        rules.idle_secs,
        rules.staff_idle_secs,
        rules.staff_life_secs,
        rules.confirmed_secs,
    )
    .fetch_all(db)
    .await?;
    let found = rows.into_iter().filter_map(|row| {
        let nth = usize::try_from(row.nth).ok()?.checked_sub(1)?;
        let account = SessionAccount {
            session_id: row.session_id,
            account_id: row.account_id,
            role: row.role,
            is_demo: row.is_demo,
            is_confirmed: row.is_confirmed,
            email_confirmed_at: row.email_confirmed_at,
            last_code: match (row.has_second_factor, row.is_code_fresh) {
                (false, _) => LastCode::NoFactor,
                (true, false) => LastCode::Stale,
                (true, true) => LastCode::Fresh,
            },
            is_unseen: row.is_unseen,
            requests_waiting: row.requests_waiting,
        };
        Some((*token_hashes.get(nth)?, account))
    });
    Ok(found.collect())
}

/// Sets a session's `last_seen_at` to the present.
pub async fn touch(db: &Pool, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("update sessions set last_seen_at = now() where id = $1", id).execute(db).await?;
    Ok(())
}

/// Sets a session's `confirmed_at` to the present.
pub async fn confirm(tx: &mut Connection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("update sessions set confirmed_at = now() where id = $1", id).execute(tx).await?;
    Ok(())
}

/// Sets the time of the last code given in a session to the present.
pub(crate) async fn write_code_given(tx: &mut Connection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("update sessions set code_given_at = clock_timestamp() where id = $1", id)
        .execute(tx)
        .await?;
    Ok(())
}

/// Lists the unexpired sessions of an account, the last seen first.
pub(crate) async fn list_of_account(
    db: &Pool,
    account_id: AccountId,
    sessions_max: i64,
) -> Result<Vec<Session>, sqlx::Error> {
    sqlx::query_as!(
        Session,
        r#"
        select id, device, created_at, last_seen_at
        from sessions
        where account_id = $1 and expires_at > now()
        order by last_seen_at desc, id
        limit $2
        "#,
        account_id as _,
        sessions_max,
    )
    .fetch_all(db)
    .await
}

/// Ends the session with this token hash.
pub async fn delete(db: &Pool, token_hash: &TokenHash) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from sessions where token_hash = $1", token_hash).execute(db).await?;
    Ok(())
}

/// Ends one session of an account and returns its token hash; `None` if there is none.
pub async fn delete_one(
    db: &Pool,
    account_id: AccountId,
    id: Uuid,
) -> Result<Option<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!(
        "delete from sessions where id = $2 and account_id = $1 returning token_hash",
        account_id as _,
        id,
    )
    .fetch_optional(db)
    .await
}

/// Ends every session of an account but `kept` and returns their token hashes.
pub async fn delete_others(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
    kept: Uuid,
) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!(
        "delete from sessions where account_id = $1 and id <> $2 returning token_hash",
        account_id as _,
        kept,
    )
    .fetch_all(db)
    .await
}

/// Ends every session of an account whose row is locked.
pub(crate) async fn delete_all(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from sessions where account_id = $1", account_id as _).execute(tx).await?;
    Ok(())
}

/// Deletes at most `rows_max` expired sessions and returns how many it deleted.
pub(crate) async fn delete_expired(db: &Pool, rows_max: i64) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from sessions
        where token_hash = any(array(
            select token_hash from sessions
            where expires_at < now()
            order by expires_at
            limit $1
            for update skip locked))
        "#,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
