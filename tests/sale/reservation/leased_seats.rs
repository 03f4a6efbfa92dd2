//! Seats leased to a refused person: the one click wins, and to others they are held until it ends.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, hold, order_path};
use crate::support::{Answer, Concert, ConcertOptions, Office, Person, count, eventually, storm};

async fn map(person: &Person, concert: &Concert) -> Value {
    person.get(&format!("/schedules/{}", concert.schedule_id)).await.json()
}

async fn changes(person: &Person, concert: &Concert, since: &Value) -> Value {
    let since = since.as_str().unwrap();
    person.get(&format!("/schedules/{}/changes?since={since}", concert.schedule_id)).await.json()
}

/// Returns the status of a seat in a map or in changes; null if it is not in them.
fn status_of(map: &Value, seat_id: i64) -> Value {
    let seat = map["seats"].as_array().unwrap().iter().find(|seat| seat["id"] == seat_id);
    seat.map(|seat| seat["status"].clone()).unwrap_or_default()
}

fn leased(refused: &Answer) -> Vec<i64> {
    let ids = refused.json()["leased_seat_ids"].as_array().unwrap().clone();
    ids.iter().map(|id| id.as_i64().unwrap()).collect()
}

#[sqlx::test]
async fn the_first_alternative_is_for_whoever_was_refused_and_for_nobody_else(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let [ada, bob, cyd] = &people[..] else { unreachable!() };
    let wanted = &concert.seat_ids[4..6];
    let before = map(cyd, &concert).await;
    assert_eq!(hold(ada, &concert, wanted).await.status, 201);

    let refused = hold(bob, &concert, wanted).await;
    let seats = leased(&refused);
    assert_eq!(json!(seats), refused.json()["alternatives"][0]["seat_ids"], "{}", refused.body);
    // Others are refused, at any instance, and are offered something else.
    for idx in 0..2 {
        let late = hold(&office.moved(cyd, idx), &concert, &seats[..1]).await;
        assert_eq!(late.code(), "seat-unavailable", "{}", late.body);
        assert_eq!(late.json()["seat_ids"], json!(seats[..1]));
        let offers = late.json()["alternatives"].as_array().unwrap().clone();
        let is_leased =
            |offer: &Value| offer["seat_ids"].as_array().unwrap().contains(&json!(seats[1]));
        assert!(!offers.is_empty() && !offers.iter().any(is_leased), "{}", late.body);
    }
    // Maps show them as held, and so does a poll.
    eventually("the lease on the map", async || {
        let map = map(cyd, &concert).await;
        if status_of(&map, seats[0]) == "HELD" { Ok(()) } else { Err(map) }
    })
    .await;
    eventually("the lease in a poll", async || {
        let told = changes(cyd, &concert, &before["cursor"]).await;
        if status_of(&told, seats[0]) == "HELD" { Ok(()) } else { Err(told) }
    })
    .await;
    let page = cyd.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    assert!(page.has(&format!("[name='seat_ids'][value='{}'][disabled]", seats[0])));
    // Best available passes over them.
    let best = json!({ "best": 2, "request_key": Uuid::now_v7() });
    let best = cyd.post_json(&order_path(&concert), &best).await;
    assert_eq!(best.status, 201, "{}", best.body);
    assert!(!seats.iter().any(|seat| best.body.contains(&format!("\"schedule_seat_id\":{seat},"))));
    // The one click, with a key of its own and at another instance.
    let click = hold(&office.moved(bob, 1), &concert, &seats).await;
    assert_eq!(click.status, 201, "{}", click.body);
    office.close().await;
}

