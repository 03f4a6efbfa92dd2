//! Types on the pages: the map, the step without scripts, the reservation, the ticket and the door.

use serde_json::json;
use sqlx::PgPool;

use super::{House, order_path, typed};
use crate::support::{Answer, Concert, Office, Pdf, read_one, until};

/// Returns the map once it has the types, which pages keep for a second.
async fn map_with_types(house: &House) -> Answer {
    let path = format!("/schedules/{}", house.concert.schedule_id);
    until("the map has the types", async || {
        house.people[0].visit(&path).await.has("[data-seat-types]")
    })
    .await;
    house.people[0].visit(&path).await
}

#[sqlx::test]
async fn a_map_without_types_asks_for_none(db: PgPool) {
    let house = House::open(&db, 1).await;
    let map = house.people[0].visit(&format!("/schedules/{}", house.concert.schedule_id)).await;
    assert!(!map.body.contains("seat_types") && !map.body.contains("quantities"), "{}", map.body);
    assert!(!map.body.contains("data-types"), "{}", map.body);
    assert!(map.has("select[name='best']") && map.has("select[name='quantity']"));
    house.office.close().await;
}

#[sqlx::test]
async fn a_browser_without_scripts_chooses_types_in_a_step_of_its_own(db: PgPool) {
    let house = House::open(&db, 1).await;
    let fields = json!({ "percent": 50, "note": "Bring your <card>", "beside": "ORDINARY" });
    let child = house.make("Child & co", fields).await;
    let map = map_with_types(&house).await;
    assert!(map.body.contains(&format!("<option value=\"{child}\" data-name=")), "{}", map.body);
    let words = map.texts(".type-list__item").join(" ");
    assert!(words.contains("Child & co 50% of the standard price"), "{words}");
    assert!(words.contains("Bring your <card> Only together with a standard ticket."), "{words}");
    assert!(map.has(&format!(".zone select option[value='{child}:2']")));
    assert!(map.has(&format!(".best select option[value='{child}:1']")));

    let seats = house.seats(0..2).to_vec();
    let step = format!(
        "/schedules/{}/price-types?seat_ids={}&seat_ids={}&price_version=0&total=&needed=on",
        house.concert.schedule_id, seats[0], seats[1],
    );
    let page = house.people[0].visit(&step).await;
    assert_eq!(page.status, 200, "{}", page.body);
    let options = page.texts("select[name='seat_types'] option");
    assert_eq!(options.len(), 4, "{options:?}");
    assert_eq!(options[1], "Child & co · 25,000 points");
    let form = [
        ("seat_ids", seats[0].to_string()),
        ("seat_ids", seats[1].to_string()),
        ("seat_types", String::new()),
        ("seat_types", typed(seats[1], child)),
        ("price_version", page.attribute("input[name='price_version']", "value")),
        ("request_key", page.attribute("input[name='request_key']", "value")),
    ];
    let held = house.people[0].submit(&order_path(&house.concert), &form).await;
    assert_eq!(held.status, 303, "{}", held.body);
    let reservation = house.people[0].visit(held.location()).await;
    let sum = reservation.texts(".sum div");
    assert!(
        sum.iter().any(|line| line.contains("Child & co") && line.contains("25,000")),
        "{sum:?}"
    );
    assert!(reservation.body.contains("Bring your &#60;card&#62;"), "{}", reservation.body);
    let total: i64 = read_one(&db, "select total from reservations").await;
    assert_eq!(total, 75_000);

    let map_path = format!("/schedules/{}", house.concert.schedule_id);
    let without_seats = format!("{map_path}/price-types");
    assert_eq!(house.people[0].visit(&without_seats).await.location(), map_path);
    house.office.close().await;
}

