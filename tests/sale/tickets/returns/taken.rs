//! A seat on return is taken: a change of the plan, and a count, take it for sold.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{Market, pay};
use crate::support::{ConcertOptions, read_one, run_sql, run_sql_with, until};

#[sqlx::test]
async fn the_kind_of_a_seat_on_return_is_kept_while_a_free_one_gets_another(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    market.put_on_sale(0).await;
    let venue: Uuid = read_one(&db, "select venue_id from schedules").await;
    let path = format!("/admin/venues/{venue}/seats");
    let save = async |number: i32| {
        let csv = admin.get(&format!("{path}.csv")).await.body.replace('"', "");
        let csv = csv.replace('\n', ",\n").replacen(",\n", ",kind\n", 1);
        let line = format!("Stalls,A,{number},");
        let of_seat = csv.lines().find(|each| each.starts_with(&line)).unwrap();
        let csv = csv.replace(of_seat, &format!("{of_seat}EASY_ACCESS"));
        admin.post(&path, &[("version", "0".to_owned()), ("csv", csv)]).await
    };
    for number in [1, 2] {
        let refused = save(number).await;
        assert_eq!(
            (refused.code(), &refused.json()["seats"]),
            ("kinds-in-use".to_owned(), &json!([format!("Stalls A-{number}")])),
            "{}",
            refused.body
        );
    }
    let saved = save(3).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    market.office.close().await;
}

#[sqlx::test]
async fn what_is_on_return_counts_as_sold_and_keeps_no_show_from_being_sold_out(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 2).await;
    let Market { office, concert, bob, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    let counts = async || {
        let page = admin.get(&format!("/admin/schedules/{}", concert.schedule_id)).await.json();
        let (seats, places) = (&page["sections"][0], &page["zones"][0]);
        let seats = ["free", "held", "sold"].map(|name| seats[name].as_i64().unwrap());
        (seats, places["remaining"].as_i64().unwrap())
    };
    let before = counts().await;
    assert_eq!(before.0[2], 2, "{before:?}");
    market.put_on_sale(0).await;
    market.put_on_sale(2).await;
    assert_eq!(counts().await, before);
    market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(counts().await, before);

    // One seat is left, beside what its sellers have paid for.
    run_sql_with(
        &db,
        "update schedule_seats set status = 'BLOCKED'
         where status = 'AVAILABLE' and return_id is null and id <> $1",
        concert.seat_ids[2],
    )
    .await;
    run_sql(&db, "update zones set remaining = returned, capacity = 2").await;
    let last = market.held(bob, concert.seat_ids[2]).await;
    assert_eq!(pay(bob, last).await.status, 201);
    until("it has sold out", async || {
        let told = admin.get("/admin/popularity/sell-outs").await.json();
        told["sell_outs"].as_array().map(Vec::len) == Some(1)
    })
    .await;
    // A buyer that a statement of the test let in is in no line in Redis.
    market.office.close_as_it_is().await;
}
