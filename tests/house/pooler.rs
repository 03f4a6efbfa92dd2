//! PostgreSQL behind a pooler.

use sqlx::{AssertSqlSafe, PgPool};
use stagedoor::{
    app::{App, StartError},
    infra::postgres::{list_missing_settings, shares_sessions},
};

use crate::support::{PoolerWire, config, pool, run_sql};

#[sqlx::test]
async fn sessions_without_their_settings_are_refused_with_the_statements_that_give_them(
    db: PgPool,
) {
    let pooler = PoolerWire::to(&db).await;
    let mut url: url::Url = std::env::var("DATABASE_URL").unwrap().parse().unwrap();
    url.set_path(db.connect_options().get_database().unwrap());
    url.set_host(Some("127.0.0.1")).unwrap();
    url.set_port(Some(pooler.port)).unwrap();
    let settings = [("DATABASE_URL", url.as_str()), ("MIGRATE_ON_START", "false")];
    let refused = App::start(config(&settings)).await.unwrap_err();
    let StartError::Settings(statements) = &refused else { panic!("{refused}") };
    for wanted in [
        "set statement_timeout = '5s';",
        "set lock_timeout = '2s';",
        "set idle_in_transaction_session_timeout = '4s';",
        "set plan_cache_mode = 'force_generic_plan';",
        "set enable_seqscan = 'off';",
        "set seq_page_cost = '0';",
    ] {
        assert!(statements.iter().any(|statement| statement.ends_with(wanted)), "{refused}");
    }
    for statement in statements {
        assert!(refused.to_string().contains(statement), "{refused}");
        run_sql(&db, AssertSqlSafe(statement.clone())).await;
    }
    let app = App::start(config(&settings)).await.unwrap();
    assert_eq!(list_missing_settings(&app.db).await.unwrap(), Vec::<String>::new());
    app.db.close();
}

#[sqlx::test]
async fn a_server_without_a_pooler_gives_each_session_its_settings_and_its_own_process(db: PgPool) {
    let pool = pool(&db, 2);
    assert_eq!(list_missing_settings(&pool).await.unwrap(), Vec::<String>::new());
    assert!(!shares_sessions(&pool).await.unwrap());
}
