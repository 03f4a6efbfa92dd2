//! Single statements on a free connection of the pool.

use futures_util::{
    FutureExt, TryFutureExt, TryStreamExt,
    future::BoxFuture,
    stream::{self, BoxStream, StreamExt},
};
use sqlx::{
    Describe, Either, Execute, Executor, Postgres, SqlStr,
    error::BoxDynError,
    postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};

use super::Pool;
use crate::infra::{
    failpoint,
    postgres::{connection::Connection, error::is_cut_off},
};

/// Connections on which a read is tried: the first, and another when that was lost.
const READ_ATTEMPTS_MAX: u32 = 2;

/// Function that runs a statement on a connection.
type Put<T> = for<'c> fn(&'c mut Connection, Question) -> BoxFuture<'c, Result<T, sqlx::Error>>;

/// Each statement is a transaction of its own. All rows are read before the first is returned, so
/// that a slow reader keeps no connection; every statement limits its rows.
impl<'p> Executor<'p> for &Pool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let steps = ask(self, query, |connection, question| {
            connection.fetch_many(question).try_collect::<Vec<_>>().boxed()
        });
        steps.map_ok(|steps| stream::iter(steps.into_iter().map(Ok))).try_flatten_stream().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        ask(self, query, |connection, question| connection.fetch_optional(question)).boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        let answer = async move {
            let mut pooled = pool.acquire().await?;
            let statement = pooled.connection_mut().prepare_with(sql, parameters).await?;
            pooled.finish();
            Ok(statement)
        };
        answer.boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        let answer = async move {
            let mut pooled = pool.acquire().await?;
            let description = pooled.connection_mut().describe(sql).await?;
            pooled.finish();
            Ok(description)
        };
        answer.boxed()
    }
}

/// Runs `query` on a connection of the pool. A read whose connection turns out to be lost, most
/// often one that rested while the server was restarted, is repeated on another: a read may run
/// twice.
fn ask<'q, E, T>(
    pool: &Pool,
    query: E,
    put: Put<T>,
) -> impl Future<Output = Result<T, sqlx::Error>> + Send + use<'q, E, T>
where
    E: 'q + Execute<'q, Postgres>,
    T: Send,
{
    let (pool, question) = (pool.clone(), Question::of(query));
    async move {
        let question = question?;
        if !question.is_read() {
            let mut pooled = pool.acquire_to_write().await?;
            pooled.commits();
            let sql = question.sql.clone();
            let answer = put(pooled.connection_mut(), question).await?;
            pooled.finish();
            failpoint::reach(|| format!("after {}", beginning(sql.as_str()))).await;
            return Ok(answer);
        }
        let mut attempts_left = READ_ATTEMPTS_MAX;
        loop {
            attempts_left -= 1;
            let mut pooled = pool.acquire().await?;
            match put(pooled.connection_mut(), question.clone()).await {
                Err(error) if attempts_left > 0 && is_cut_off(&error) => (),
                answer => {
                    let answer = answer?;
                    pooled.finish();
                    return Ok(answer);
                }
            }
        }
    }
}

/// Statement with its arguments, which can be run more than once.
#[derive(Clone)]
struct Question {
    sql: SqlStr,
    arguments: Option<PgArguments>,
    is_persistent: bool,
}

impl Question {
    fn of<'q>(mut query: impl Execute<'q, Postgres>) -> Result<Self, sqlx::Error> {
        let arguments = query.take_arguments().map_err(sqlx::Error::Encode)?;
        let is_persistent = query.persistent();
        Ok(Self { sql: query.sql(), arguments, is_persistent })
    }

    /// Whether the statement changes nothing: one that locks rows to write them runs in a
    /// [`Transaction`](super::transaction::Transaction).
    fn is_read(&self) -> bool {
        reads_only(self.sql.as_str())
    }
}

/// Words of statements that write.
const WRITING: [&str; 4] = ["insert", "update", "delete", "merge"];

/// Whether a statement only reads: it begins with `select`, or with `with` and none of its words writes.
fn reads_only(sql: &str) -> bool {
    let mut words = sql.split_whitespace();
    let is = |word: &str, other: &str| word.eq_ignore_ascii_case(other);
    match words.next() {
        Some(first) if is(first, "select") => true,
        Some(first) if is(first, "with") => {
            !words.any(|word| WRITING.iter().any(|writing| is(word, writing)))
        }
        _ => false,
    }
}

/// Returns the first words of a statement, which name the table that it writes.
fn beginning(sql: &str) -> String {
    const WORDS: usize = 3;
    sql.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" ")
}

impl Execute<'_, Postgres> for Question {
    fn sql(self) -> SqlStr {
        self.sql
    }

    fn statement(&self) -> Option<&PgStatement> {
        None
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, BoxDynError> {
        Ok(self.arguments.take())
    }

    fn persistent(&self) -> bool {
        self.is_persistent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_reads_if_none_of_its_parts_writes() {
        for sql in ["select 1", "\n SELECT 1", "with a as (select 1) select * from a"] {
            assert!(reads_only(sql), "{sql}");
        }
        for sql in [
            "insert into a select 1",
            "with a as (\n insert into b select 1 returning 1) select * from a",
            "with a as (select 1) update b set c = 1",
            "begin",
            "",
        ] {
            assert!(!reads_only(sql), "{sql}");
        }
    }
}
