//! Statements of the tests' own: run one, or read one value or one column.

use sqlx::{
    AssertSqlSafe, Encode, FromRow, PgExecutor, PgPool, Postgres, SqlSafeStr, Type, postgres::PgRow,
};
use uuid::Uuid;

/// Runs a statement.
pub async fn run_sql(db: impl PgExecutor<'_>, sql: impl SqlSafeStr) {
    sqlx::query(sql).execute(db).await.unwrap();
}

/// Runs a statement with one parameter.
pub async fn run_sql_with<'q>(
    db: impl PgExecutor<'_>,
    sql: impl SqlSafeStr,
    value: impl Encode<'q, Postgres> + Type<Postgres> + 'q,
) {
    sqlx::query(sql).bind(value).execute(db).await.unwrap();
}

/// Reads the only column of the first row.
pub async fn read_one<T>(db: impl PgExecutor<'_>, sql: impl SqlSafeStr) -> T
where
    T: Send + Unpin,
    (T,): for<'r> FromRow<'r, PgRow>,
{
    sqlx::query_scalar(sql).fetch_one(db).await.unwrap()
}

/// Reads the only column of the first row with one parameter.
pub async fn read_one_with<'q, T>(
    db: impl PgExecutor<'_>,
    sql: impl SqlSafeStr,
    value: impl Encode<'q, Postgres> + Type<Postgres> + 'q,
) -> T
where
    T: Send + Unpin,
    (T,): for<'r> FromRow<'r, PgRow>,
{
    sqlx::query_scalar(sql).bind(value).fetch_one(db).await.unwrap()
}

/// Reads the only column of every row.
pub async fn read_all<T>(db: impl PgExecutor<'_>, sql: impl SqlSafeStr) -> Vec<T>
where
    T: Send + Unpin,
    (T,): for<'r> FromRow<'r, PgRow>,
{
    sqlx::query_scalar(sql).fetch_all(db).await.unwrap()
}

/// Reads the only column of every row with one parameter.
pub async fn read_all_with<'q, T>(
    db: impl PgExecutor<'_>,
    sql: impl SqlSafeStr,
    value: impl Encode<'q, Postgres> + Type<Postgres> + 'q,
) -> Vec<T>
where
    T: Send + Unpin,
    (T,): for<'r> FromRow<'r, PgRow>,
{
    sqlx::query_scalar(sql).bind(value).fetch_all(db).await.unwrap()
}

/// Returns the e-mail address of an account.
pub async fn email_of(db: &PgPool, account_id: Uuid) -> String {
    read_one_with(db, "select email from accounts where id = $1", account_id).await
}

/// Returns the acts in the audit log, oldest first.
pub async fn acts(db: &PgPool) -> Vec<String> {
    read_all(db, "select act from audit_log order by id").await
}

/// Has all new sessions of a database write, or only read like a standby.
pub async fn let_write(db: &PgPool, writes: bool) {
    let name: String = read_one(db, "select current_database()").await;
    let reads = if writes { "off" } else { "on" };
    let sql = format!(r#"alter database "{name}" set default_transaction_read_only = {reads}"#);
    run_sql(db, AssertSqlSafe(sql)).await;
}
