//! A rehearsal is an on-sale like any other, and leaves nothing behind.

use sqlx::PgPool;
use stagedoor::rehearsal::{Rehearsal, RehearsalError};

use crate::support::{Concert, Office};

fn rehearsal(target: &str, people: usize) -> Rehearsal {
    Rehearsal { target: target.parse().unwrap(), people, open_loop: None, history: None }
}

async fn count(db: &PgPool, table: &'static str) -> i64 {
    let count = format!("select count(*) from {table}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(count)).fetch_one(db).await.unwrap()
}

#[sqlx::test]
async fn thirty_people_buy_what_there_is_and_are_gone_without_a_trace(db: PgPool) {
    let tables = ["accounts", "programs", "seats", "reservations", "wallets", "point_transactions"];
    let office = Office::open(db.clone()).await;
    Concert::usual(&db).await;
    let mut before = Vec::new();
    for table in tables {
        before.push(count(&db, table).await);
    }
    let history = std::env::temp_dir().join(format!("rehearsal-{}.jsonl", uuid::Uuid::new_v4()));
    let rehearsal = Rehearsal { history: Some(history.clone()), ..rehearsal(&office.base(0), 30) };
    let played = rehearsal
        .play(&office.app.db, &office.app.redis, std::future::pending(), |_| ())
        .await
        .unwrap();

    let report = serde_json::to_value(&played).unwrap();
    assert!(played.is_clean(), "{played}");
    assert!(report["seats_sold"].as_u64().unwrap() >= 15, "{played}");
    let lines = std::fs::read_to_string(&history).unwrap();
    std::fs::remove_file(&history).unwrap();
    assert!(lines.lines().count() > 100 && lines.contains(r#""step":"pay""#));
    for (table, n) in tables.into_iter().zip(before) {
        assert_eq!(count(&db, table).await, n, "{table}");
    }
    office.close().await;
}

#[sqlx::test]
async fn whoever_interrupts_gets_what_there_is(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let soon = tokio::time::sleep(std::time::Duration::from_millis(700));
    let rehearsal = Rehearsal { open_loop: Some(20.0), ..rehearsal(&office.base(0), 200) };
    let played = rehearsal.play(&office.app.db, &office.app.redis, soon, |_| ()).await.unwrap();
    assert!(played.is_clean(), "{played}");
    assert_eq!(count(&db, "accounts").await, 0);
    office.close().await;
}

#[sqlx::test]
async fn only_a_deployment_on_this_machine_is_rehearsed(db: PgPool) {
    let app = crate::support::app(&db).await;
    let play = async |target: &str, people| {
        let rehearsal = rehearsal(target, people);
        rehearsal.play(&db, &app.redis, std::future::pending(), |_| ()).await.unwrap_err()
    };
    assert!(matches!(play("http://example.com", 5).await, RehearsalError::Elsewhere(_)));
    assert!(matches!(play("http://10.0.0.1", 5).await, RehearsalError::Elsewhere(_)));
    assert!(matches!(play("http://127.0.0.1:1", 0).await, RehearsalError::TooMany { .. }));
    assert!(matches!(play("http://127.0.0.1:1", 5).await, RehearsalError::NotServing(_)));
    assert_eq!(count(&db, "accounts").await, 0);
}
