//! How the server reads a table of which nothing is known yet.

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool, raw_sql};
use stagedoor::infra::postgres::Connection;

use super::{
    expect_none,
    source::{Source, below},
};
use crate::support::pool;

/// Tables that stay small, one row for what an organiser makes by hand: read whole by what
/// lists them.
const SMALL: [&str; 3] = ["programs", "venues", "queue_numbers"];
/// Whose statements are meant to read everything, on a connection beside the pool.
const REPORTS: [&str; 2] = ["src/rehearsal", "src/demo"];

/// What each connection of a pool would keep for as long as it lives.
#[sqlx::test]
async fn a_plan_from_when_a_table_was_empty_does_not_read_all_of_it(db: PgPool) {
    let pool = pool(&db, 1);
    let mut tx = pool.begin().await.unwrap();
    let reports: Vec<String> = REPORTS
        .iter()
        .flat_map(|folder| below(folder, &[".rs"]))
        .map(|source| one_line(&source.text))
        .collect();
    let mut mistakes = Vec::new();
    let mut n_planned = 0;
    for statement in below(".sqlx", &[".json"]) {
        let query = query_of(&statement);
        if reports.iter().any(|report| report.contains(&query)) {
            continue;
        }
        n_planned += 1;
        for table in tables_read_whole(&mut tx, &query).await {
            if !SMALL.contains(&table.as_str()) {
                mistakes.push(format!("{table}: {query}"));
            }
        }
    }
    assert!(n_planned > 150, "only {n_planned} statements were planned");
    expect_none(&mistakes, "A statement of the pool finds its rows by an index.");
}

fn query_of(statement: &Source) -> String {
    let described: Value = serde_json::from_str(&statement.text).unwrap();
    one_line(described["query"].as_str().unwrap())
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "\\").collect();
    words.join(" ")
}

/// The tables that the kept plan of `query` reads from their first page to their last.
async fn tables_read_whole(tx: &mut Connection, query: &str) -> Vec<String> {
    let n_parameters = (1..100).take_while(|nth| query.contains(&format!("${nth}"))).count();
    let nulls = vec!["null"; n_parameters].join(", ");
    let arguments = if nulls.is_empty() { nulls } else { format!("({nulls})") };
    run(tx, &format!("prepare planned as {query}")).await;
    let explain = format!("explain execute planned{arguments}");
    let plan: Vec<String> =
        sqlx::query_scalar(AssertSqlSafe(explain)).fetch_all(&mut *tx).await.unwrap();
    run(tx, "deallocate planned").await;
    let scans = plan.iter().filter_map(|line| line.split_once("Seq Scan on "));
    scans.map(|(_, rest)| rest.split(' ').next().unwrap().to_owned()).collect()
}

async fn run(tx: &mut Connection, sql: &str) {
    raw_sql(AssertSqlSafe(sql.to_owned())).execute(tx).await.unwrap();
}
