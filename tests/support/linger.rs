//! Statements that wait until their process is killed.
//!
//! A trigger in the test's own database makes one statement wait; meanwhile the test kills the
//! process. The product does not know of the trigger.

use sqlx::{AssertSqlSafe, PgPool};

use super::{read_all, run_sql_with, until};

/// Point at which the process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// While a row of this table is being written: the change has not happened.
    Writing(&'static str),
    /// After COMMIT was sent and before it was answered, with a row of this table in the
    /// transaction: the change has happened, and no client has an answer.
    Committing(&'static str),
}

impl Death {
    /// Creates the trigger: a statement that writes to the table waits.
    pub async fn set(self, db: &PgPool) {
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

    /// Waits until a statement waits in the trigger.
    pub async fn reached(self, db: &PgPool) {
        wait(db, true).await;
    }

    /// Ends the waiting statements of a killed process, and drops the trigger.
    pub async fn over(self, db: &PgPool) {
        if let Self::Writing(_) = self {
            // The server notices a dead client only when it next writes to it, so the backend is
            // ended here.
            for pid in lingering(db).await {
                run_sql_with(db, "select pg_terminate_backend($1)", pid).await;
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

/// Lists the backends that wait in the trigger.
async fn lingering(db: &PgPool) -> Vec<i32> {
    read_all(
        db,
        "select pid from pg_stat_activity
         where datname = current_database() and wait_event = 'PgSleep'",
    )
    .await
}

/// Waits until a statement is waiting, or none.
async fn wait(db: &PgPool, is_lingering: bool) {
    until("the wait in the trigger", async || lingering(db).await.is_empty() != is_lingering).await;
}
