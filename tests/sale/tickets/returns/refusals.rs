//! Bad input: each has a clear answer, and changes nothing.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{Market, pay, put_on_sale, take_back};
use crate::support::{ConcertOptions, email_of, read_one, run_sql, run_sql_with};

#[sqlx::test]
async fn only_a_valid_ticket_of_ones_own_is_returned_and_only_once(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, ada, bob, bought, .. } = &market;
    let code = &bought.codes[0];
    for nonsense in ["AAAAAAAAAAAAAAAAAAAAAAAAAA", "1"] {
        assert_eq!(put_on_sale(ada, nonsense).await.status, 404, "{nonsense}");
    }
    assert_eq!(put_on_sale(bob, code).await.status, 404, "it is not his");
    let path = format!("/tickets/{code}/returns");
    for (field, value) in [("payout", "-1"), ("payout", "much"), ("request_key", "1")] {
        let refused = ada.post(&path, &[(field, value)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{field}={value}");
    }
    let id = market.put_on_sale(0).await;
    let again = put_on_sale(ada, code).await;
    assert_eq!((again.status, again.code().as_str()), (409, "return-open"));
    assert_eq!(take_back(bob, id).await.status, 404, "it is not his");
    assert_eq!(take_back(ada, Uuid::now_v7()).await.status, 404);
    assert_eq!(take_back(ada, id).await.status, 200);
    let twice = take_back(ada, id).await;
    assert_eq!(
        (twice.code().as_str(), &twice.json()["return_status"]),
        ("return-ended", &json!("TAKEN_BACK"))
    );

    // One key makes one return, whatever becomes of it.
    let order = json!({ "request_key": Uuid::now_v7() });
    let first = ada.post_json(&path, &order).await;
    let second = ada.post_json(&path, &order).await;
    assert_eq!((first.status, first.json()), (201, second.json()));

    let door = office.employ("door", "STAFF").await;
    run_sql(&db, "update schedules set starts_at = now() + interval '1 hour'").await;
    assert_eq!(market.scan(&door, &bought.codes[1]).await.status, 201);
    let used = put_on_sale(ada, &bought.codes[1]).await;
    assert_eq!(
        (used.code().as_str(), &used.json()["ticket_status"]),
        ("return-not-valid", &json!("USED"))
    );
    let browser = ada.submit(&format!("/tickets/{}/returns", bought.codes[1]), &()).await;
    assert_eq!(browser.status, 409);
    assert!(
        browser.body.contains("Only a valid ticket can be put back on sale"),
        "{}",
        browser.body
    );
    market.office.close().await;
}

#[sqlx::test]
async fn a_ticket_is_given_away_or_sold_and_only_by_who_paid(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { ada, bob, bought, .. } = &market;
    let to_bob = json!({ "to": email_of(&db, bob.account_id).await });
    let offers = |code: &str| format!("/tickets/{code}/hand-overs");
    let id = market.put_on_sale(0).await;
    let refused = ada.post_json(&offers(&bought.codes[0]), &to_bob).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "hand-over-on-return"));
    assert_eq!(take_back(ada, id).await.status, 200);
    let offered = ada.post_json(&offers(&bought.codes[0]), &to_bob).await;
    assert_eq!(offered.status, 201, "{}", offered.body);
    assert_eq!(put_on_sale(ada, &bought.codes[0]).await.code(), "return-offered");
    let hand_over = offered.json()["hand_over_id"].as_str().unwrap().to_owned();
    let accepted = bob.post(&format!("/hand-overs/{hand_over}/acceptance"), &()).await;
    let code = accepted.json()["code"].as_str().unwrap().to_owned();
    let given = put_on_sale(bob, &code).await;
    assert_eq!((given.status, given.code().as_str()), (403, "return-not-payer"));
    let page = bob.visit(&format!("/tickets/{code}")).await;
    assert!(page.body.contains("Somebody else has paid for this ticket"), "{}", page.body);
    // A payer who has the ticket again may sell it.
    let to_ada = json!({ "to": email_of(&db, ada.account_id).await });
    let back = bob.post_json(&offers(&code), &to_ada).await.json();
    let back = back["hand_over_id"].as_str().unwrap().to_owned();
    let code = ada.post(&format!("/hand-overs/{back}/acceptance"), &()).await.json();
    assert_eq!(put_on_sale(ada, code["code"].as_str().unwrap()).await.status, 201);
    market.office.close().await;
}

#[sqlx::test]
async fn nothing_is_sold_on_once_the_sale_is_closed_or_the_door_is_open(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 0).await;
    let Market { concert, ada, bob, bought, .. } = &market;
    run_sql(&db, "update programs set off_sale_at = now()").await;
    assert_eq!(put_on_sale(ada, &bought.codes[0]).await.code(), "return-sale-closed");
    run_sql(&db, "update programs set off_sale_at = now() + interval '1 day'").await;
    market.put_on_sale(0).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    // The worker that ends returns may come first.
    let open_door =
        "update schedules set starts_at = now() + interval '3 hours' - interval '1 second'";
    run_sql(&db, open_door).await;
    let late = pay(bob, reservation).await;
    assert!(
        ["return-closed", "return-gone"].contains(&late.code().as_str()),
        "{} {}",
        late.status,
        late.body
    );
    assert_eq!(put_on_sale(ada, &bought.codes[1]).await.code(), "return-sale-closed");
    let page = ada.visit(&format!("/tickets/{}", bought.codes[1])).await;
    assert!(!page.has("form[action$='/returns']"), "{}", page.body);
    let sold: i64 =
        read_one(&db, "select count(*) from ticket_returns where status = 'SOLD'").await;
    assert_eq!(sold, 0);
    market.office.close().await;
}

/// Sold on, a price for students or members would be open to all.
#[sqlx::test]
async fn what_was_bought_at_a_reduced_price_is_not_sold_on(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { ada, bought, concert, .. } = &market;
    run_sql_with(
        &db,
        "insert into sale_codes (id, program_id, word, amount) values (gen_random_uuid(), $1, 'MEMBERS', 1000)",
        concert.program_id,
    )
    .await;
    run_sql_with(
        &db,
        "insert into price_types (id, series_id, schedule_id, name, percent)
         values (gen_random_uuid(), gen_random_uuid(), $1, 'Student', 100)",
        concert.schedule_id,
    )
    .await;
    let code = &bought.codes[0];
    for (reduced, as_before) in [
        (
            "update reservations set sale_code_id = (select id from sale_codes)",
            "update reservations set sale_code_id = null",
        ),
        (
            "update reservation_items
             set price_type_id = (select id from price_types), ordinary_price = unit_price",
            "update reservation_items set price_type_id = null, ordinary_price = null",
        ),
    ] {
        run_sql(&db, reduced).await;
        let refused = put_on_sale(ada, code).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "return-reduced"), "{reduced}");
        let page = ada.visit(&format!("/tickets/{code}")).await;
        assert!(!page.has("form[action$='/returns']"), "{}", page.body);
        run_sql(&db, as_before).await;
    }
    assert!(ada.visit(&format!("/tickets/{code}")).await.has("form[action$='/returns']"));
    assert_eq!(put_on_sale(ada, code).await.status, 201);
    market.office.close().await;
}
