//! Many use one code at the same moment.

use super::*;
use crate::support::{ConcertOptions, count, storm};

/// Whether a person orders a seat or a place, each of their own.
async fn use_once(person: Person, concert: Concert, nth: usize, code: &str) -> Answer {
    match nth % 2 {
        0 => hold_with(&person, &concert, nth, code).await,
        _ => place_with(&person, &concert, code).await,
    }
}

async fn with_seats(db: &PgPool) -> (Office, Concert) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 200, ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    (office, concert)
}

#[sqlx::test]
async fn of_a_hundred_people_one_gets_the_last_use_and_all_others_are_told(db: PgPool) {
    let (office, concert) = with_seats(&db).await;
    let id = make_code(&office, &concert, "LAST", json!({ "percent": 50, "uses_max": 1 })).await;
    let people = office.crowd(100, "ada").await;
    admit(&db, &concert, &people).await;
    let answers = storm(
        people
            .iter()
            .enumerate()
            .map(|(nth, person)| use_once(person.clone(), concert.clone(), nth, "LAST")),
    )
    .await;
    let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
    assert_eq!(
        (count(&answers, 201, ""), count(&answers, 409, "code-used-up")),
        (1, 99),
        "{told:?}"
    );
    assert_eq!(uses(&db, id).await, 1);
    // No refused person holds anything.
    assert_eq!(read_one::<i64>(&db, "select count(*) from reservations").await, 1);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn ten_uses_are_given_to_ten_of_a_hundred_and_come_back_while_others_ask(db: PgPool) {
    let (office, concert) = with_seats(&db).await;
    let id = make_code(&office, &concert, "TEN", json!({ "amount": 100, "uses_max": 10 })).await;
    let people = office.crowd(100, "ada").await;
    admit(&db, &concert, &people).await;
    let answers = storm(people.iter().enumerate().map(|(nth, person)| {
        let (person, concert) = (person.clone(), concert.clone());
        async move {
            let held = use_once(person.clone(), concert, nth, "TEN").await;
            if held.status == 201 && nth % 3 == 0 {
                let held = held.json();
                let id = held["reservation_id"].as_str().unwrap();
                let path = format!("/reservations/{id}/cancellation");
                assert_eq!(person.post(&path, &()).await.status, 200);
            }
            held
        }
    }))
    .await;
    let (held, up) = (count(&answers, 201, ""), count(&answers, 409, "code-used-up"));
    assert_eq!(held + up, 100);
    assert!(held >= 10, "{held}");
    let live = "select count(*) from reservations where status = 'HELD'";
    assert_eq!(i64::from(uses(&db, id).await), read_one::<i64>(&db, live).await);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn ten_places_of_a_code_are_given_to_those_whose_orders_fit_and_no_place_more(db: PgPool) {
    let (office, concert) = with_seats(&db).await;
    let terms = json!({ "percent": 50, "places_max": 10 });
    let id = make_code(&office, &concert, "TEN", terms).await;
    let people = office.crowd(60, "ada").await;
    admit(&db, &concert, &people).await;
    let answers = storm(people.iter().enumerate().map(|(nth, person)| {
        let (person, concert) = (person.clone(), concert.clone());
        // One to three seats, or as many places.
        let n = nth % 3 + 1;
        let choice = match nth % 2 {
            0 => json!({ "seat_ids": concert.seat_ids[3 * nth..3 * nth + n], "code": "TEN" }),
            _ => json!({ "zone_id": concert.zone_id, "quantity": n, "code": "TEN" }),
        };
        async move { order(&person, &concert, choice).await }
    }))
    .await;
    let held = count(&answers, 201, "");
    let few = count(&answers, 409, "code-places");
    assert_eq!(held + few + count(&answers, 409, "code-used-up"), 60);
    let places = "select sum(quantity)::bigint from reservation_items where live";
    assert_eq!(read_one::<i64>(&db, places).await, 10, "orders of one place fit until it is full");
    let counted = "select places from sale_codes where id = $1";
    assert_eq!(read_one_with::<i32>(&db, counted, id).await, 10);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn an_account_that_orders_ten_times_at_once_has_its_own_limit(db: PgPool) {
    let (office, concert) = with_seats(&db).await;
    let terms = json!({ "percent": 50, "uses_per_account_max": 2 });
    let id = make_code(&office, &concert, "TWO", terms).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    let answers = storm((0..10).map(|nth| {
        let (ada, concert) = (office.moved(&ada, nth), concert.clone());
        async move { hold_with(&ada, &concert, nth, "TWO").await }
    }))
    .await;
    assert_eq!((count(&answers, 201, ""), count(&answers, 409, "code-used")), (2, 8));
    assert_eq!(uses(&db, id).await, 2);
    office.verify().await;
    office.close().await;
}

/// The same storm over a limit that is read and then counted, without the lock and without the
/// constraint: all look before one counts.
#[sqlx::test]
async fn canary_a_use_that_is_looked_at_first_is_given_twice(db: PgPool) {
    let (office, concert) = with_seats(&db).await;
    let id = make_code(&office, &concert, "LAST", json!({ "percent": 50, "uses_max": 1 })).await;
    run_sql(&db, "alter table sale_codes drop constraint sale_codes_uses_within_max").await;
    let people = office.crowd(2, "ada").await;
    admit(&db, &concert, &people).await;
    let mut left = Vec::new();
    for _ in &people {
        left.push(
            read_one_with::<i32>(&db, "select uses_max - uses from sale_codes where id = $1", id)
                .await,
        );
    }
    for (nth, person) in people.iter().enumerate() {
        assert_eq!(left[nth], 1);
        let held = order(person, &concert, json!({ "seat_ids": [concert.seat_ids[nth]] })).await;
        let reservation_id =
            Uuid::parse_str(held.json()["reservation_id"].as_str().unwrap()).unwrap();
        let naive = "update reservations set sale_code_id = $1, discount = 25000, total = 25000
                     where id = $2";
        sqlx::query(naive).bind(id).bind(reservation_id).execute(&db).await.unwrap();
        run_sql(&db, "update sale_codes set uses = uses + 1").await;
    }
    let found = crate::support::ledger::violations(&office).await;
    assert!(found.iter().any(|violation| violation.starts_with("K1 code")), "{found:#?}");
    office.close_as_it_is().await;
}
