//! How the server reads its tables for each statement of the pool: a table of which nothing is
//! known yet, and a small house beside a huge one.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Executor, PgPool, raw_sql};
use stagedoor::infra::postgres::Connection;

use super::{
    expect_none, functions,
    source::{Source, below},
};
use crate::support::pool;

/// Tables that stay small, a few rows for what an organiser makes by hand: read whole by what lists
/// them. Of `price_changes` and `category_price_changes` there are only unwritten ones.
const SMALL: [&str; 18] = [
    "programs",
    "schedules",
    "venues",
    "queue_numbers",
    "queue_gates",
    "queue_purges",
    "queue_draws",
    "access_gates",
    "price_changes",
    "category_price_changes",
    "daily_sales_progress",
    "receipt_progress",
    "webhook_endpoints",
    "api_keys",
    "office_settings",
    "office_logos",
    "setbacks",
    "pg_database",
];
/// Indexes whose first column has few rows for each of its values: nothing is lost by reading all of
/// them. A reference has an entry in each of two wallets, and seldom of two kinds.
const NARROW: [&str; 1] = ["point_transactions_reference_key"];
/// Lists that are joined without an index, row by row: each has one row, a row for each section, or
/// the rows of one batch.
const SHORT: [&str; 10] = [
    "failed",
    "made",
    "wanted",
    "asked",
    "place",
    "taken",
    "entries",
    "receiver",
    "recipient",
    "sections",
];
/// Whose statements are meant to read everything, on a connection beside the pool.
const REPORTS: [&str; 3] = ["src/verify", "src/demo", "src/rehearsal"];
/// Fills one house with 400,000 seats beside a thousand with 300, one line with 1,000,000 people
/// beside a thousand with 10, one wallet with 1,000,000 entries beside a thousand with 10.
const SKEWED: &str = include_str!("skewed.sql");
/// Lets the planner believe in another number of values of each key.
const N_DISTINCT: &str = include_str!("n_distinct.sql");
/// Two values: the huge one and one other, so that the average key has half of all rows.
const TWO_OF_EACH: &str = "2";
/// As many as there are rows: all indexes that begin with a key look equally good.
const ONE_ROW_EACH: &str = "-1";
/// The statements with which PostgreSQL itself looks for the row that a new row refers to.
const REFERENCES: &str = include_str!("references.sql");

/// Columns of each index, in order.
type IndexColumns = HashMap<String, Vec<String>>;

/// What each connection of a pool would keep for as long as it lives.
#[sqlx::test]
async fn a_plan_from_when_a_table_was_empty_does_not_read_all_of_it(db: PgPool) {
    expect_keyed_plans(&mistakes_of_plans(&db).await);
}

/// What each connection makes anew when the tables have grown: the planner still believes that they
/// are as empty as it once found them.
#[sqlx::test]
async fn a_plan_for_tables_that_were_found_empty_and_have_grown_reads_only_the_keys(db: PgPool) {
    let mut filling = db.acquire().await.unwrap();
    filling.execute("vacuum analyze").await.unwrap();
    filling.execute(SKEWED).await.unwrap();
    expect_keyed_plans(&mistakes_of_plans(&db).await);
}

#[sqlx::test]
async fn a_plan_for_the_small_beside_the_huge_reads_only_the_small(db: PgPool) {
    let mut filling = db.acquire().await.unwrap();
    filling.execute(SKEWED).await.unwrap();
    filling.execute("analyze").await.unwrap();
    let mut mistakes = mistakes_of_plans(&db).await;
    for n_distinct in [TWO_OF_EACH, ONE_ROW_EACH] {
        let setting = format!("set tidy.n_distinct = '{n_distinct}'");
        filling.execute(AssertSqlSafe(setting)).await.unwrap();
        filling.execute(N_DISTINCT).await.unwrap();
        filling.execute("analyze").await.unwrap();
        mistakes.extend(mistakes_of_plans(&db).await);
    }
    expect_keyed_plans(&mistakes);
}

fn expect_keyed_plans(mistakes: &[String]) {
    expect_none(mistakes, "A statement of the pool finds its rows by a key.");
}

/// Tells which statements of the pool have a kept plan that does not find its rows by the keys that
/// it was given.
async fn mistakes_of_plans(db: &PgPool) -> Vec<String> {
    let pool = pool(db, 1);
    let mut tx = pool.begin().await.unwrap();
    let reports: Vec<String> = REPORTS
        .iter()
        .flat_map(|folder| below(folder, &[".rs", ".sql"]))
        .map(|source| one_line(&source.text))
        .collect();
    let columns = index_columns(&mut tx).await;
    let mut mistakes = Vec::new();
    let mut n_planned = 0;
    for statement in below(".sqlx", &[".json"]) {
        let query = query_of(&statement);
        // What sets something has no plan.
        if query.starts_with("set ") || reports.iter().any(|report| report.contains(&query)) {
            continue;
        }
        n_planned += 1;
        let plan = plan_of(&mut tx, &query).await;
        note_mistakes(&plan, &columns, &mut |mistake| mistakes.push(format!("{mistake}: {query}")));
    }
    assert!(n_planned > 150, "only {n_planned} statements were planned");
    let references: Vec<String> = sqlx::query_scalar(REFERENCES).fetch_all(&mut *tx).await.unwrap();
    assert!(references.len() > 30, "only {} references were planned", references.len());
    let functions = functions::statements(&mut tx).await;
    assert!(functions.len() > 15, "only {} statements of functions were planned", functions.len());
    for query in references.into_iter().chain(functions) {
        let plan = plan_of(&mut tx, &query).await;
        note_mistakes(&plan, &columns, &mut |mistake| mistakes.push(format!("{mistake}: {query}")));
    }
    mistakes
}

