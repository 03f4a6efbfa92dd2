//! What a page of a long list reads, by the statements that the program runs.

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool, raw_sql};

use super::{plans::query_of, source::below};
use crate::support::pool;

/// One account with 100,000 requests, nearly all of them with one other and accepted, beside 200,000
/// of others.
const TRANSFERS: &str = "
    create function id_of(n int) returns uuid language sql immutable as
        $$ select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
    insert into accounts (id, email, name, password_hash)
    select id_of(n), n || '@example.com', 'Somebody', '-' from generate_series(0, 999) n;
    insert into transfers (id, sender_id, receiver_id, amount, status, version, expires_at)
    select id_of(n), id_of(case n % 6 when 0 then 0 when 3 then other else n % 999 end),
        id_of(case n % 6 when 0 then other when 3 then 0 else 999 end),
        1, case when n % 1000 = 0 then 'REJECTED' else 'ACCEPTED' end, 1, now()
    from generate_series(1, 300000) n
    cross join lateral (select case n % 300 when 0 then n % 998 + 1 else 1 end as other) o;
    analyze transfers, accounts";

/// Rows of a page, and one more for each of the states and sides that are put together.
const ROWS_MAX: f64 = 1_500.0;

#[sqlx::test]
async fn a_page_of_many_transfers_reads_what_it_shows(db: PgPool) {
    raw_sql(TRANSFERS).execute(&db).await.unwrap();
    let pool = pool(&db, 1);
    let mut tx = pool.begin().await.unwrap();
    let statements = below(".sqlx", &[".json"]);
    let query = statements.iter().map(query_of).find(|query| query.contains("as kept (status)"));
    let prepare = format!("prepare listed as {}", query.unwrap());
    raw_sql(AssertSqlSafe(prepare)).execute(&mut *tx).await.unwrap();
    let all = "array['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED']";
    let (newest, middle) = ("id_of(1000000)", "id_of(150000)");
    for statuses in [all, "array['REJECTED']", "array['PENDING']", "array['PENDING', 'EXPIRED']"] {
        for (other, address) in [
            ("null", "null"),
            ("id_of(1)", "null"),
            ("id_of(500)", "null"),
            ("null", "'nobody@example.com'"),
        ] {
            for sides in ["id_of(0), id_of(0)", "id_of(0), null", "null, id_of(0)"] {
                for after in [newest, middle] {
                    let explain = format!(
                        "explain (analyze, format json) execute listed
                         ({statuses}, {other}, {sides}, {after}, {statuses}, 51, id_of(0), {statuses}, {address})"
                    );
                    let plan: Value = sqlx::query_scalar(AssertSqlSafe(explain.clone()))
                        .fetch_one(&mut *tx)
                        .await
                        .unwrap();
                    let read = rows_read(&plan[0]["Plan"]);
                    assert!(read < ROWS_MAX, "{read} rows: {explain}\n{plan:#}");
                }
            }
        }
    }
}

/// Returns how many rows the scans of a plan read, those left out included.
fn rows_read(plan: &Value) -> f64 {
    let number = |name: &str| plan[name].as_f64().unwrap_or_default();
    let is_scan = plan["Relation Name"].is_string();
    let each = number("Actual Rows") + number("Rows Removed by Filter");
    let own = if is_scan { each * number("Actual Loops") } else { 0.0 };
    own + plan["Plans"].as_array().into_iter().flatten().map(rows_read).sum::<f64>()
}
