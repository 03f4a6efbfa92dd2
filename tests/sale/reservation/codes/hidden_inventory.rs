//! What is hidden stays hidden, whatever else is done with it: blocked and put back on sale, added to,
//! returned, refunded, expired.

use super::{
    super::edit,
    hidden::{hide, redeem, seat_ids, with_hidden},
    *,
};
use crate::support::{read_all, run_sql_with, until};

async fn status(db: &PgPool, seat_id: i64) -> String {
    read_one_with(db, "select status from schedule_seats where id = $1", seat_id).await
}

async fn block(office: &Office, concert: &Concert, numbers: &str, act: &str) -> Value {
    let form = json!({ "section": "VIP", "row": "B", "numbers": numbers, "act": act });
    edit(office, concert, "blocks", form).await["changed"].clone()
}

/// Ada, to whom the code has opened the hidden section, and Bob; both are inside and have points.
async fn inside(office: &Office, concert: &Concert) -> (Person, Person) {
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&office.db, concert, &[ada.clone(), bob.clone()]).await;
    assert_eq!(redeem(&ada, concert, "INVITED").await.status, 201);
    for person in [&ada, &bob] {
        charge(person, 500_000).await;
    }
    (ada, bob)
}

/// Holds a seat of the hidden section, and returns the path of the reservation.
async fn held(person: &Person, concert: &Concert, seat_id: i64) -> String {
    let held = order(person, concert, json!({ "seat_ids": [seat_id] })).await;
    assert_eq!(held.status, 201, "{}", held.body);
    format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap())
}

