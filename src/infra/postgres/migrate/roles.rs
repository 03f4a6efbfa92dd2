//! Database roles of a deployment: one owns the tables and migrates, the other serves and owns
//! nothing, so that no error in this program can switch off a trigger or drop a constraint. A pooler
//! between may drop what sessions of the serving role ask for, or share them.

use std::{str::FromStr, time::Duration};

use sqlx::{Executor, PgExecutor, migrate::MigrateError, postgres::PgConnectOptions};

use super::{is_migrated, migrate};
use crate::{
    config::Config,
    infra::postgres::{
        connection::CALL_MAX,
        pool::Pool,
        settings::{APPLICATION_NAME, PLANNER_OPTIONS, SESSION_LIMITS},
    },
};

/// Connections of the owner's pool, which only migrates.
const OWNER_CONNECTIONS_MAX: u32 = 1;
/// Upper bound of the grants, which wait for the grants of other starting instances.
const GRANT_MAX: Duration = Duration::from_secs(30);

/// Applies the migrations of this binary and grants the role of `DATABASE_URL` the privileges that
/// it needs. Returns that role's pool.
///
/// Without an owner's address, a role that owns nothing cannot migrate: it continues if every
/// migration has been applied.
pub async fn migrate_for(config: &Config) -> Result<Pool, MigrateError> {
    let owner = owner_of(config)?;
    if config.database_owner_url.is_none() && may_go_on(&owner).await {
        return Ok(Pool::of(config)?);
    }
    let serving = PgConnectOptions::from_str(&config.database_url)?;
    grant(&owner, serving.get_username(), include_str!("default_grants.sql")).await?;
    migrate(&owner).await?;
    grant(&owner, serving.get_username(), include_str!("grants.sql")).await?;
    Ok(Pool::of(config)?)
}

/// Whether another role owns the tables, and every migration has been applied.
async fn may_go_on(db: &Pool) -> bool {
    matches!(is_owner(db).await, Ok(false)) && matches!(is_migrated(db).await, Ok(true))
}

/// Returns the pool of the role that owns the tables: that of `DATABASE_OWNER_URL`, or else of
/// `DATABASE_URL`.
pub fn owner_of(config: &Config) -> Result<Pool, sqlx::Error> {
    let url = config.database_owner_url.as_ref().unwrap_or(&config.database_url);
    Pool::new(PgConnectOptions::from_str(url)?, OWNER_CONNECTIONS_MAX)
}

/// Whether the current role could switch off triggers and constraints: it owns the tables, or is a
/// superuser.
pub async fn is_owner(db: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select pg_has_role(current_user, relowner, 'usage') as "is!"
        from pg_class where oid = 'point_transactions'::regclass
        "#,
    )
    .fetch_one(db)
    .await
}

/// Lists the statements that give the role what its sessions asked for and do not have: none unless a
/// pooler dropped their settings.
pub async fn list_missing_settings(db: &Pool) -> Result<Vec<String>, sqlx::Error> {
    let wanted = SESSION_LIMITS.iter().chain(&PLANNER_OPTIONS);
    let (names, values): (Vec<_>, Vec<_>) =
        wanted.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).unzip();
    sqlx::query_scalar!(
        r#"
        select format('alter role %I in database %I set %s = %L;',
            current_user, current_database(), name, value) as "statement!"
        from unnest($1::text[], $2::text[]) with ordinality as wanted (name, value, nth)
        where current_setting(name) <> value
        order by nth
        "#,
        &names,
        &values,
    )
    .fetch_all(db)
    .await
}

/// Whether two sessions that are open at the same time have one process of the server: a pooler gives
/// each transaction whichever is free.
pub async fn shares_sessions(db: &Pool) -> Result<bool, sqlx::Error> {
    let one = db.acquire().await?;
    let other = db.connect_beside(APPLICATION_NAME, CALL_MAX).await?;
    let is_shared = one.connection().backend_pid() == other.backend_pid();
    one.finish();
    Ok(is_shared)
}

/// Grants `role` the privileges of the script `grants`.
async fn grant(owner: &Pool, role: &str, grants: &'static str) -> Result<(), sqlx::Error> {
    let mut db = owner.connect_beside(APPLICATION_NAME, GRANT_MAX).await?;
    let mut tx = db.begin().await?;
    sqlx::query!("select set_config('stagedoor.serving_role', $1, true)", role)
        .fetch_one(&mut *tx)
        .await?;
    tx.execute(grants).await?;
    tx.commit().await
}
