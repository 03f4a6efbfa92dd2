//! Open maps: each change arrives, once, soon, and none is skipped.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use sqlx::{Connection, PgConnection, PgPool};

use super::{admit, hold, hold_places};
use crate::support::{
    Concert, ConcertOptions, Office, Person, eventually, read_one, run_sql_with, until,
};

fn changes_path(concert: &Concert, since: &Value) -> String {
    format!("/schedules/{}/changes?since={}", concert.schedule_id, since.as_str().unwrap())
}

async fn map(person: &Person, concert: &Concert) -> Value {
    person.get(&format!("/schedules/{}", concert.schedule_id)).await.json()
}

/// Seats that the changes call anything but free.
fn taken(changes: &Value) -> Vec<i64> {
    let seats = changes["seats"].as_array().unwrap().iter();
    let taken = seats.filter(|seat| seat["status"] != "AVAILABLE");
    let mut ids: Vec<i64> = taken.map(|seat| seat["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    ids
}

#[sqlx::test]
async fn asking_again_tells_what_changed_and_then_nothing(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let before = map(&people[0], &concert).await;
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[3..5]).await.status, 201);
    assert_eq!(hold_places(&people[1], &concert, 2).await.status, 201);
    let changes = people[0].get(&changes_path(&concert, &before["cursor"])).await.json();
    assert_eq!(taken(&changes), concert.seat_ids[3..5], "{changes}");
    assert_eq!(changes["zones"][0]["remaining"], 98);
    let wrong = people[0].get(&format!("/schedules/{}/changes?since=x", concert.schedule_id)).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (422, "invalid"));
    let out = office.sign_in("bob").await;
    assert_eq!(out.get(&changes_path(&concert, &before["cursor"])).await.code(), "not-admitted");
    office.close().await;
}

/// Asks for the changes since `cursor` until a seat that is no longer free is among them. One that has
/// not changed may be, too: transactions of other databases of the server keep it there.
async fn until_changed(person: &Person, concert: &Concert, cursor: &Value, seat_id: i64) -> Value {
    eventually("the change of a seat", async || {
        let changes = person.get(&changes_path(concert, cursor)).await.json();
        let is_told = changes["seats"]
            .as_array()
            .unwrap()
            .iter()
            .any(|seat| seat["id"] == seat_id && seat["status"] != "AVAILABLE");
        if is_told { Ok(changes) } else { Err(changes) }
    })
    .await
}

/// A transaction that began early and commits late is what a plain sequence would skip.
#[sqlx::test]
async fn a_change_that_commits_late_is_not_skipped(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let options = office.db.connect_options();
    let mut late = PgConnection::connect_with(&options).await.unwrap();
    let mut tx = late.begin().await.unwrap();
    run_sql_with(
        &mut *tx,
        "update schedule_seats set status = 'BLOCKED', version = version + 1,
         changed_xid = pg_current_xact_id() where id = $1",
        concert.seat_ids[9],
    )
    .await;
    let mut cursor = map(&people[0], &concert).await["cursor"].clone();
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..1]).await.status, 201);
    let changes = until_changed(&people[0], &concert, &cursor, concert.seat_ids[0]).await;
    cursor = changes["cursor"].clone();
    assert_eq!(taken(&changes), concert.seat_ids[..1], "{changes}");
    tx.commit().await.unwrap();
    let changes = until_changed(&people[0], &concert, &cursor, concert.seat_ids[9]).await;
    let late =
        changes["seats"].as_array().unwrap().iter().find(|seat| seat["id"] == concert.seat_ids[9]);
    assert_eq!(late.unwrap()["status"], "BLOCKED", "{changes}");
    office.close().await;
}

/// Reads a stream until `enough` says so.
async fn listen(
    person: &Person,
    path: &str,
    enough: impl Fn(&str) -> bool,
) -> Result<String, tokio::time::error::Elapsed> {
    let mut answer =
        person.asks(reqwest::Method::GET, path, "text/event-stream").send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut heard = String::new();
    tokio::time::timeout(Duration::from_mins(1), async {
        while !enough(&heard) {
            match answer.chunk().await.unwrap() {
                Some(chunk) => heard.push_str(&String::from_utf8_lossy(&chunk)),
                None => break,
            }
        }
        heard
    })
    .await
}

/// Whether a seat was told to be held and afterwards to be free. Rows that are as young
/// as the oldest running transaction may be told without having changed.
fn is_freed(heard: &str) -> bool {
    heard.split_once("HELD").is_some_and(|(_, later)| later.contains("AVAILABLE"))
}