#[sqlx::test]
async fn an_account_has_one_lease_a_minute_and_none_beyond_its_limit(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { places_per_account_max: 3, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let [ada, bob, cyd] = &people[..] else { unreachable!() };
    let (wanted, other) = (&concert.seat_ids[4..6], &concert.seat_ids[10..12]);
    assert_eq!(hold(ada, &concert, wanted).await.status, 201);
    let bobs = leased(&hold(bob, &concert, wanted).await);
    assert_eq!(bobs.len(), 2);
    assert_eq!(leased(&hold(bob, &concert, wanted).await).len(), 0);
    // Two more would be four.
    assert_eq!(hold(cyd, &concert, other).await.status, 201);
    let refused = hold(cyd, &concert, &bobs).await;
    assert_eq!(refused.code(), "seat-unavailable", "{}", refused.body);
    assert_eq!(leased(&refused).len(), 0, "{}", refused.body);
    // Seats that were not leased after all can be held by others.
    let first = refused.json()["alternatives"][0]["seat_ids"].as_array().unwrap().clone();
    let first: Vec<i64> = first.iter().map(|id| id.as_i64().unwrap()).collect();
    assert_eq!(hold(ada, &concert, &first[..1]).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn of_those_who_are_refused_at_once_each_gets_the_leased_seats_with_one_click(db: PgPool) {
    const PEOPLE: usize = 60;
    let office = Office::open(db).await;
    let options = ConcertOptions { seats: 100, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(PEOPLE, "ada").await;
    admit(&office.db, &concert, &people).await;
    let n_leased = Arc::new(AtomicUsize::new(0));
    let answers = storm(people.iter().cloned().enumerate().map(|(idx, person)| {
        let (concert, person) = (concert.clone(), office.moved(&person, idx % 2));
        let n_leased = Arc::clone(&n_leased);
        async move {
            let first = hold(&person, &concert, &concert.seat_ids[44..45]).await;
            if first.status == 201 || leased(&first).is_empty() {
                return first;
            }
            n_leased.fetch_add(1, Ordering::Relaxed);
            hold(&person, &concert, &leased(&first)).await
        }
    }))
    .await;
    let n_leased = n_leased.load(Ordering::Relaxed);
    assert!(n_leased > 1, "{n_leased} were leased a seat");
    let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
    assert_eq!(count(&answers, 201, ""), 1 + n_leased, "{told:?}");
    assert_eq!(count(&answers, 409, "seat-unavailable"), PEOPLE - 1 - n_leased, "{told:?}");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_viewer_who_was_shown_a_lease_is_told_of_its_end_whenever_it_asks(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let [ada, bob, cyd] = &people[..] else { unreachable!() };
    assert_eq!(hold(ada, &concert, &concert.seat_ids[4..6]).await.status, 201);
    let refused = hold(bob, &concert, &concert.seat_ids[4..6]).await;
    let [first, second] = leased(&refused)[..] else { panic!("{}", refused.body) };
    let shown = eventually("the lease on the map", async || {
        let map = map(cyd, &concert).await;
        if status_of(&map, first) == "HELD" { Ok(map) } else { Err(map) }
    })
    .await;
    let told = changes(cyd, &concert, &shown["cursor"]).await;
    assert_ne!(status_of(&told, first), "AVAILABLE", "{told}");
    eventually("the end of the lease", async || {
        let told = changes(cyd, &concert, &shown["cursor"]).await;
        if status_of(&told, first) == "AVAILABLE" { Ok(()) } else { Err(told) }
    })
    .await;
    // So are those whose instance followed no map then, and those whose cursor is older than what
    // is kept.
    let other = office.moved(cyd, 1);
    let ended = changes(&other, &concert, &shown["cursor"]).await;
    assert_eq!(status_of(&ended, second), "AVAILABLE", "{ended}");
    let old = changes(&other, &concert, &json!("1")).await;
    assert_eq!(status_of(&old, second), "AVAILABLE", "{old}");
    assert_eq!(status_of(&map(&other, &concert).await, second), "AVAILABLE");
    office.close().await;
}

#[sqlx::test]
async fn a_refusal_names_every_seat_that_is_gone(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let [ada, bob, cyd] = &people[..] else { unreachable!() };
    let sold = &concert.seat_ids[4..6];
    assert_eq!(hold(ada, &concert, sold).await.status, 201);
    let leased = leased(&hold(bob, &concert, sold).await);
    // One seat is leased to another account, and the other is held.
    let wanted = [leased[0], sold[0]];
    let refused = hold(cyd, &concert, &wanted).await;
    let mut gone = wanted;
    gone.sort_unstable();
    assert_eq!((refused.status, &refused.json()["seat_ids"]), (409, &json!(gone)));
    let form = wanted.map(|id| ("seat_ids", id.to_string()));
    let page = cyd.submit(&order_path(&concert), &form).await;
    assert_eq!(page.status, 409, "{}", page.body);
    let title = page.texts(".notice--refusal .notice__title");
    assert_eq!(title, ["Some of those seats were taken a moment ago"], "{}", page.body);
    let names = page.texts(".notice--refusal p")[1].clone();
    assert_eq!(names.matches("seat ").count(), 2, "{names}");
    office.close().await;
}
