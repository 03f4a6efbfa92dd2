//! Single statements on whichever connection of the pool is free.

use futures_util::{
    FutureExt, StreamExt, TryFutureExt, TryStreamExt, future::BoxFuture, stream, stream::BoxStream,
};
use sqlx::{
    Describe, Either, Execute, Executor, Postgres, SqlStr,
    postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};

use super::Pool;

/// Each statement is a transaction of its own. Its rows are read to the end before the first
/// is handed out, so that nobody who reads them slowly keeps a connection meanwhile; every
/// statement of ours says how many rows there may be.
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
        let pool = self.clone();
        let answer = async move {
            let mut loan = pool.lend().await?;
            let steps: Vec<_> = loan.connection_mut().fetch_many(query).try_collect().await?;
            loan.done();
            Ok(stream::iter(steps.into_iter().map(Ok)))
        };
        answer.try_flatten_stream().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        let answer = async move {
            let mut loan = pool.lend().await?;
            let row = loan.connection_mut().fetch_optional(query).await?;
            loan.done();
            Ok(row)
        };
        answer.boxed()
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
            let mut loan = pool.lend().await?;
            let statement = loan.connection_mut().prepare_with(sql, parameters).await?;
            loan.done();
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
            let mut loan = pool.lend().await?;
            let description = loan.connection_mut().describe(sql).await?;
            loan.done();
            Ok(description)
        };
        answer.boxed()
    }
}
