//! Plans that connections made while a table was empty, once it has grown.

use serde_json::Value;
use sqlx::PgPool;
use stagedoor::infra::postgres::{Pool, analyze_outgrown};

use crate::support::{Office, pool, read_one, run_sql, until};

/// More rows than the planner believes in at first.
const PEOPLE: &str = "
    with made as (
        insert into accounts (id, email, name, password_hash)
        select gen_random_uuid(), n || '@example.com', 'A visitor', 'none'
        from generate_series(1, 5000) n
        returning id
    )
    insert into wallets (id, account_id) select gen_random_uuid(), id from made";

/// One connection, which keeps a plan that reads all wallets to find one.
async fn misled(db: &PgPool) -> Pool {
    let pool = pool(db, 1);
    run_sql(&pool, "prepare kept as select id from wallets where account_id = any($1) order by id")
        .await;
    assert!(!is_keyed(&pool).await, "the premise: it reads all wallets");
    pool
}

/// Whether the kept plan finds its wallets by their accounts.
async fn is_keyed(pool: &Pool) -> bool {
    let plan: Value = read_one(pool, "explain (format json) execute kept (null)").await;
    plan.to_string().contains("wallets_account_id_key")
}

async fn until_keyed(pool: &Pool) {
    until("a plan that finds wallets by their accounts", async || {
        analyze_outgrown(pool).await.unwrap();
        is_keyed(pool).await
    })
    .await;
}

#[sqlx::test]
async fn a_plan_from_before_the_first_sale_is_made_anew_when_people_come(db: PgPool) {
    // As an operator does after a restore: from then on PostgreSQL believes the tables empty.
    run_sql(&db, "vacuum analyze").await;
    let pool = misled(&db).await;
    run_sql(&db, PEOPLE).await;
    assert!(!is_keyed(&pool).await, "nobody has looked at the statistics yet");
    until_keyed(&pool).await;
}

#[sqlx::test]
async fn a_plan_from_when_a_large_table_was_emptied_is_made_anew(db: PgPool) {
    run_sql(&db, PEOPLE).await;
    run_sql(&db, "delete from wallets").await;
    // The file keeps its size, so that its size says nothing.
    run_sql(&db, "vacuum (analyze, truncate false) wallets").await;
    let pool = misled(&db).await;
    run_sql(&db, "insert into wallets (id, account_id) select gen_random_uuid(), id from accounts")
        .await;
    until_keyed(&pool).await;
}

#[sqlx::test]
async fn an_instance_looks_after_the_statistics_by_itself(db: PgPool) {
    let office = Office::open(db.clone()).await;
    run_sql(&db, "vacuum analyze").await;
    let pool = misled(&db).await;
    run_sql(&db, PEOPLE).await;
    until("an instance that looks", async || is_keyed(&pool).await).await;
    office.close().await;
}
