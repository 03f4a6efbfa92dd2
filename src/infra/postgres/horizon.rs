//! Moment before which nothing is written any more, for what is read in the order of time.

use chrono::{DateTime, TimeDelta, Utc};

use super::Connection;

/// How far behind the clock of PostgreSQL reading begins again once that was set back: what was written since, before a
/// reader came, is in it.
const SET_BACK_MAX: TimeDelta = TimeDelta::minutes(10);

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

/// Returns the moment from which on everything has to be read again, as PostgreSQL's clock was set back behind the moment
/// `reached` that it had before; `None` where it was not.
pub async fn find_set_back(
    tx: &mut Connection,
    reached: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    let now =
        sqlx::query_scalar!(r#"select statement_timestamp() as "now!""#).fetch_one(tx).await?;
    Ok((now < reached).then(|| now - SET_BACK_MAX))
}
