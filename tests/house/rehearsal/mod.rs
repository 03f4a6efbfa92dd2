//! A rehearsal is an on-sale like any other, and leaves nothing behind.

mod binary;
mod door;
mod removal;
mod shares;

use sqlx::PgPool;
use stagedoor::rehearsal::{Access, Rehearsal, RehearsalError};

use crate::support::{Concert, Office, pool, read_one, run_sql};

const TOKEN: &str = "a token that only this rehearsal knows";
const TABLES: [&str; 9] = [
    "accounts",
    "sessions",
    "programs",
    "venues",
    "seats",
    "reservations",
    "wallets",
    "point_transactions",
    "domain_events",
];

fn rehearsal(target: &str, people: usize) -> Rehearsal {
    let target = target.parse().unwrap();
    Rehearsal { target, people, open_loop: None, choosing: None, history: None, html: None }
}

async fn counts(db: &PgPool) -> Vec<i64> {
    let mut counts = Vec::new();
    for table in TABLES {
        let count = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        counts.push(read_one(db, count).await);
    }
    counts
}

fn stores(office: &Office) -> Access<'_> {
    Access { token: None, stores: Some((&office.app.db, &office.app.redis)) }
}

#[sqlx::test]
async fn thirty_people_buy_what_there_is_and_are_gone_without_a_trace(db: PgPool) {
    let office = Office::open(db.clone()).await;
    Concert::usual(&db).await;
    run_sql(
        &db,
        "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at)
         values (gen_random_uuid(), 'https://hooks.example/', 'Accounting',
             '{reservation.held,reservation.paid,reservation.released,program.published,queue.opened}',
             sha256('a') || substr(sha256('b'), 1, 28), now())",
    )
    .await;
    let before = counts(&db).await;
    let file =
        |ending| std::env::temp_dir().join(format!("rehearsal-{}.{ending}", uuid::Uuid::new_v4()));
    let (history, html) = (file("jsonl"), file("html"));
    let rehearsal = Rehearsal {
        history: Some(history.clone()),
        html: Some(html.clone()),
        ..rehearsal(&office.base(0), 30)
    };
    let played = rehearsal.run(stores(&office), std::future::pending(), |_| ()).await.unwrap();

    let shown = &played.report;
    assert!(played.errors.is_empty(), "{:?}", played.errors);
    assert!(shown.is_clean(), "{shown}");
    let report = serde_json::to_value(shown).unwrap();
    assert!(report["seats_sold"].as_u64().unwrap() >= 15, "{shown}");
    assert_eq!(report["unseen"], 0, "{shown}");
    assert_eq!(report["violations"], serde_json::json!([]), "{shown}");
    let refusals = report["refusals"].as_array().unwrap();
    assert!(refusals.iter().all(|refusal| refusal["is_expected"] == true), "{shown}");

    let lines = std::fs::read_to_string(&history).unwrap();
    assert!(lines.lines().count() > 100 && lines.contains(r#""step":"pay""#));
    for line in lines.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("<svg") && page.contains("30 people at an on-sale"), "{page}");
    // It loads nothing from anywhere and runs nothing.
    assert!(!page.contains("<script") && !page.contains("src="), "{page}");
    std::fs::remove_file(&history).unwrap();
    std::fs::remove_file(&html).unwrap();
    assert_eq!(counts(&db).await, before);
    office.close().await;
}

#[sqlx::test]
async fn whoever_interrupts_gets_what_there_is(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let soon = tokio::time::sleep(std::time::Duration::from_millis(700));
    let rehearsal = Rehearsal { open_loop: Some(20.0), ..rehearsal(&office.base(0), 200) };
    let played = rehearsal.run(stores(&office), soon, |_| ()).await.unwrap();
    assert!(played.report.is_clean(), "{}", played.report);
    assert!(played.errors.is_empty(), "{:?}", played.errors);
    let report = serde_json::to_value(&played.report).unwrap();
    assert_eq!(report["ended"], "interrupted");
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
    office.close().await;
}

#[sqlx::test]
async fn without_a_token_only_a_deployment_on_this_machine_is_rehearsed(db: PgPool) {
    let app = crate::support::app(&db).await;
    let access = Access { token: None, stores: Some((&app.db, &app.redis)) };
    let play = async |target: &str, people| {
        let rehearsal = rehearsal(target, people);
        rehearsal.run(access, std::future::pending(), |_| ()).await.unwrap_err()
    };
    assert!(matches!(play("http://example.com", 5).await, RehearsalError::Elsewhere(_)));
    assert!(matches!(play("http://10.0.0.1", 5).await, RehearsalError::Elsewhere(_)));
    assert!(matches!(play("ftp://127.0.0.1", 5).await, RehearsalError::NoHttp(_)));
    assert!(matches!(play("http://127.0.0.1:1", 0).await, RehearsalError::TooMany { .. }));
    assert!(matches!(play("http://127.0.0.1:1", 20_001).await, RehearsalError::TooMany { .. }));
    assert!(matches!(play("http://127.0.0.1:1", 5).await, RehearsalError::NotServing(_)));
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
}

#[sqlx::test]
async fn with_the_token_everything_goes_over_http(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    let rehearsal = rehearsal(&office.base(0), 30);
    let access = Access { token: Some(TOKEN), stores: None };
    let played = rehearsal.run(access, std::future::pending(), |_| ()).await.unwrap();
    assert!(played.report.is_clean() && played.errors.is_empty(), "{}", played.report);
    let report = serde_json::to_value(&played.report).unwrap();
    assert!(report["seats_sold"].as_u64().unwrap() >= 15, "{}", played.report);
    assert!(report["not_verified"].is_string(), "{}", played.report);
    assert_eq!(counts(&db).await, [0; TABLES.len()]);

    let wrong = Access { token: Some("another token, as long as the right one"), stores: None };
    let refused = rehearsal.run(wrong, std::future::pending(), |_| ()).await.unwrap_err();
    assert!(matches!(refused, RehearsalError::WrongToken), "{refused}");
    office.close().await;
}

#[sqlx::test]
async fn a_database_of_another_deployment_is_not_verified_in_its_place(db: PgPool) {
    let office = Office::open_with(db, 1, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    let elsewhere = PgPool::connect(&std::env::var("DATABASE_URL").unwrap()).await.unwrap();
    let elsewhere = pool(&elsewhere, 1);
    let access = Access { token: Some(TOKEN), stores: Some((&elsewhere, &office.app.redis)) };
    let played =
        rehearsal(&office.base(0), 3).run(access, std::future::pending(), |_| ()).await.unwrap();
    let report = serde_json::to_value(&played.report).unwrap();
    assert_eq!(report["violations"], serde_json::Value::Null, "{}", played.report);
    office.close().await;
}
