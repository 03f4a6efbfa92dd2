//! Moment before which nothing is written any more, for what is read in the order of time.

use chrono::{DateTime, Utc};

use super::Connection;

/// Returns the moment before which every sale has been committed or never will be: no transaction that
/// may still write began before it. A sale is noted with the clock after its transaction has locked
/// rows, so one that has locked none yet notes a later moment.
pub async fn read_horizon(tx: &mut Connection) -> Result<DateTime<Utc>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select least(statement_timestamp(), min(xact_start)) as "horizon!"
        from pg_stat_get_activity(null)
        where datid = (select oid from pg_database where datname = current_database())
            and backend_xid is not null and pid <> pg_backend_pid()
        "#,
    )
    .fetch_one(tx)
    .await
}