#[sqlx::test]
async fn freed_seats_appear_on_open_maps_within_a_second_at_every_instance(db: PgPool) {
    let office = Office::open_with(db, 2, &[("TEST_EXPIRY_PERIOD_MS", "100")]).await;
    let options = ConcertOptions { hold_ttl_secs: 1, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let cursor = map(&people[0], &concert).await["cursor"].clone();
    let path = changes_path(&concert, &cursor);
    let viewers: Vec<_> = (0..2)
        .map(|idx| {
            let (viewer, path) = (office.moved(&people[0], idx), path.clone());
            tokio::spawn(async move { listen(&viewer, &path, is_freed).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..1]).await.status, 201);
    for viewer in viewers {
        let heard = viewer.await.unwrap().unwrap();
        assert!(heard.contains("\"status\":\"HELD\""), "{heard}");
    }
    office.close().await;
}

/// After its last statement a server process publishes what it counted at the latest so much later.
const STATISTICS_DELAY_MAX: Duration = Duration::from_secs(10);

/// Number of reads of the zones: each question about a map makes one.
async fn looks(office: &Office) -> i64 {
    // What the server counted is published with a delay.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let scans =
        "select seq_scan + coalesce(idx_scan, 0) from pg_stat_user_tables where relname = 'zones'";
    read_one(&office.db, scans).await
}

#[sqlx::test]
async fn a_large_house_is_read_once_for_all_who_open_it(db: PgPool) {
    const VISITS: i64 = 60;
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { seats: 1_600, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let first = map(&people[0], &concert).await;
    assert_eq!(first["seats"].as_array().unwrap().len(), 1_600);
    let before = looks(&office).await;
    for visit in 0..VISITS {
        let kind = ["text/html", "application/json"][usize::from(visit % 2 == 0)];
        let answer = people[0].asks(reqwest::Method::GET, &path, kind).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200);
    }
    let asked = looks(&office).await - before;
    assert!(asked < VISITS / 2, "{asked} looks at the zones for {VISITS} visits");

    let changes = changes_path(&concert, &first["cursor"]);
    let viewer = people[0].clone();
    let heard = tokio::spawn(async move {
        listen(&viewer, &changes, |heard| heard.contains("\"free\":1598")).await
    });
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..2]).await.status, 201);
    assert!(heard.await.unwrap().unwrap().contains("\"name\":\"Stalls\""));
    // A person who comes now sees the house as it stands.
    let now = map(&people[0], &concert).await;
    assert_eq!(taken(&now), concert.seat_ids[..2]);
    let page = people[0].asks(reqwest::Method::GET, &path, "text/html").send().await.unwrap();
    let page = page.text().await.unwrap();
    for part in [
        "data-section=\"Stalls\"",
        "<title data-name>Stalls: 1,598 left, 50,000 points</title>",
        "?section=Stalls#seats",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(!page.contains("seat_ids"), "fifteen hundred check boxes on one page");
    office.close().await;
}

#[sqlx::test]
async fn many_viewers_cost_one_query_a_change(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(200, "ada").await;
    admit(&office.db, &concert, &people).await;
    let cursor = map(&people[0], &concert).await["cursor"].clone();
    let path = changes_path(&concert, &cursor);
    let n_open = Arc::new(AtomicUsize::new(0));
    let viewers: Vec<_> = people[1..]
        .iter()
        .cloned()
        .map(|viewer| {
            let (path, n_open, is_counted) = (path.clone(), n_open.clone(), AtomicBool::new(false));
            tokio::spawn(async move {
                let hears = |heard: &str| {
                    if heard.contains(": open") && !is_counted.swap(true, Ordering::SeqCst) {
                        n_open.fetch_add(1, Ordering::SeqCst);
                    }
                    heard.contains("HELD")
                };
                listen(&viewer, &path, hears).await
            })
        })
        .collect();
    until("every stream is open", async || n_open.load(Ordering::SeqCst) == viewers.len()).await;
    // What they looked at while they opened must not be counted below.
    tokio::time::sleep(STATISTICS_DELAY_MAX).await;
    let before = looks(&office).await;
    assert_eq!(hold(&people[0], &concert, &concert.seat_ids[..1]).await.status, 201);
    for viewer in viewers {
        assert!(viewer.await.unwrap().unwrap().contains("HELD"));
    }
    let asked = looks(&office).await - before;
    assert!(asked < 20, "{asked} looks at the zones for one change and 199 viewers");
    office.close().await;
}
