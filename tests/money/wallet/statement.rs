//! The history by kind and month, as pages and as a file.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Office, Person, run_sql, run_sql_with};

/// Writes a history of two kinds over three months, oldest first, ten lines each.
async fn write_history(db: &PgPool, person: &Person) {
    let wallet_id = Uuid::now_v7();
    sqlx::query(
        "with wallet as (
             insert into wallets (id, account_id, balance, version) values ($1, $2, 900, 90)
         )
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id, created_at)
         select gen_random_uuid(), $1, n, case n % 3 when 1 then 'ADJUSTMENT' else 'CHARGE' end, 10,
                n * 10, gen_random_uuid(),
                timestamptz '2026-03-01 12:00+09' + ((n - 1) / 30) * interval '1 month'
                    + ((n - 1) % 30) * interval '1 day' * 0.9
         from generate_series(1, 90) n",
    )
    .bind(wallet_id)
    .bind(person.account_id)
    .execute(db)
    .await
    .unwrap();
}

async fn versions(person: &Person, query: &str) -> Vec<i64> {
    let page = person.get(&format!("/wallet{query}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    let lines = page.json()["transactions"].as_array().unwrap().clone();
    lines.iter().map(|line| line["balance_after"].as_i64().unwrap() / 10).collect()
}

#[sqlx::test]
async fn a_statement_is_narrowed_by_kind_and_month(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.sign_in("ada").await;
    write_history(&db, &ada).await;
    let newest_first = |range: std::ops::RangeInclusive<i64>| range.rev().collect::<Vec<i64>>();
    assert_eq!(versions(&ada, "").await, newest_first(41..=90));
    assert_eq!(versions(&ada, "?kind=&month=&after=").await, newest_first(41..=90));
    assert_eq!(versions(&ada, "?month=2026-04").await, newest_first(31..=60));
    let adjustments: Vec<i64> = newest_first(1..=90).into_iter().filter(|n| n % 3 == 1).collect();
    assert_eq!(versions(&ada, "?kind=ADJUSTMENT").await, adjustments);
    let both = versions(&ada, "?kind=ADJUSTMENT&month=2026-03").await;
    assert_eq!(both, newest_first(1..=30).into_iter().filter(|n| n % 3 == 1).collect::<Vec<_>>());
    assert_eq!(versions(&ada, "?month=2025-01").await, Vec::<i64>::new());
    assert_eq!(versions(&ada, "?kind=PAYMENT").await, Vec::<i64>::new());
    for (field, nonsense) in
        [("kind", "kind=BRIBE"), ("month", "month=2026-13"), ("after", "after=1")]
    {
        let refused = ada.get(&format!("/wallet?{nonsense}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
        assert!(refused.json()["fields"][field].is_string(), "{}", refused.body);
    }
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn pages_of_a_narrowed_statement_lead_on_within_it(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.sign_in("ada").await;
    write_history(&db, &ada).await;
    run_sql(&db, "update wallets set version = 90").await;
    let page = ada.visit("/wallet").await;
    assert!(page.body.contains("Mar 2026") && page.body.contains("May 2026"), "{}", page.body);
    assert!(page.has("[href='/wallet/statement.csv']"));
    let narrowed = ada.visit("/wallet?kind=ADJUSTMENT&month=2026-03").await;
    assert!(narrowed.has("[value='ADJUSTMENT'][selected]"), "{}", narrowed.body);
    assert!(narrowed.has("[value='2026-03'][selected]"));
    assert!(narrowed.body.contains("/wallet/statement.csv?kind=ADJUSTMENT&#38;month=2026-03"));
    let none = ada.visit("/wallet?kind=PAYMENT").await;
    assert!(none.body.contains("Nothing matches."));
    let first = ada.get("/wallet").await.json();
    let second = versions(&ada, &format!("?after={}", first["next"].as_str().unwrap())).await;
    assert_eq!(second, (1..=40).rev().collect::<Vec<_>>());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_whole_statement_is_downloaded(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let wallet_id = Uuid::now_v7();
    sqlx::query(
        "with wallet as (
             insert into wallets (id, account_id, balance, version) values ($1, $2, 2500, 2500)
         ), house as (
             insert into house_entries (wallet_id, wallet_version, amount)
             select $1, n, -1 from generate_series(1, 2500) n
         )
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), $1, n, 'CHARGE', 1, n, gen_random_uuid()
         from generate_series(1, 2500) n",
    )
    .bind(wallet_id)
    .bind(ada.account_id)
    .execute(&db)
    .await
    .unwrap();
    let file = ada.visit("/wallet/statement.csv").await;
    assert_eq!(file.status, 200);
    assert!(file.header("content-type").starts_with("text/csv"), "{:?}", file.headers);
    assert!(file.header("content-disposition").contains("statement.csv"));
    let records = file.records();
    let header = ["When", "What", "Points", "Set aside", "Balance", "Reference", "Person"];
    assert_eq!(records[0], header);
    let balances: Vec<i64> = records[1..].iter().map(|cells| cells[4].parse().unwrap()).collect();
    assert_eq!(balances, (1..=2500).rev().collect::<Vec<_>>());

    let narrowed = ada.visit("/wallet/statement.csv?kind=REFUND").await;
    assert_eq!(narrowed.body.lines().count(), 1);
    assert_eq!(bob.visit("/wallet/statement.csv").await.body.lines().count(), 1);
    assert_eq!(ada.get("/wallet/statement.csv?kind=BRIBE").await.status, 422);
    office.close().await;
}

/// However long a history is, a page of it reads one end of an index.
#[sqlx::test]
async fn a_long_history_costs_what_a_short_one_does(db: PgPool) {
    let wallet_id = Uuid::now_v7();
    let account_id = Uuid::now_v7();
    run_sql_with(
        &db,
        "insert into accounts (id, email, name, password_hash) values ($1, 'a@b', 'a', '-')",
        account_id,
    )
    .await;
    sqlx::query(
        "with wallet as (
             insert into wallets (id, account_id, version) values ($1, $2, 30000)
         )
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), $1, n, case when n = 1 then 'REFUND' else 'CHARGE' end, 0, 0,
             gen_random_uuid()
         from generate_series(1, 30000) n",
    )
    .bind(wallet_id)
    .bind(account_id)
    .execute(&db)
    .await
    .unwrap();
    run_sql(&db, "analyze point_transactions").await;
    for condition in
        ["wallet_version between 1 and 30000", "kind = 'REFUND' and wallet_version > 0"]
    {
        let explain = format!(
            "explain (analyze, format json) select * from point_transactions
             where wallet_id = '{wallet_id}' and {condition} order by wallet_version desc limit 51"
        );
        let plan: serde_json::Value =
            sqlx::query_scalar(sqlx::AssertSqlSafe(explain)).fetch_one(&db).await.unwrap();
        let scan = &plan[0]["Plan"]["Plans"][0];
        assert_eq!(scan["Node Type"], json!("Index Scan"), "{plan:#}");
        assert!(scan["Rows Removed by Filter"].as_f64().unwrap_or_default() < 1.0, "{plan:#}");
    }
}
