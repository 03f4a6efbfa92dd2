//! Standing places: one order a person, each in turn, and a place kept in the fair lock's queue.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use sqlx::PgPool;
use stagedoor::infra::locks::{FairGuard, FairLocks, FairOutcome, FairTerms, LockName};
use uuid::Uuid;

use super::{
    admit, admit_logged, hold_places, order_path, order_until_known, storm_beside_a_visitor,
};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, read_all, read_one, run_sql_with,
    storm, until,
};

/// Another account's turn at the zone, for as long as the test wants.
async fn occupy(office: &Office, concert: &Concert) -> FairGuard {
    let locks = FairLocks::new(&office.app.redis, FairTerms::default());
    let zone = LockName::new(&concert.schedule_id, &concert.zone_id);
    let taken = locks.take(&zone, "somebody", Duration::ZERO, ()).await;
    let FairOutcome::Lead(guard, ()) = taken.unwrap();
    guard
}

#[sqlx::test]
async fn whoever_is_not_next_in_time_is_told_where_they_stand_and_keeps_the_place(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let occupied = occupy(&office, &concert).await;

    let began = Instant::now();
    let told = hold_places(&people[0], &concert, 2).await;
    assert!(began.elapsed() >= Duration::from_millis(1_900), "{:?}", began.elapsed());
    assert_eq!((told.status, told.code().as_str()), (429, "waiting"), "{}", told.body);
    let document = told.json();
    assert_eq!((&document["waiting_count"], &document["ahead"]), (&json!(1), &json!(0)));
    assert!(document["estimated_wait_seconds"].is_null(), "{document}");
    assert!((2_000..4_000).contains(&document["retry_after_ms"].as_u64().unwrap()));
    assert!(["2", "3", "4"].contains(&told.header("retry-after")));

    // Two others come, and the first one comes back behind them and is first again.
    let later = storm([people[1].clone(), people[2].clone()].map(|person| {
        let concert = concert.clone();
        async move { hold_places(&person, &concert, 2).await }
    }));
    let (later, again) = tokio::join!(later, async {
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let path = order_path(&concert);
        let form = json!({ "zone_id": concert.zone_id, "quantity": 2 });
        let again = people[0].post_json(&path, &form);
        let (again, ()) = tokio::join!(again, async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            occupied.release().await;
        });
        again
    });
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(count(&later, 201, ""), 2);
    let order: Vec<Uuid> =
        read_all(&office.db, "select account_id from reservations order by created_at, id").await;
    assert_eq!(order[0], people[0].account_id);
    office.verify().await;
    office.close().await;
}

/// Number of people who wait at the zone.
async fn n_waiting(office: &Office, concert: &Concert) -> usize {
    let prefix = &office.app.config.redis_prefix;
    let (scope, zone) = (concert.schedule_id, concert.zone_id);
    let key = format!("{prefix}:fair:{{{scope}}}:{zone}:line");
    let client = redis::Client::open(office.app.config.redis_url.as_str()).unwrap();
    let mut redis = client.get_multiplexed_async_connection().await.unwrap();
    redis::cmd("ZCARD").arg(key).query_async(&mut redis).await.unwrap()
}

/// Each of `people` orders a place once the one before waits at the zone, which another account
/// has. All are answered once the zone is free.
async fn come_one_by_one(
    office: &Office,
    concert: &Concert,
    people: &[Person],
    occupied: FairGuard,
) -> Vec<Answer> {
    let (mut orders, of) = (Vec::new(), concert);
    for (nth, person) in people.iter().cloned().enumerate() {
        let concert = concert.clone();
        orders.push(tokio::spawn(async move {
            // A person who is asked to wait comes back to their place.
            loop {
                let answer = hold_places(&person, &concert, 1).await;
                if answer.code() != "waiting" {
                    return answer;
                }
            }
        }));
        until("one more at the zone", async || n_waiting(office, of).await > nth).await;
    }
    occupied.release().await;
    let answers = join_all(orders).await;
    answers.into_iter().map(Result::unwrap).collect()
}

#[sqlx::test]
async fn who_stands_behind_the_holder_is_served_with_it_in_order_of_arrival(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { zone_capacity: 5, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(8, "ada").await;
    admit_logged(&office, &concert, &people).await;
    let occupied = occupy(&office, &concert).await;
    let answers = come_one_by_one(&office, &concert, &people, occupied).await;
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [201, 201, 201, 201, 201, 409, 409, 409], "the first ones got the places");
    let written = "select count(distinct xmin::text) from reservations";
    let n_transactions: i64 = read_one(&office.db, written).await;
    assert!(n_transactions < 5, "each was served alone");
    office.close().await;
}