#[sqlx::test]
async fn a_hidden_seat_is_blocked_and_put_back_for_the_invited_alone(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = inside(&office, &concert).await;
    let seat_id = concert.seat_ids[12];
    let seat = json!({ "seat_ids": [seat_id] });
    assert_eq!(block(&office, &concert, "3", "block").await, 1);
    assert_eq!(status(&db, seat_id).await, "BLOCKED");
    refused(&order(&ada, &concert, seat.clone()).await, 409, "seat-unavailable");
    refused(&order(&bob, &concert, seat.clone()).await, 422, "invalid");
    assert_eq!(block(&office, &concert, "3", "unblock").await, 1);
    assert_eq!(status(&db, seat_id).await, "HIDDEN");
    refused(&order(&bob, &concert, seat.clone()).await, 422, "invalid");
    assert_eq!(order(&ada, &concert, seat).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_section_that_is_shown_again_keeps_its_blocked_seats_off_sale(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = inside(&office, &concert).await;
    assert_eq!(block(&office, &concert, "1-2", "block").await, 2);
    hide(&office, &concert, "VIP", "show").await;
    let blocked = json!({ "seat_ids": [concert.seat_ids[10]] });
    for person in [&ada, &bob] {
        refused(&order(person, &concert, blocked.clone()).await, 409, "seat-unavailable");
    }
    let vip = "select status from schedule_seats c join seats s on s.id = c.seat_id
        where section = 'VIP' order by c.id";
    let shown: Vec<String> = read_all(&db, vip).await;
    assert_eq!(shown, [vec!["BLOCKED"; 2], vec!["AVAILABLE"; 8]].concat());
    hide(&office, &concert, "VIP", "hide").await;
    assert_eq!(block(&office, &concert, "2", "unblock").await, 1);
    let hidden: Vec<String> = read_all(&db, vip).await;
    assert_eq!(hidden, [vec!["BLOCKED"], vec!["HIDDEN"; 9]].concat());
    hide(&office, &concert, "VIP", "show").await;
    assert_eq!(block(&office, &concert, "1", "unblock").await, 1);
    assert_eq!(order(&bob, &concert, blocked).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn seats_that_are_added_to_a_hidden_section_are_hidden(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue: Uuid = read_one(&db, "select id from venues").await;
    // Row C is new in the hidden and in the shown section, and so is the section with the zone's name.
    let rows = [("Stalls", "A", 10), ("VIP", "B", 10), ("VIP", "C", 2), ("Stalls", "C", 2)];
    let rows = rows.into_iter().chain([("Standing", "D", 2)]);
    let lines = rows.flat_map(|(section, row, seats)| {
        (1..=seats).map(move |number| format!("{section},{row},{number}\n"))
    });
    let csv = format!("section,row,number\n{}", lines.collect::<String>());
    let version: i64 = read_one(&db, "select version from venues").await;
    let plan = json!({ "version": version, "csv": csv });
    let saved = admin.post_json(&format!("/admin/venues/{venue}/seats"), &plan).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let sections = ["Standing", "Stalls", "VIP"];
    let prices = json!({ "section": sections, "price": [20_000, 50_000, 50_000] });
    edit(&office, &concert, "prices", prices).await;

    let new =
        "select section || ' ' || status from schedule_seats c join seats s on s.id = c.seat_id
        where row_label in ('C', 'D') order by 1";
    let new: Vec<String> = read_all(&db, new).await;
    let stalls = ["Stalls AVAILABLE"; 2];
    assert_eq!(new, [stalls, ["Standing HIDDEN"; 2], ["VIP HIDDEN"; 2]].concat());
    let path = format!("/schedules/{}", concert.schedule_id);
    assert_eq!(seat_ids(&bob.get(&path).await.json()).len(), 12);
    assert_eq!(seat_ids(&ada.get(&path).await.json()).len(), 24);
    let added = "select c.id from schedule_seats c join seats s on s.id = c.seat_id
        where section = 'VIP' and row_label = 'C' order by 1";
    let added = json!({ "seat_ids": [read_all::<i64>(&db, added).await[0]] });
    refused(&order(&bob, &concert, added.clone()).await, 422, "invalid");
    assert_eq!(order(&ada, &concert, added).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_zone_that_is_added_to_a_hidden_section_is_hidden(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = inside(&office, &concert).await;
    for name in ["VIP", "Terrace"] {
        edit(&office, &concert, "zones", json!({ "name": name, "price": 10, "capacity": 5 })).await;
    }
    let path = format!("/schedules/{}", concert.schedule_id);
    let zones = async |person: &Person| {
        let map = person.get(&path).await.json();
        let zones = map["zones"].as_array().unwrap().clone();
        let mut names: Vec<_> = zones.iter().map(|zone| zone["name"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(zones(&bob).await, ["\"Terrace\""]);
    assert_eq!(zones(&ada).await, ["\"Terrace\"", "\"VIP\""]);
    let zone_id: Uuid = read_one(&db, "select id from zones where name = 'VIP'").await;
    let place = json!({ "zone_id": zone_id, "quantity": 1 });
    refused(&order(&bob, &concert, place.clone()).await, 422, "invalid");
    assert_eq!(order(&ada, &concert, place).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_hidden_seat_comes_back_hidden_however_it_comes_back(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = inside(&office, &concert).await;
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    let public = json!({ "seat_ids": &concert.seat_ids[..8] });
    assert_eq!(order(&bob, &concert, public).await.status, 201);
    let rest = json!({ "seat_ids": &concert.seat_ids[8..10] });
    assert_eq!(order(&bob, &concert, rest).await.status, 201);
    // Carol waits for whatever becomes free.
    let carol = office.sign_in("carol").await;
    let list = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let wish = json!({ "places": 1, "request_key": Uuid::now_v7() });
    assert_eq!(carol.post_json(&list, &wish).await.status, 201);

    let [paid, lapsed, returned] = [11, 13, 15].map(|seat| concert.seat_ids[seat]);
    let path = held(&ada, &concert, paid).await;
    assert_eq!(ada.post(&format!("{path}/payment"), &()).await.status, 201);
    assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    assert_eq!(status(&db, paid).await, "HIDDEN", "refunded");

    // Admitted again, without the pass of the stay that is over.
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let ada = office.log_in(&ada, 0).await;
    held(&ada, &concert, lapsed).await;
    let lapse = "update reservations set created_at = created_at - interval '1 hour',
        expires_at = expires_at - interval '1 hour'
        where id in (select reservation_id from reservation_items where schedule_seat_id = $1)";
    run_sql_with(&db, lapse, lapsed).await;
    run_sql(&db, "update queue_tokens set admitted_at = admitted_at - interval '2 hours'").await;
    until("the hold expires", async || status(&db, lapsed).await == "HIDDEN").await;

    let path = held(&ada, &concert, returned).await;
    let bought = ada.post(&format!("{path}/payment"), &()).await;
    assert_eq!(bought.status, 201, "{}", bought.body);
    let code = bought.json()["tickets"][0].as_str().unwrap().to_owned();
    let put = ada.post(&format!("/tickets/{code}/returns"), &()).await;
    assert_eq!(put.status, 201, "{}", put.body);
    assert_eq!(status(&db, returned).await, "HIDDEN", "on return");
    refused(&order(&bob, &concert, json!({ "seat_ids": [returned] })).await, 422, "invalid");
    let offers = "select count(*) from reservations where wish_id is not null";
    assert_eq!(read_one::<i64>(&db, offers).await, 0, "nothing hidden is offered");

    let taken = format!("/returns/{}/cancellation", put.json()["return_id"].as_str().unwrap());
    assert_eq!(ada.post(&taken, &()).await.status, 200);
    let given = ada.post(&format!("/tickets/{code}/refund"), &()).await;
    assert_eq!(given.status, 201, "{}", given.body);
    assert_eq!(status(&db, returned).await, "HIDDEN", "given back by itself");
    assert_eq!(read_one::<i64>(&db, offers).await, 0, "nothing hidden is offered");
    office.close().await;
}

#[sqlx::test]
async fn no_order_leaves_a_single_seat_of_a_hidden_row(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    run_sql(&db, "update programs set no_single_seats = true").await;
    let (ada, bob) = inside(&office, &concert).await;
    let second = json!({ "seat_ids": &concert.seat_ids[11..13] });
    let alone = order(&ada, &concert, second.clone()).await;
    refused(&alone, 409, "single-seat");
    assert_eq!(alone.json()["seat_ids"], json!([concert.seat_ids[10]]));
    refused(&order(&bob, &concert, second).await, 422, "invalid");
    let first = json!({ "seat_ids": &concert.seat_ids[10..12] });
    assert_eq!(order(&ada, &concert, first).await.status, 201);
    office.close().await;
}
