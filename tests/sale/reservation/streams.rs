//! Open maps of one account, and of a session that ends.

use std::time::Duration;

use reqwest::{Method, Response};
use sqlx::PgPool;

use super::admit;
use crate::support::{Concert, Office, Person, until};

/// Longer than two heartbeats, also on a slow machine.
const ENDS_MAX: Duration = Duration::from_mins(2);

async fn open(person: &Person, concert: &Concert) -> Response {
    let path = format!("/schedules/{}/changes", concert.schedule_id);
    person.asks(Method::GET, &path, "text/event-stream").send().await.unwrap()
}

#[sqlx::test]
async fn an_account_has_so_many_open_maps_and_the_others_theirs(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let mut maps = Vec::new();
    for _ in 0..8 {
        let map = open(&people[0], &concert).await;
        assert_eq!(map.status().as_u16(), 200);
        maps.push(map);
    }
    let refused = open(&office.moved(&people[0], 0), &concert).await;
    assert_eq!(refused.status().as_u16(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    assert!(refused.text().await.unwrap().contains("\"rate-limited\""));
    assert_eq!(open(&people[1], &concert).await.status().as_u16(), 200);
    let path = format!("/schedules/{}/changes", concert.schedule_id);
    assert_eq!(people[0].get(&path).await.status, 200, "asking is not listening");
    drop(maps);
    // A browser that went away is noticed at the next heartbeat at the latest.
    until("a place among the listeners", async || {
        open(&people[0], &concert).await.status().as_u16() == 200
    })
    .await;
    office.close().await;
}

/// A person who is logged out everywhere does not go on watching.
#[sqlx::test]
async fn an_open_map_ends_with_its_session(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(1, "ada").await;
    admit(&office.db, &concert, &people).await;
    let (phone, laptop) = (&people[0], office.log_in(&people[0], 0).await);
    let (mut ending, mut staying) = (open(phone, &concert).await, open(&laptop, &concert).await);
    assert_eq!(laptop.post("/account/sessions/logout", &()).await.status, 204);
    let ends = async { while ending.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(ENDS_MAX, ends).await.unwrap();
    // The other one was asked too, and goes on: it says so at its heartbeat.
    let mut heard = String::new();
    let beats = async {
        while !heard.contains(": here") {
            heard.push_str(&String::from_utf8_lossy(&staying.chunk().await.unwrap().unwrap()));
        }
    };
    tokio::time::timeout(ENDS_MAX, beats).await.unwrap();
    office.close().await;
}