#[sqlx::test]
async fn a_token_that_is_locked_delays_only_its_own_places(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(6, "ada").await;
    admit_logged(&office, &concert, &people).await;
    let mut keeper = office.db.begin().await.unwrap();
    let lock = "select from queue_tokens where account_id = $1 for no key update";
    run_sql_with(&mut *keeper, lock, people[2].account_id).await;
    let occupied = occupy(&office, &concert).await;
    let (answers, ()) =
        tokio::join!(come_one_by_one(&office, &concert, &people, occupied), async {
            // The others have theirs while the token is locked.
            until("five holds", async || {
                read_one::<i64>(&office.db, "select count(*) from reservations").await == 5
            })
            .await;
            keeper.rollback().await.unwrap();
        });
    for (nth, answer) in answers.iter().enumerate() {
        // On a slow machine it may have waited for as long as it may.
        let is_late = nth == 2 && answer.code() == "already-processing";
        assert!(answer.status == 201 || is_late, "{nth}: {}", answer.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_second_order_while_the_first_still_runs_is_told_so(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let occupied = occupy(&office, &concert).await;
    let (first, second) = tokio::join!(hold_places(&ada, &concert, 1), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        // Answered while the zone is still occupied: it did not wait for the first.
        let second = hold_places(&office.moved(&ada, 1), &concert, 1).await;
        occupied.release().await;
        second
    });
    assert_eq!(first.status, 201, "{}", first.body);
    assert_eq!((second.status, second.code().as_str()), (409, "already-processing"));
    assert_eq!(second.header("retry-after"), "2");
    // The order is done, so the next one is an order of its own.
    assert_eq!(hold_places(&ada, &concert, 1).await.status, 201);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn the_page_of_somebody_who_waits_tries_again_with_the_same_order(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let _occupied = occupy(&office, &concert).await;
    let key = Uuid::now_v7().to_string();
    let zone_id = concert.zone_id.to_string();
    let form = [("zone_id", zone_id.as_str()), ("quantity", "2"), ("request_key", &key)];
    let request = ada.asks(reqwest::Method::POST, &order_path(&concert), "text/html");
    let page = ada.send_form(request, &form).await;
    assert_eq!(page.status, 429, "{}", page.body);
    for (name, value) in form {
        assert!(page.has(&format!("[name='{name}'][value='{value}']")), "{name} {}", page.body);
    }
    assert_eq!(page.texts("[data-zone-wait-all]"), ["1"]);
    assert_eq!(page.texts("[data-zone-wait-count]"), ["0"]);
    assert!(page.body.contains("not yet known"));
    office.close().await;
}

/// Few connections and many people: no request waits for a lock with a connection in hand, so other
/// pages are answered meanwhile.
#[sqlx::test]
async fn five_hundred_orders_over_two_connections_starve_no_other_page(db: PgPool) {
    // Each asks again with the place kept, as told: far more often than any machine needs.
    const ASKED_MAX: usize = 600;
    let settings = [("DB_CONNECTIONS_MAX", "2"), ("HTTP_WORKERS", "2")];
    let office = Office::open_with(db, 1, &settings).await;
    let options = ConcertOptions { zone_capacity: 2_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(500, "ada").await;
    admit(&office.db, &concert, &people).await;
    let path = order_path(&concert);
    let orders = people.into_iter().map(move |person| {
        let order =
            json!({ "zone_id": concert.zone_id, "quantity": 1, "request_key": Uuid::now_v7() });
        let path = path.clone();
        async move {
            let mut answer = order_until_known(&person, &path, &order).await;
            for _ in 1..ASKED_MAX {
                if answer.code() != "waiting" {
                    break;
                }
                answer = order_until_known(&person, &path, &order).await;
            }
            answer
        }
    });
    let answers = storm_beside_a_visitor(&office, orders).await;
    let waiting = answers.iter().find(|answer| answer.status != 201);
    assert!(waiting.is_none(), "{waiting:?}");
    office.verify().await;
    office.close().await;
}

/// How many wait at the zone, by the page of the performance at the desk and by the map's words.
async fn waiting_told(admin: &Person, buyer: &Person, concert: &Concert) -> (u64, Option<String>) {
    let desk = admin.get(&format!("/admin/schedules/{}", concert.schedule_id)).await.json();
    let told = &desk["waiting_for_places"][concert.zone_id.to_string()];
    let map = buyer.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    let words = map.texts("[data-zone] .small").into_iter().find(|text| text.contains("waiting"));
    (told.as_u64().unwrap(), words)
}

#[sqlx::test]
async fn everybody_sees_how_many_wait_for_places_until_they_are_gone(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let admin = office.employ("root", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    assert_eq!(waiting_told(&admin, &ada, &concert).await, (0, None));

    let occupied = occupy(&office, &concert).await;
    let locks: FairLocks = FairLocks::new(&office.app.redis, FairTerms::default());
    let zone = LockName::new(&concert.schedule_id, &concert.zone_id);
    let mut waiters = tokio::task::JoinSet::new();
    for (n_max, words) in [
        (1, "One person is waiting for places here."),
        (100, "100 people are waiting for places here."),
    ] {
        while waiters.len() < n_max {
            let (locks, zone, waiter) = (locks.clone(), zone.clone(), waiters.len().to_string());
            waiters.spawn(async move {
                locks.take(&zone, &waiter, Duration::from_mins(1), ()).await.is_ok()
            });
        }
        until("all wait", async || n_waiting(&office, &concert).await == n_max).await;
        let told = waiting_told(&admin, &ada, &concert).await;
        assert_eq!(told, (u64::try_from(n_max).unwrap(), Some(words.to_owned())));
    }
    let desk = admin.visit(&format!("/admin/schedules/{}", concert.schedule_id)).await.body;
    assert!(desk.contains("100 people are waiting."), "{desk}");
    let metrics = office.stranger().visit("/metrics").await.body;
    assert!(metrics.contains("stagedoor_fair_lock_waiters"), "{metrics}");

    // They vanish: their tasks are cancelled.
    waiters.shutdown().await;
    until("nobody waits", async || waiting_told(&admin, &ada, &concert).await == (0, None)).await;
    occupied.release().await;
    office.close().await;
}