/// The statement of a file of `.sqlx`.
pub(super) fn query_of(statement: &Source) -> String {
    let described: Value = serde_json::from_str(&statement.text).unwrap();
    one_line(described["query"].as_str().unwrap())
}

/// The text without its line ends and its comments: what follows one on its line would be
/// taken for a part of it.
pub(super) fn one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_once("-- ").map_or(line, |(before, _)| before));
    let words: Vec<&str> =
        lines.flat_map(str::split_whitespace).filter(|word| *word != "\\").collect();
    words.join(" ")
}

/// The plan that a connection of the pool keeps for `query`, whatever its parameters are.
async fn plan_of(tx: &mut Connection, query: &str) -> Value {
    let n_parameters = (1..100).take_while(|nth| query.contains(&format!("${nth}"))).count();
    let nulls = vec!["null"; n_parameters].join(", ");
    let arguments = if nulls.is_empty() { nulls } else { format!("({nulls})") };
    run(tx, &format!("prepare planned as {query}")).await;
    let explain = format!("explain (format json) execute planned{arguments}");
    let mut plan: Value =
        sqlx::query_scalar(AssertSqlSafe(explain)).fetch_one(&mut *tx).await.unwrap();
    run(tx, "deallocate planned").await;
    plan[0]["Plan"].take()
}

/// Kinds of nodes that read a list: of a parameter, or of a part of the statement.
const LISTS: [&str; 3] = ["Function Scan", "CTE Scan", "Values Scan"];

/// Returns the name of a list that `plan` reads whole; `None` if it reads something else.
fn list_of(plan: &Value) -> Option<&str> {
    let kind = plan["Node Type"].as_str()?;
    if ["Materialize", "Memoize", "Subquery Scan"].contains(&kind) {
        return list_of(&plan["Plans"][0]);
    }
    let name = plan["Alias"].as_str()?;
    // The planner numbers what stands in a statement twice.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    LISTS.contains(&kind).then_some(name)
}

/// Tells of a list of which every row is compared with every row of something else.
fn note_lists(plan: &Value, note: &mut impl FnMut(String)) {
    let parts = plan["Plans"].as_array().into_iter().flatten();
    let mut inner = parts.filter(|part| part["Parent Relationship"] == "Inner");
    let list = inner.next().and_then(list_of).filter(|list| !SHORT.contains(list));
    if let Some(list) = list.filter(|_| plan["Node Type"] == "Nested Loop") {
        note(format!("compares every row of the list {list} with every row of something else"));
    }
}

/// Walks `plan` and tells what reads more than the rows of a key.
fn note_mistakes(plan: &Value, columns: &IndexColumns, note: &mut impl FnMut(String)) {
    let kind = plan["Node Type"].as_str().unwrap();
    let table = plan["Relation Name"].as_str().unwrap_or_default();
    let index = plan["Index Name"].as_str().unwrap_or_default();
    let is_small =
        SMALL.iter().any(|small| table == *small || index.starts_with(&format!("{small}_")));
    match kind {
        "Seq Scan" if !is_small => note(format!("reads all of {table}")),
        "Index Scan" | "Index Only Scan" | "Bitmap Index Scan"
            if plan["Index Cond"].is_null() && !is_small =>
        {
            note(format!("reads all of the index {index}"));
        }
        "Index Scan" | "Index Only Scan" | "Bitmap Index Scan"
            if !is_small && !NARROW.contains(&index) =>
        {
            let condition = plan["Index Cond"].as_str().unwrap_or_default();
            if let Some(column) = passed_over(&columns[index], condition) {
                note(format!("reads {index} for every {column}"));
            }
        }
        "Gather" | "Gather Merge" => note("has parallel workers".to_owned()),
        "Hash Join" | "Merge Join" => note(format!("is joined by a {kind}")),
        _ => {}
    }
    note_lists(plan, note);
    for part in plan["Plans"].as_array().into_iter().flatten() {
        note_mistakes(part, columns, note);
    }
}

/// The first column of an index that `condition` does not name although it names a later one: the
/// scan reads the later one's entries for all its values.
fn passed_over<'a>(columns: &'a [String], condition: &str) -> Option<&'a str> {
    let words: Vec<&str> = condition.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_named = |column: &String| words.contains(&column.as_str());
    let first = columns.iter().position(|column| !is_named(column))?;
    columns[first..].iter().any(is_named).then(|| columns[first].as_str())
}

/// The columns of every index; an expression has no name.
async fn index_columns(tx: &mut Connection) -> IndexColumns {
    let rows: Vec<(String, Vec<String>)> = sqlx::query_as(
        "select indexrelid::regclass::text, array_agg(coalesce(attname, '') order by position)
         from pg_index
         cross join lateral unnest(indkey) with ordinality as part (number, position)
         left join pg_attribute on attrelid = indrelid and attnum = number and number > 0
         group by indexrelid",
    )
    .fetch_all(tx)
    .await
    .unwrap();
    rows.into_iter().collect()
}

async fn run(tx: &mut Connection, sql: &str) {
    raw_sql(AssertSqlSafe(sql.to_owned())).execute(tx).await.unwrap();
}
