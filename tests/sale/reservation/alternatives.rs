//! What is offered with a refusal: the nearest seats, other zones, other performances.

use serde_json::json;
use sqlx::PgPool;

use super::{admit, hold, hold_places, order_path};
use crate::support::{Concert, ConcertOptions, Office, run_sql_with};

#[sqlx::test]
async fn alternatives_are_near_cost_the_same_and_leave_nobody_alone(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    // The rest of row B costs more.
    run_sql_with(
        &office.db,
        "update schedule_seats set price = 90000 where id = any($1)",
        &concert.seat_ids[10..],
    )
    .await;
    assert_eq!(hold(&people[0], &concert, &concert.seat_ids[4..6]).await.status, 201);
    let refused = hold(&people[1], &concert, &concert.seat_ids[4..6]).await.json();
    let offers: Vec<_> = refused["alternatives"].as_array().unwrap().clone();
    let seats = &concert.seat_ids;
    assert_eq!(offers[0]["seat_ids"], json!([seats[2], seats[3]]), "{refused}");
    assert_eq!(offers[1]["seat_ids"], json!([seats[6], seats[7]]), "{refused}");
    assert!(offers.iter().all(|offer| offer["total"] == 100_000), "{refused}");
    office.close().await;
}

#[sqlx::test]
async fn where_nothing_is_left_at_the_price_the_nearest_seats_at_another_are_offered(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let seats = &concert.seat_ids;
    let priced = "update schedule_seats set price = $1 where id = any($2)";
    for (price, ids) in [(60_000_i64, &seats[2..4]), (45_000, &seats[10..])] {
        sqlx::query(priced).bind(price).bind(ids).execute(&office.db).await.unwrap();
    }
    let blocked = "update schedule_seats set status = 'BLOCKED' where id = any($1)";
    run_sql_with(&office.db, blocked, &seats[4..8]).await;
    assert_eq!(hold(&people[0], &concert, &seats[..2]).await.status, 201);
    let refused = hold(&people[1], &concert, &seats[..2]).await.json();
    let offers: Vec<_> = refused["alternatives"].as_array().unwrap().iter().collect();
    let told = |offer: &serde_json::Value| {
        (offer["seat_ids"].clone(), offer["total"].clone(), offer["price_difference"].clone())
    };
    // The same price comes first, however far; of others the nearest.
    assert_eq!(told(offers[0]), (json!(seats[8..10]), json!(100_000), json!(0)), "{refused}");
    assert_eq!(told(offers[1]), (json!(seats[10..12]), json!(90_000), json!(-10_000)), "{refused}");
    assert_eq!(told(offers[2]), (json!(seats[2..4]), json!(120_000), json!(20_000)), "{refused}");

    let form = [("seat_ids", seats[0]), ("seat_ids", seats[1])];
    let page = people[1].submit(&order_path(&concert), &form).await;
    for part in ["20,000 points more than your choice", "10,000 points less than your choice"] {
        assert!(page.body.contains(part), "{part} is missing in {}", page.body);
    }
    // One click at the price that was said.
    let form = [("seat_ids", seats[2]), ("seat_ids", seats[3]), ("total", 120_000)];
    assert_eq!(people[2].submit(&order_path(&concert), &form).await.status, 303);
    office.close().await;
}

#[sqlx::test]
async fn a_sold_out_zone_names_other_zones_and_other_performances(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options =
        ConcertOptions { zone_capacity: 2, zone_price: 35_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    for days in [7, 1] {
        let date = concert.another_date(&office.db, days).await;
        let few = "update zones set capacity = 4, remaining = 4 where id = $1";
        run_sql_with(&office.db, few, date.zone_id).await;
    }
    let balcony = "insert into zones (id, schedule_id, name, price, capacity, remaining)
        select gen_random_uuid(), schedule_id, 'Balcony', 40000, 4, 4 from zones where id = $1";
    run_sql_with(&office.db, balcony, concert.zone_id).await;

    assert_eq!(hold_places(&people[0], &concert, 1).await.status, 201);
    let refused = hold_places(&people[1], &concert, 2).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "sold-out"), "{}", refused.body);
    let refused = refused.json();
    let offers = refused["alternatives"].as_array().unwrap();
    assert_eq!(offers.len(), 3, "{refused}");
    assert_eq!(offers[0]["name"], "Balcony", "{refused}");
    assert_eq!(offers[0]["total"], 80_000);
    assert_eq!(offers[0]["schedule_id"], json!(concert.schedule_id), "{refused}");
    assert_eq!(offers[0]["price_difference"], 10_000, "{refused}");
    assert_eq!(offers[1]["price_difference"], -10_000, "{refused}");
    // Of the other performances the one in a day comes before the one in a week.
    let starts: Vec<_> =
        offers[1..].iter().map(|offer| offer["starts_at"].as_str().unwrap()).collect();
    assert!(starts[0] < starts[1], "{refused}");
    assert!(offers[1..].iter().all(|offer| offer["total"] == 60_000), "{refused}");
    // Too few are left everywhere.
    let many = hold_places(&people[1], &concert, 5).await.json();
    assert_eq!(many["alternatives"], json!([]), "{many}");

    let zone_id = concert.zone_id.to_string();
    let form = [("zone_id", zone_id.as_str()), ("quantity", "2")];
    let page = people[1].submit(&order_path(&concert), &form).await;
    assert_eq!(page.count("[class='alternatives__item']"), 3, "{}", page.body);
    let other = format!("/schedules/{}/reservations", offers[1]["schedule_id"].as_str().unwrap());
    assert!(page.has(&format!("form[action='{other}'] [name='total'][value='60000']")));
    let form = [
        ("zone_id", offers[1]["zone_id"].as_str().unwrap()),
        ("quantity", "2"),
        ("total", "60000"),
    ];
    assert_eq!(people[1].submit(&other, &form).await.status, 303);
    office.close().await;
}
