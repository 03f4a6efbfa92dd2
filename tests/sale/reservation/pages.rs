//! What a person sees: the map, a reservation, the list of them.

use sqlx::PgPool;

use super::{admit, hold, order_path};
use crate::support::{Concert, ConcertOptions, Office, Person, run_sql, run_sql_with};

#[sqlx::test]
async fn the_map_shows_every_seat_as_a_box_and_as_a_mark(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    hold(&ada, &concert, &concert.seat_ids[..1]).await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let page = ada.visit(&path).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.count("[name='seat_ids']"), 20);
    assert_eq!(page.count("g.seat"), 20);
    assert_eq!(page.count("[name='seat_ids'][disabled]"), 1);
    assert!(page.body.contains("Row A seat 2, 50,000 points, available"), "{}", page.body);
    assert!(page.has("[name='zone_id']"));
    assert!(ada.cookie(&concert.pass_cookie()).is_some());

    let map = ada.get(&path).await.json();
    assert_eq!(map["seats"].as_array().unwrap().len(), 20);
    assert_eq!(map["seats"][0]["status"], "HELD");
    assert_eq!(map["seats"][0]["row"], "A");
    assert_eq!(map["zones"][0]["remaining"], 100);
    assert!(map["cursor"].is_string());
    office.close().await;
}

#[sqlx::test]
async fn a_large_house_is_shown_a_section_at_a_time(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { seats: 2_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    run_sql(&office.db, "update seats set section = 'Gallery & co' where id % 2 = 0").await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let overview = ada.visit(&path).await;
    assert_eq!(overview.count("[name='seat_ids']"), 0);
    assert!(overview.body.contains("?section=Gallery+%26+co"), "{}", overview.body);
    let section = ada.visit(&format!("{path}?section=Gallery+%26+co")).await;
    assert_eq!(section.count("[name='seat_ids']"), 1_000);
    // A refused person is still in the section they were in.
    let refused = ada.submit(&order_path(&concert), &[("section", "Gallery & co")]).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.count("[name='seat_ids']"), 1_000);
    assert!(refused.has("[name='section'][value='Gallery & co']"));
    office.close().await;
}

#[sqlx::test]
async fn a_browser_is_led_from_the_map_to_the_reservation(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let form = [("seat_ids", concert.seat_ids[0]), ("seat_ids", concert.seat_ids[1])];
    let press = async |person: &Person| {
        let request = person.asks(reqwest::Method::POST, &order_path(&concert), "text/html");
        person.send_form(request, &form).await
    };
    let led = press(&people[0]).await;
    assert_eq!(led.status, 303, "{}", led.body);
    let page = people[0].visit(led.location()).await;
    assert!(page.body.contains("Stalls, row A, seat 1"), "{}", page.body);
    assert!(page.body.contains("100,000 points"));
    assert!(page.has("[action='/wallet/charges']"));
    assert!(page.has(&format!("[name='next'][value='{}']", led.location())));
    assert!(people[0].visit("/reservations").await.body.contains(led.location()));

    let refused = press(&people[1]).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body.contains("Row A seat 1 · Row A seat 2"), "{}", refused.body);
    assert_eq!(refused.count("[class='alternatives__item']"), 3);
    office.close().await;
}

/// What was typed stands in the forms again.
#[sqlx::test]
async fn an_order_that_was_refused_comes_back_as_it_was_typed(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { zone_capacity: 6, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    run_sql_with(
        &office.db,
        "update schedule_seats set price = 90000 where id = any($1)",
        &concert.seat_ids[10..],
    )
    .await;
    assert_eq!(hold(&people[0], &concert, &concert.seat_ids[..1]).await.status, 201);
    let order = order_path(&concert);

    let nothing = people[1].submit(&order, &()).await;
    assert_eq!(nothing.status, 422);
    assert!(nothing.body.contains("Please choose seats of this performance"), "{}", nothing.body);
    assert!(!nothing.has("[checked]"));

    let form = [("seat_ids", concert.seat_ids[0]), ("seat_ids", concert.seat_ids[1])];
    let seats = people[1].submit(&order, &form).await;
    assert_eq!(seats.status, 409);
    // The one that is gone cannot be had, the other one is still chosen.
    assert_eq!(seats.count("[name='seat_ids'][checked]"), 1, "{}", seats.body);
    assert_eq!(seats.count("[name='seat_ids'][disabled]"), 1);

    let zone_id = concert.zone_id.to_string();
    let places = [("zone_id", zone_id.as_str()), ("quantity", "3")];
    assert_eq!(people[0].submit(&order, &places).await.status, 303);
    assert_eq!(people[0].submit(&order, &places).await.status, 303);
    let places = people[1].submit(&order, &places).await;
    assert_eq!(places.status, 409);

    let wish = [("best", "8"), ("section", "Stalls"), ("price", "90000")];
    let blocked = "update schedule_seats set status = 'BLOCKED' where id = $1";
    run_sql_with(&office.db, blocked, concert.seat_ids[14]).await;
    let wish = people[1].submit(&order, &wish).await;
    assert_eq!(wish.status, 409);
    for part in [
        "No seats like that are left together",
        "<option value=\"8\" selected>",
        "<option selected>Stalls</option>",
        "<option value=\"90000\" selected>",
    ] {
        assert!(wish.body.contains(part), "{part} is missing in {}", wish.body);
    }
    office.close().await;
}
