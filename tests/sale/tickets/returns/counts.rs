//! What is sold on is counted once, by pages, files and events alike.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Market, id_of, pay, put_on_sale};
use crate::support::{Answer, ConcertOptions, Person, email_of, read_all, read_one, run_sql};

/// Registers a paused endpoint that asks for what happens to orders and tickets.
async fn listen(db: &PgPool) {
    let sql =
        "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at)
        values (gen_random_uuid(), 'https://hooks.example/', 'Accounting',
            '{reservation.paid,reservation.refunded,ticket.resold,ticket.handed-over}',
            sha256('a') || substr(sha256('b'), 1, 28), now())";
    run_sql(db, sql).await;
}

async fn told(db: &PgPool, kind: &str) -> Vec<Value> {
    let sql = "select kind || ' ' || payload::text from domain_events order by position";
    let told: Vec<String> = read_all(db, sql).await;
    let of_kind = told.iter().filter_map(|event| event.strip_prefix(kind));
    of_kind.map(|payload| serde_json::from_str(payload).unwrap()).collect()
}

/// Sums a column of the paid reservations in the file of sales.
fn sum(file: &Answer, name: &str) -> i64 {
    let records = file.records();
    let at = |name: &str| records[0].iter().position(|column| column == name).unwrap();
    let (status, column) = (at("status"), at(name));
    let paid = records.iter().skip(1).filter(|cells| cells[status] == "CONFIRMED");
    paid.map(|cells| cells[column].parse::<i64>().unwrap()).sum()
}

/// Asserts that pages and the file of sales say that `places` are sold for `points`.
async fn expect_sold(market: &Market, admin: &Person, places: i64, points: i64) {
    let sales = format!("/admin/programs/{}/sales", market.concert.program_id);
    let told = admin.get(&sales).await.json();
    for list in ["sections", "price_types"] {
        let of = |name: &str| -> i64 {
            told[list].as_array().unwrap().iter().map(|row| row[name].as_i64().unwrap()).sum()
        };
        assert_eq!((of("sold"), of("revenue")), (places, points), "{list}: {told}");
    }
    let file = admin.get(&format!("{sales}.csv")).await;
    assert_eq!((sum(&file, "places"), sum(&file, "total")), (places, points), "{}", file.body);
    let attendees = format!("/admin/schedules/{}/attendees.csv", market.concert.schedule_id);
    let attendees = admin.get(&attendees).await.records();
    assert_eq!(i64::try_from(attendees.len() - 1).unwrap(), places, "{attendees:?}");
    // Each guest is of a reservation that is in the other file.
    let (sold, records) = (file.records(), attendees.iter().skip(1));
    let known: Vec<&String> = sold.iter().skip(1).map(|cells| &cells[0]).collect();
    assert!(records.into_iter().all(|cells| known.contains(&&cells[9])), "{attendees:?}");
    market.office.verify_database().await;
}

/// Asserts that an event tells of each sale to `expected`, the reservations of the buyers.
async fn expect_told(market: &Market, mut expected: [Uuid; 3]) {
    let db = &market.office.db;
    let resold = told(db, "ticket.resold ").await;
    assert_eq!(resold.len(), 3, "{resold:?}");
    for sale in &resold {
        assert_eq!(sale["reservation_id"], json!(market.bought.reservation_id));
        assert_eq!(sale["schedule_id"], json!(market.concert.schedule_id));
        assert_eq!(sale["payout"], sale["price"]);
        let status = "select status from tickets where id = $1";
        let id = id_of(sale, "ticket_id");
        assert_eq!(crate::support::read_one_with::<String>(db, status, id).await, "VOID");
    }
    let mut buyers: Vec<_> =
        resold.iter().map(|sale| id_of(sale, "buyer_reservation_id")).collect();
    buyers.sort_unstable();
    expected.sort_unstable();
    assert_eq!(buyers, expected);
}

