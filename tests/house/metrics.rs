//! What an operator learns.

use sqlx::PgPool;
use stagedoor::infra::postgres::{Contention, retry_stale};

use crate::support::{
    Concert, ConcertOptions, Hold, Office, Purchase, admit, eventually, hold_places, run_sql,
};

/// A race that is lost.
#[derive(Debug)]
struct Lost;

impl Contention for Lost {
    fn is_stale(&self) -> bool {
        true
    }

    fn contended() -> Self {
        Self
    }
}

#[sqlx::test]
async fn the_metrics_tell_what_the_house_is_doing(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let stranger = office.stranger();
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let people = office.crowd(3, "ada").await;
    for person in &people {
        person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
    }
    let free = Concert::usual(&db).await;
    let guest = office.sign_in("guest").await;
    admit(&db, &free, std::slice::from_ref(&guest)).await;
    assert_eq!(hold_places(&guest, &free, 1).await.status, 201);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    Purchase::make(&db, &concert, &people[0], hold).await;
    let outcome = retry_stale(async |n_lost| if n_lost < 2 { Err(Lost) } else { Ok(()) }).await;
    assert!(outcome.is_ok(), "the third attempt wins");
    stranger.visit("/nowhere/at/all").await;
    let expected = [
        format!("stagedoor_queue_waiting{{program=\"{}\"}}", concert.slug),
        "stagedoor_http_requests_total{route=\"/programs/{slug}/queue\",method=\"POST\",status=\"201\"}"
            .to_owned(),
        "stagedoor_http_request_duration_seconds_bucket{route=\"/reservations/{id}/payment\"".to_owned(),
        "stagedoor_http_requests_total{route=\"(none)\",method=\"GET\",status=\"404\"}".to_owned(),
        "stagedoor_payments_total".to_owned(),
        "stagedoor_admissions_total".to_owned(),
        "stagedoor_redis_up 1".to_owned(),
        "stagedoor_db_connections{state=\"idle\"}".to_owned(),
        "stagedoor_db_lock_waiters".to_owned(),
        "stagedoor_lock_wait_seconds_count{kind=\"fair\"}".to_owned(),
        "stagedoor_lock_wait_seconds_count{kind=\"lease\"}".to_owned(),
        "stagedoor_redis_duration_seconds_bucket".to_owned(),
        "stagedoor_holds_total".to_owned(),
        "stagedoor_batch_size_bucket{kind=\"join\",le=\"500".to_owned(),
        "stagedoor_db_connections_max".to_owned(),
        "stagedoor_retries_total".to_owned(),
        "stagedoor_worker_lag_seconds{worker=\"admission\"}".to_owned(),
    ];
    let told = eventually("every metric", async || {
        let told = stranger.visit("/metrics").await.body;
        let missing: Vec<&String> = expected.iter().filter(|line| !told.contains(*line)).collect();
        if missing.is_empty() { Ok(told) } else { Err(format!("{missing:?} are not in\n{told}")) }
    })
    .await;
    assert!(!told.contains("/nowhere"), "strangers invent no labels");
    office.close().await;
}

#[sqlx::test]
async fn mails_that_wait_for_their_server_are_counted_with_the_age_of_the_oldest(db: PgPool) {
    // No server listens there.
    let settings = [("SMTP_URL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "tickets@office.example")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("ada").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    Purchase::make(&db, &concert, &person, hold).await;
    run_sql(&db, "update outbox set created_at = created_at - interval '1 hour'").await;
    eventually("a mail that waits", async || {
        let told = office.stranger().visit("/metrics").await.body;
        let is_told = told.contains("stagedoor_mails{state=\"waiting\"} 1\n")
            && told.contains("stagedoor_mails{state=\"failed\"} 0\n")
            && told.contains("stagedoor_mail_oldest_waiting_seconds 36");
        if is_told { Ok(()) } else { Err(told) }
    })
    .await;
    office.close().await;
}

/// However many programs there are, the metrics stay as small.
#[sqlx::test]
async fn only_the_fifty_largest_queues_have_series(db: PgPool) {
    const PROGRAMS: usize = 60;
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let people = office.crowd(2, "ada").await;
    let mut concerts = Vec::new();
    for _ in 0..PROGRAMS {
        concerts.push(Concert::usual(&db).await);
    }
    // The last that were made have people.
    for concert in &concerts[PROGRAMS - 3..] {
        for person in &people {
            let joined = person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
            assert_eq!(joined.status, 201, "{}", joined.body);
        }
    }
    let told = eventually("the people of the last lines", async || {
        let told = office.stranger().visit("/metrics").await.body;
        let inside = |concert: &Concert| {
            let line = format!("stagedoor_queue_inside{{program=\"{}\"}} 2\n", concert.slug);
            told.contains(&line)
        };
        if concerts[PROGRAMS - 3..].iter().all(inside) { Ok(told) } else { Err(told) }
    })
    .await;
    let series = |concert: &&Concert| {
        told.contains(&format!("stagedoor_queue_waiting{{program=\"{}\"}}", concert.slug))
    };
    assert!(concerts[PROGRAMS - 3..].iter().all(|concert| series(&concert)), "{told}");
    assert_eq!(concerts.iter().filter(series).count(), 50);
    office.close().await;
}

/// The dashboard asks only for what is measured.
#[test]
fn the_dashboard_asks_for_metrics_that_exist() {
    let dashboard = include_str!("../../docs/grafana-dashboard.json");
    let parsed: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    assert!(parsed["panels"].as_array().unwrap().len() > 5);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut source = String::new();
    let mut folders = vec![std::path::PathBuf::from(root)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                source += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    for asked in dashboard.split("stagedoor_").skip(1) {
        let name: String =
            asked.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        let name = name.trim_end_matches("_bucket").trim_end_matches("_count");
        assert!(source.contains(&format!("\"stagedoor_{name}\"")), "stagedoor_{name}");
    }
}
