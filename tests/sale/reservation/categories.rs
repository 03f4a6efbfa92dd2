//! Price categories as buyers see them.

use serde_json::json;
use sqlx::PgPool;

use super::admit;
use crate::support::{Concert, ConcertOptions, Hold, Office, Pdf, run_sql};

#[sqlx::test]
async fn a_map_an_order_and_a_ticket_name_the_categories_of_seats(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(&db, "update seats set price_category = 'R' where number <= 2").await;
    run_sql(&db, "update seats set price_category = 'VIP' where number = 3").await;
    run_sql(
        &db,
        "update schedule_seats s set price = 90000 from seats v
         where v.id = s.seat_id and v.number <= 3",
    )
    .await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let seats = ada.get(&path).await.json()["seats"].clone();
    assert_eq!((&seats[0]["category"], &seats[2]["category"]), (&json!("R"), &json!("VIP")));
    assert!(seats[3].get("category").is_none(), "a seat without one costs no byte more: {seats}");

    let page = ada.visit(&path).await;
    let legend = page.texts(".legend__item");
    assert_eq!(legend[..2], ["R, VIP90,000 points", "50,000 points"], "{}", page.body);
    let options = page.texts("[name='price'] option");
    assert_eq!(options[1..], ["R, VIP · 90,000 points", "50,000 points"], "{}", page.body);

    let hold = Hold { seat_ids: &concert.seat_ids[2..3], ..Hold::default() };
    let bob = office.sign_in("bob").await;
    let id = hold.write(&db, &concert, bob.account_id).await;
    let summary = bob.visit(&format!("/reservations/{id}")).await;
    assert!(summary.texts(".sum dt")[0].ends_with(" seat 3 · Category VIP"), "{}", summary.body);

    let added = bob.post_json("/wallet/charges", &json!({ "amount": 100_000 })).await;
    assert_eq!(added.status, 201, "{}", added.body);
    assert_eq!(bob.post(&format!("/reservations/{id}/payment"), &()).await.status, 201);
    let tickets = bob.get("/tickets").await.json();
    assert_eq!(tickets["tickets"][0]["category"], "VIP", "{tickets}");
    let code = tickets["tickets"][0]["code"].as_str().unwrap();
    let ticket = bob.visit(&format!("/tickets/{code}")).await;
    assert_eq!(ticket.texts(".amount")[0], "Category VIP · 90,000 points", "{}", ticket.body);
    let list = bob.visit("/tickets").await;
    assert!(list.texts(".stub__seat")[0].ends_with(" seat 3 · Category VIP"), "{}", list.body);
    let words = Pdf::download(&bob, &format!("/tickets/{code}.pdf")).await.words();
    assert!(words.contains("Category VIP · 90,000 points"), "{words}");
    office.close().await;
}

#[sqlx::test]
async fn the_overview_of_a_large_house_names_the_categories_of_a_section(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { seats: 2_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    for sql in [
        "update seats set section = 'Circle' where id % 4 = 1",
        "update seats set price_category = case when id % 3 = 0 then 'S' else 'R' end
         where section = 'Circle'",
    ] {
        run_sql(&office.db, sql).await;
    }
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let overview = ada.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    let mut names = overview.texts(".overview__link strong");
    names.sort();
    assert_eq!(names, ["Circle · R, S", "Stalls"], "{}", overview.body);
    office.close().await;
}