/// Buys a seat with a price type that halves its price, and returns the buyer.
async fn buy_as_child(market: &Market, admin: &Person, seat: i64) -> Person {
    let db = &market.office.db;
    let path = format!("/admin/schedules/{}/price-types", market.concert.schedule_id);
    let version = admin.get(&path).await.json()["schedule"]["version"].clone();
    let child = json!({ "version": version, "name": "Child", "percent": 50 });
    assert_eq!(admin.post_json(&path, &child).await.status, 200);
    let child: Uuid = read_one(db, "select id from price_types").await;
    let cas = market.office.sign_in("cas").await;
    market.let_in(std::slice::from_ref(&cas)).await;
    let order = json!({ "seat_ids": [seat], "seat_types": format!("{seat}:{child}"),
        "request_key": Uuid::now_v7() });
    let path = format!("/schedules/{}/reservations", market.concert.schedule_id);
    let held = cas.post_json(&path, &order).await;
    assert_eq!(held.status, 201, "{}", held.body);
    assert_eq!(pay(&cas, id_of(&held.json(), "reservation_id")).await.status, 201);
    cas
}

#[sqlx::test]
async fn what_is_sold_on_is_counted_once_and_told(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 3, 2).await;
    let Market { office, concert, ada, bob, bought } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    listen(&db).await;
    expect_sold(&market, &admin, 5, 210_000).await;

    // Three of five are sold on: two seats and a place, of which the zone has no other.
    run_sql(&db, "update zones set remaining = 0, capacity = 2").await;
    for nth in [0, 1, 3] {
        market.put_on_sale(nth).await;
    }
    expect_sold(&market, &admin, 5, 210_000).await;
    let seats = market.held_all(bob, &concert.seat_ids[..2]).await;
    assert_eq!(pay(bob, seats).await.status, 201);
    let bob = &market.enter(bob).await;
    let place = crate::support::hold_places(bob, concert, 1).await;
    let place = id_of(&place.json(), "reservation_id");
    expect_sold(&market, &admin, 5, 210_000).await;
    assert_eq!(pay(bob, place).await.status, 201);
    expect_sold(&market, &admin, 5, 210_000).await;

    expect_told(&market, [seats, seats, place]).await;

    // A seat at half its price, by its type.
    let cas = &buy_as_child(&market, &admin, concert.seat_ids[5]).await;
    expect_sold(&market, &admin, 6, 235_000).await;

    // A ticket that is handed over is sold as before, and its new holder comes.
    let code: String = read_one(
        &db,
        "select code from tickets join reservation_items i on i.id = reservation_item_id
         where status = 'VALID' and return_id is not null and schedule_seat_id is not null limit 1",
    )
    .await;
    let to = json!({ "to": email_of(&db, cas.account_id).await });
    let offered = bob.post_json(&format!("/tickets/{code}/hand-overs"), &to).await;
    assert_eq!(offered.status, 201, "{}", offered.body);
    let path =
        format!("/hand-overs/{}/acceptance", offered.json()["hand_over_id"].as_str().unwrap());
    assert_eq!(told(&db, "ticket.handed-over ").await, Vec::<Value>::new(), "an offer is none");
    assert_eq!(cas.post(&path, &()).await.status, 200);
    let handed = told(&db, "ticket.handed-over ").await;
    assert_eq!((handed.len(), &handed[0]["number"]), (1, &json!(1)), "{handed:?}");
    assert_eq!(handed[0]["reservation_id"], json!(seats));
    expect_sold(&market, &admin, 6, 235_000).await;

    // What is left of the seller's order is refunded, and the event says no more than that.
    let refund = format!("/reservations/{}/cancellation", bought.reservation_id);
    let refunded = ada.post(&refund, &()).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    let events = told(&db, "reservation.refunded ").await;
    assert_eq!(
        (&events[0]["places"], &events[0]["total"]),
        (&json!(2), &json!(80_000)),
        "{events:?}"
    );
    expect_sold(&market, &admin, 4, 155_000).await;
    // No person's words are in any of them.
    let people = "select count(*) from domain_events where payload::text like '%@%'";
    assert_eq!(read_one::<i64>(&db, people).await, 0);
    market.office.close().await;
}

#[sqlx::test]
async fn a_return_that_is_taken_back_tells_of_no_sale(db: PgPool) {
    let market = Market::open(&db, 0).await;
    listen(&db).await;
    let id = market.put_on_sale(0).await;
    assert_eq!(super::take_back(&market.ada, id).await.status, 200);
    assert_eq!(put_on_sale(&market.ada, &market.bought.codes[1]).await.status, 201);
    assert_eq!(told(&db, "ticket.").await, Vec::<Value>::new());
    market.office.close().await;
}
