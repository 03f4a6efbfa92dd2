//! SQL that counts mails for the metrics.

use crate::{infra::postgres::Pool, outbox::model::MailCounts};

/// Counts mails that wait and mails that were given up, each up to `rows_max`.
pub(crate) async fn count(db: &Pool, rows_max: i64) -> Result<MailCounts, sqlx::Error> {
    sqlx::query_as!(
        MailCounts,
        r#"
        select
            (select count(*) from (
                select from outbox
                where sent_at is null and failed_at is null
                    and id > '00000000-0000-0000-0000-000000000000'
                limit $1) mail) as "waiting!",
            (select count(*) from (
                select from outbox
                where failed_at is not null and id > '00000000-0000-0000-0000-000000000000'
                limit $1) mail) as "failed!",
            coalesce(extract(epoch from clock_timestamp() - (
                select created_at from outbox
                where sent_at is null and failed_at is null
                    and id > '00000000-0000-0000-0000-000000000000'
                order by id
                limit 1)), 0)::float8 as "oldest_waiting_secs!"
        "#,
        rows_max,
    )
    .fetch_one(db)
    .await
}