#[sqlx::test]
async fn a_refused_order_shows_its_map_with_what_was_chosen(db: PgPool) {
    let house = House::open(&db, 1).await;
    let child = house.make("Child", json!({ "percent": 50, "beside": "ORDINARY" })).await;
    map_with_types(&house).await;
    let seat = house.seats(3..4)[0];
    let form = [("seat_ids", seat.to_string()), ("seat_types", typed(seat, child))];
    let refused = house.people[0].submit(&order_path(&house.concert), &form).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.texts("[role='alert']").join(" ").contains("A standard ticket is missing"));
    let chosen = format!("[name='seat_ids'][value='{seat}'][checked]");
    assert_eq!(refused.attribute(&chosen, "data-type"), child.to_string());
    let zone = house.concert.zone_id.to_string();
    let form = [
        ("zone_id", zone.as_str()),
        ("quantities", "ordinary:0"),
        ("quantities", &format!("{child}:2")),
    ];
    let refused = house.people[0].submit(&order_path(&house.concert), &form).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.has(&format!(".zone option[value='{child}:2'][selected]")));
    // Of other terms the map has the new ones.
    let new = house.replace(child, "Child", json!({ "percent": 60 })).await;
    let form = [("seat_ids", seat.to_string()), ("seat_types", typed(seat, child))];
    let refused = house.people[0].submit(&order_path(&house.concert), &form).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("The price has changed"), "{}", refused.body);
    assert!(
        refused.body.contains(&new.to_string())
            && refused.has(&format!("[name='seat_ids'][value='{seat}'][checked]"))
    );
    house.office.close().await;
}

#[sqlx::test]
async fn the_type_is_on_the_ticket_in_the_mail_and_at_the_door(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let people = office.crowd(1, "ada").await;
    super::admit(&db, &concert, &people).await;
    let admin = office.employ("admin", "ADMIN").await;
    let house = House { office, concert, admin, people };
    let fields = json!({ "percent": 50, "note": "Bring your student card" });
    let student = house.make("Student", fields).await;
    let seat = house.seats(0..1)[0];
    let held =
        house.order(0, json!({ "seat_ids": [seat], "seat_types": typed(seat, student) })).await;
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    let ada = &house.people[0];
    let charged = ada.post("/wallet/charges", &[("amount", 1_000_000)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
    let paid = ada.post_json(&format!("/reservations/{id}/payment"), &json!({})).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let code = ada.get("/tickets").await.json()["tickets"][0]["code"].as_str().unwrap().to_owned();
    let ticket = ada.get(&format!("/tickets/{code}")).await.json();
    assert_eq!(ticket["price_type"], "Student", "{ticket}");
    assert_eq!(ticket["price_type_note"], "Bring your student card", "{ticket}");
    let page = ada.visit(&format!("/tickets/{code}")).await;
    assert!(page.texts(".ticket__fact").join(" ").contains("Student · Bring your student card"));
    let pdf = Pdf::download(ada, &format!("/tickets/{code}.pdf")).await.words();
    assert!(pdf.contains("Student") && pdf.contains("Bring your student card"), "{pdf}");
    let booking = house.admin.get(&format!("/admin/reservations/{id}")).await.json();
    assert_eq!(booking["items"][0]["price_type"], "Student", "{booking}");
    let sales = format!("/admin/programs/{}/sales", house.concert.program_id);
    let sold = house.admin.get(&sales).await.json();
    let expected = json!({ "schedule_id": house.concert.schedule_id, "price_type": "Student", "sold": 1, "revenue": 25_000 });
    assert_eq!(sold["price_types"][0], expected);
    assert!(house.admin.visit(&sales).await.texts("tbody tr").join(" ").contains("Student1"));
    let csv = house.admin.get(&format!("{sales}.csv")).await.records();
    assert_eq!(csv[1][6..10], ["25000", "Student × 1", "0", ""], "{csv:?}");
    let data = ada.get("/account/data.json").await.json();
    let item = &data["reservations"]["rows"][0]["items"][0];
    assert_eq!(item["price_type"], "Student", "{data}");

    let door = house.office.employ("door", "STAFF").await;
    let check_ins = format!("/door/{}/check-ins", house.concert.schedule_id);
    let let_in = door.submit(&check_ins, &[("code", code)]).await;
    assert_eq!(let_in.status, 303, "{}", let_in.body);
    let shown = door.visit(let_in.location()).await;
    assert_eq!(shown.texts(".verdict__type"), ["Student · Bring your student card"]);
    house.office.close().await;
}
