//! Statements that linger until their process is dead.
//!
//! A trigger in the test's own database makes one statement linger; that is when the
//! process dies. Nothing in the product knows of it.

use std::time::Duration;

use sqlx::{AssertSqlSafe, PgPool};

/// When the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// While a row of this table is being written: the order has not happened.
    Writing(&'static str),
    /// After COMMIT was sent and before it was answered, a row of this table among what
    /// is committed: the order has happened, and nobody was told.
    Committing(&'static str),
}

impl Death {
    /// From now on whoever writes that row lingers.
    pub(crate) async fn set(self, db: &PgPool) {
        run(
            db,
            "create or replace function linger() returns trigger language plpgsql as
                 $$ begin perform pg_sleep(tg_argv[0]::float8); return null; end $$",
        )
        .await;
        let trigger = match self {
            Self::Writing(table) => format!(
                "create trigger linger after insert or update on {table}
                     for each row execute function linger(60)"
            ),
            Self::Committing(table) => format!(
                "create constraint trigger linger after insert or update on {table}
                     deferrable initially deferred for each row execute function linger(0.5)"
            ),
        };
        run(db, &trigger).await;
    }

    /// Waits until somebody lingers.
    pub(crate) async fn reached(self, db: &PgPool) {
        wait(db, true).await;
    }

    /// Waits until nobody does, their process being dead, and lets everybody pass again.
    pub(crate) async fn over(self, db: &PgPool) {
        if let Self::Writing(_) = self {
            // The server notices a dead client when it next writes to it: help it along.
            for pid in lingering(db).await {
                sqlx::query("select pg_terminate_backend($1)").bind(pid).execute(db).await.unwrap();
            }
        }
        wait(db, false).await;
        let (Self::Writing(table) | Self::Committing(table)) = self;
        run(db, &format!("drop trigger linger on {table}")).await;
    }
}

async fn run(db: &PgPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(db).await.unwrap();
}

/// The backends that linger.
async fn lingering(db: &PgPool) -> Vec<i32> {
    sqlx::query_scalar(
        "select pid from pg_stat_activity
         where datname = current_database() and wait_event = 'PgSleep'",
    )
    .fetch_all(db)
    .await
    .unwrap()
}

/// Waits until somebody lingers, or nobody any more.
async fn wait(db: &PgPool, is_lingering: bool) {
    for _ in 0..6_000 {
        if lingering(db).await.is_empty() != is_lingering {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("lingering: expected {is_lingering}");
}
