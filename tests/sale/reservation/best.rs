//! The best seats together.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, hold, order_path};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, read_one, run_sql_with, storm,
};

async fn best(person: &Person, concert: &Concert, wish: Value) -> Answer {
    let mut order = wish;
    order["request_key"] = json!(Uuid::now_v7());
    person.post_json(&order_path(concert), &order).await
}

fn seat_ids(answer: &Answer) -> Vec<i64> {
    let items = answer.json()["items"].as_array().unwrap().clone();
    items.iter().map(|item| item["seat_id"].as_i64().unwrap()).collect()
}

#[sqlx::test]
async fn the_best_seats_are_together_near_the_front_and_strand_nobody(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let seats = &concert.seat_ids;
    // Three neighbours are left in the front row: two of them would strand the third.
    let taken: Vec<i64> = seats[..3].iter().chain(&seats[6..10]).copied().collect();
    run_sql_with(
        &office.db,
        "update schedule_seats set status = 'BLOCKED' where id = any($1)",
        &taken,
    )
    .await;
    let pair = best(&ada, &concert, json!({ "best": 2 })).await;
    assert_eq!(pair.status, 201, "{}", pair.body);
    let pair = seat_ids(&pair);
    assert_eq!(pair[1], pair[0] + 1);
    assert!(seats[10..].contains(&pair[0]), "{pair:?}");
    run_sql_with(
        &office.db,
        "update schedule_seats set price = 60000 where id = any($1)",
        &seats[3..6],
    )
    .await;
    let three = best(&ada, &concert, json!({ "best": 3, "price": 60_000 })).await;
    assert_eq!(seat_ids(&three), seats[3..6], "{}", three.body);
    office.close().await;
}

#[sqlx::test]
async fn a_wish_may_name_a_section_a_price_or_a_zone(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { places_per_account_max: 20, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let seats = &concert.seat_ids;
    run_sql_with(
        &office.db,
        "update schedule_seats set price = 90000 where id = any($1)",
        &seats[10..14],
    )
    .await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let dear = best(&ada, &concert, json!({ "best": "4", "price": 90_000 })).await;
    assert_eq!(seat_ids(&dear), seats[10..14], "{}", dear.body);
    let here = best(&ada, &concert, json!({ "best": 2, "section": "Stalls" })).await;
    assert_eq!(here.status, 201, "{}", here.body);
    let standing = best(&ada, &concert, json!({ "best": 3, "zone_id": concert.zone_id })).await;
    assert_eq!(standing.json()["items"][0]["quantity"], 3, "{}", standing.body);
    let none = best(&ada, &concert, json!({ "best": 2, "price": 90_000 })).await;
    assert_eq!((none.status, none.code().as_str()), (409, "sold-out"), "{}", none.body);
    for wish in [json!({ "best": 0 }), json!({ "best": -2 }), json!({ "best": "two" })] {
        assert_eq!(best(&ada, &concert, wish).await.json()["code"], "invalid");
    }
    assert_eq!(best(&ada, &concert, json!({ "best": 9 })).await.code(), "too-many");
    office.close().await;
}

#[sqlx::test]
async fn a_wish_that_comes_twice_is_fulfilled_once(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let order = json!({ "best": 2, "request_key": Uuid::now_v7() });
    let answers = storm((0..10).map(|idx| {
        let (ada, path, order) = (office.moved(&ada, idx), order_path(&concert), order.clone());
        async move { ada.post_json(&path, &order).await }
    }))
    .await;
    let held: BTreeSet<Vec<i64>> =
        answers.iter().filter(|answer| answer.status == 201).map(seat_ids).collect();
    assert_eq!(held.len(), 1, "{held:?}");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_crowd_that_asks_for_two_at_once_is_refused_only_when_nothing_is_left(db: PgPool) {
    let office = Office::open(db).await;
    let options = ConcertOptions { seats: 100, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(80, "ada").await;
    admit(&office.db, &concert, &people).await;
    let rush = |people: Vec<Person>| {
        let concert = concert.clone();
        storm(people.into_iter().map(move |person| {
            let concert = concert.clone();
            async move { best(&person, &concert, json!({ "best": 2 })).await }
        }))
    };
    let first = rush(people[..25].to_vec()).await;
    let told: Vec<_> = first.iter().map(|answer| (answer.status, answer.code())).collect();
    assert_eq!(count(&first, 201, ""), 25, "{told:?}");
    rush(people[25..].to_vec()).await;
    // Each refusal was right: no two free seats are side by side.
    let pairs: i64 = read_one(
        &office.db,
        "select count(*) from schedule_seats a join seats x on x.id = a.seat_id
         join seats y on y.row_label = x.row_label and y.number = x.number + 1
         join schedule_seats b on b.seat_id = y.id
         where a.status = 'AVAILABLE' and b.status = 'AVAILABLE'",
    )
    .await;
    let held: i64 = read_one(&office.db, "select count(*) from reservation_items").await;
    assert_eq!(pairs, 0, "{held} seats are held");
    assert!(held >= 80, "{held}");
    // A single seat may be left; one that was held is not.
    let taken: i64 =
        read_one(&office.db, "select schedule_seat_id from reservation_items limit 1").await;
    let refused = hold(&people[0], &concert, &[taken]).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "seat-unavailable"));
    office.verify().await;
    office.close().await;
}
