//! Many people want the same thing at the same moment.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::PgPool;
use stagedoor::verify::{self, Invariant};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{admit, hold, hold_places, order_path, order_until_known, storm_beside_a_visitor};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, read_one, read_one_with, run_sql, storm,
};

/// All of `people` order the same seats at once.
async fn rush(people: &[Person], concert: &Concert, seat_ids: &[i64]) -> Vec<Answer> {
    storm(people.iter().cloned().map(|person| {
        let (concert, seat_ids) = (concert.clone(), seat_ids.to_vec());
        async move { hold(&person, &concert, &seat_ids).await }
    }))
    .await
}

fn assert_one_winner(answers: &[Answer]) {
    let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
    assert_eq!(count(answers, 201, ""), 1, "{told:?}");
    assert_eq!(count(answers, 409, "seat-unavailable"), answers.len() - 1, "{told:?}");
}

#[sqlx::test]
async fn of_a_hundred_people_one_gets_the_seat_and_all_others_are_told(db: PgPool) {
    let office = Office::open(db).await;
    // Each refused person is leased a seat, and is offered others without a lease.
    let options = ConcertOptions { seats: 200, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(100, "ada").await;
    admit(&office.db, &concert, &people).await;
    let seat = concert.seat_ids[7];
    let answers = rush(&people, &concert, &[seat]).await;
    assert_one_winner(&answers);
    let refused = answers.into_iter().filter(|answer| answer.status == 409);
    let (mut offering, rest): (Vec<_>, Vec<_>) =
        refused.partition(|answer| answer.json()["alternatives"] != json!([]));
    assert!(!offering.is_empty(), "{rest:?}");
    // On a slow machine some are refused before seats for them were looked for. A person who asks
    // again is offered some.
    let winner: Uuid = read_one(&office.db, "select account_id from reservations").await;
    let losers = people.iter().filter(|person| person.account_id != winner);
    for person in losers.take(rest.len()) {
        offering.push(hold(person, &concert, &[seat]).await);
    }
    for refused in offering {
        let refusal = refused.json();
        assert_eq!(refusal["seat_ids"], json!([seat]));
        let offered = refusal["alternatives"].as_array().unwrap();
        assert_eq!(offered.len(), 3, "{refusal}");
        assert!(offered.iter().all(|offer| offer["seat_ids"] != json!([seat])));
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn without_redis_the_rows_decide_and_holds_go_on(db: PgPool) {
    let away = [("REDIS_URL", "redis://127.0.0.1:1")];
    let office = Office::open_with(db, 2, &away).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(100, "ada").await;
    admit(&office.db, &concert, &people).await;
    assert_one_winner(&rush(&people, &concert, &concert.seat_ids[..2]).await);
    assert_eq!(hold_places(&people[3], &concert, 2).await.status, 201);
    office.verify_database().await;
    office.close_as_it_is().await;
}

/// The same storm without any guard: a seat looked at, then taken, and no unique index. It shows
/// that the check above would see a double sale. All look before one takes: what a storm only makes
/// likely.
#[sqlx::test]
async fn canary_looking_first_and_taking_later_sells_a_seat_twice(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    run_sql(&office.db, "drop index reservation_items_live_seat_key").await;
    let people = office.crowd(20, "ada").await;
    let seat = concert.seat_ids[7];
    let looks = people.iter().map(|_| status_of(&office.db, seat));
    let looks = futures_util::future::join_all(looks).await;
    let mut takers = JoinSet::new();
    for (person, status) in people.into_iter().zip(looks) {
        let (db, concert) = (office.db.clone(), concert.clone());
        takers.spawn(async move {
            let is_free = status == "AVAILABLE";
            if is_free {
                take_naively(&db, &concert, &person, seat).await;
            }
            is_free
        });
    }
    let n_sold = takers.join_all().await.into_iter().filter(|sold| *sold).count();
    assert!(n_sold > 1, "the naive way sold it {n_sold} times");
    let found = verify::verify(&office.app.db, &office.app.redis).await.unwrap();
    assert!(
        found.iter().any(|violation| violation.invariant == Invariant::SeatIsLiveOnce),
        "{found:?}"
    );
    office.close_as_it_is().await;
}

async fn status_of(db: &PgPool, seat: i64) -> String {
    read_one_with(db, "select status from schedule_seats where id = $1", seat).await
}

/// Takes a seat that was free at the look before.
async fn take_naively(db: &PgPool, concert: &Concert, person: &Person, seat: i64) {
    sqlx::query(
        "with held as (
             insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                 hold_ttl_secs, refund_until, refund_percent, places_max)
             values (gen_random_uuid(), $1, $2, $3, 50000, now() + interval '5 minutes', 300, now(), 100, 8)
             returning id
         ), item as (
             insert into reservation_items
                 (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
             select gen_random_uuid(), id, $2, $4, 50000 from held
         )
         update schedule_seats set status = 'HELD' where id = $4",
    )
    .bind(person.account_id)
    .bind(concert.schedule_id)
    .bind(concert.program_id)
    .bind(seat)
    .execute(db)
    .await
    .unwrap();
}

#[sqlx::test]
async fn overlapping_orders_never_share_a_seat_nor_block_each_other(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(60, "ada").await;
    admit(&office.db, &concert, &people).await;
    let answers = storm(people.iter().cloned().enumerate().map(|(idx, person)| {
        let concert = concert.clone();
        async move {
            // Three seats each, in falling order: every neighbour wants two of them too.
            let seats: Vec<i64> =
                (0..3).rev().map(|nth| concert.seat_ids[(idx + nth) % 20]).collect();
            hold(&person, &concert, &seats).await
        }
    }))
    .await;
    assert!(answers.iter().all(|answer| matches!(answer.status, 201 | 409)));
    let n_held = count(&answers, 201, "");
    assert!((1..=6).contains(&n_held), "{n_held} held three of twenty seats");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn one_order_sent_a_hundred_times_holds_once_and_is_answered_alike(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let order = json!({ "seat_ids": [concert.seat_ids[0]], "request_key": Uuid::now_v7() });
    let path = order_path(&concert);
    let answers = storm((0..100).map(|idx| {
        let (ada, path, order) = (office.moved(&ada, idx), path.clone(), order.clone());
        async move { order_until_known(&ada, &path, &order).await }
    }))
    .await;
    let first = answers.iter().find(|answer| answer.status == 201).unwrap().json();
    for answer in &answers {
        match answer.status {
            201 => assert_eq!(answer.json(), first),
            _ => assert_eq!(answer.code(), "already-processing", "{}", answer.body),
        }
    }
    let held: i64 = read_one(&office.db, "select count(*) from reservations").await;
    assert_eq!(held, 1);
    assert_eq!(ada.post_json(&path, &order).await.json(), first);
    let other = json!({ "seat_ids": [concert.seat_ids[1]], "request_key": order["request_key"] });
    assert_eq!(ada.post_json(&path, &other).await.code(), "key-reused");
    office.verify().await;
    office.close().await;
}

/// Returns the seats that were leased with a refusal.
fn leased_with(answer: &Answer) -> Vec<i64> {
    let leased = answer.json()["leased_seat_ids"].as_array().cloned().unwrap_or_default();
    leased.iter().filter_map(serde_json::Value::as_i64).collect()
}

/// Few connections and many people who want different and the same seats: no request waits for a
/// lease with a connection in hand, so the visitors of other pages are answered.
#[sqlx::test]
async fn five_hundred_orders_for_seats_over_two_connections_starve_no_other_page(db: PgPool) {
    const ORDERS: usize = 500;
    let settings = [("DB_CONNECTIONS_MAX", "2")];
    let office = Office::open_with(db, 1, &settings).await;
    let options = ConcertOptions { seats: 1_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(ORDERS, "ada").await;
    admit(&office.db, &concert, &people).await;
    let path = order_path(&concert);
    let seat_ids = concert.seat_ids.clone();
    let orders = people.into_iter().enumerate().map(move |(idx, person)| {
        // Two seats each, and every second one wants a seat of the one before.
        let seats = [concert.seat_ids[idx / 2 * 3], concert.seat_ids[idx / 2 * 3 + 1 + idx % 2]];
        let order = json!({ "seat_ids": seats, "request_key": Uuid::now_v7() });
        let path = path.clone();
        async move { order_until_known(&person, &path, &order).await }
    });
    let answers = storm_beside_a_visitor(&office, orders).await;
    let told: BTreeMap<_, usize> = answers.iter().fold(BTreeMap::default(), |mut told, answer| {
        *told.entry((answer.status, answer.code())).or_default() += 1;
        told
    });
    let n_held = count(&answers, 201, "");
    assert_eq!(n_held + count(&answers, 409, "seat-unavailable"), ORDERS, "{told:?}");
    let leased: Vec<i64> = answers.iter().flat_map(leased_with).collect();
    // Each two shared the first of their three seats.
    for (seats, pair) in seat_ids.chunks(3).zip(answers.chunks(2)) {
        if status_of(&office.db, seats[0]).await == "AVAILABLE" {
            // A third person was offered one of them for now, so both were refused.
            let is_leased = seats.iter().any(|seat| leased.contains(seat));
            assert!(is_leased, "{seats:?} are left: {} and {}", pair[0].body, pair[1].body);
        }
    }
    let held: i64 = read_one(&office.db, "select count(*) from reservations").await;
    assert_eq!(usize::try_from(held), Ok(n_held));
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_zone_sells_as_many_places_as_it_has(db: PgPool) {
    let office = Office::open(db).await;
    let options = ConcertOptions { zone_capacity: 30, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(100, "ada").await;
    admit(&office.db, &concert, &people).await;
    let answers = storm(people.iter().cloned().map(|person| {
        let concert = concert.clone();
        async move {
            // A person who is asked to wait comes back.
            loop {
                let answer = hold_places(&person, &concert, 2).await;
                if answer.code() != "waiting" {
                    return answer;
                }
            }
        }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 15);
    assert_eq!(count(&answers, 409, "sold-out"), 85);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn nobody_gets_past_the_limit_by_asking_in_parallel(db: PgPool) {
    let office = Office::open(db).await;
    let options = ConcertOptions { places_per_account_max: 4, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let answers = storm((0..20).map(|idx| {
        let (ada, concert) = (office.moved(&ada, idx), concert.clone());
        async move { hold(&ada, &concert, &[concert.seat_ids[idx]]).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 4);
    assert_eq!(count(&answers, 409, "account-limit"), 16);
    office.verify().await;
    office.close().await;
}
