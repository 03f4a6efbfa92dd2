//! What ends a return that was not bought, and what becomes of a hold of its place.

use serde_json::json;
use sqlx::PgPool;
use stagedoor::reservation;

use super::{CHARGED, Market, PRICE, hold, id_of, kinds, pay, put_on_sale};
use crate::support::{
    ConcertOptions, lapse_holds, ledger::balance, read_all, read_one, run_sql, run_sql_with, until,
};

async fn status_of(db: &PgPool) -> String {
    read_one(db, "select status from ticket_returns order by id desc limit 1").await
}

#[sqlx::test]
async fn a_check_in_ends_the_return_and_the_hold_that_awaited_it(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 1).await;
    let Market { concert, ada, bob, bought, .. } = &market;
    let (early, door) = market.early_door().await;
    market.put_on_sale(0).await;
    assert_eq!(market.scan(&door, &bought.codes[0]).await.status, 201);
    assert_eq!(
        (status_of(&db).await.as_str(), market.seat(0).await.as_str()),
        ("ADMITTED", "RESERVED")
    );

    market.put_on_sale(1).await;
    // Beside a free seat, which becomes free again.
    let held = hold(bob, concert, &concert.seat_ids[1..3]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    assert_eq!(market.scan(&door, &bought.codes[1]).await.status, 201);
    let reservation = id_of(&held.json(), "reservation_id");
    let gone = pay(bob, reservation).await;
    assert_eq!((gone.status, gone.code().as_str()), (409, "return-gone"), "{}", gone.body);
    assert_eq!(
        (market.seat(1).await.as_str(), market.seat(2).await.as_str()),
        ("RESERVED", "AVAILABLE")
    );
    assert_eq!(kinds(&db).await, ["return-gone"]);
    assert_eq!(balance(&db, bob.account_id).await, CHARGED);

    // A place of a zone, which a check-in takes off sale too.
    market.put_on_sale(2).await;
    let before: i32 = read_one(&db, "select remaining from zones").await;
    assert_eq!(market.scan(&door, &bought.codes[2]).await.status, 201);
    assert_eq!(read_one::<i32>(&db, "select remaining from zones").await, before - 1);
    let again = put_on_sale(ada, &bought.codes[2]).await;
    assert_eq!(again.code(), "return-not-valid");
    early.close_as_it_is().await;
    market.office.close().await;
}

#[sqlx::test]
async fn a_refund_ends_the_return_and_is_of_what_was_not_sold(db: PgPool) {
    let market = Market::open(&db, 10).await;
    let Market { concert, ada, bob, bought, .. } = &market;
    let refund = format!("/reservations/{}/cancellation", bought.reservation_id);
    market.put_on_sale(0).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(pay(bob, reservation).await.status, 201);
    market.put_on_sale(1).await;
    // The share that is agreed of the ticket that is left, and not of the one that was sold.
    let refunded = ada.post(&refund, &()).await;
    assert_eq!(
        (refunded.status, &refunded.json()["refunded"]),
        (200, &json!(PRICE)),
        "{}",
        refunded.body
    );
    assert_eq!(balance(&db, ada.account_id).await, CHARGED - PRICE + 45_000);
    assert_eq!(
        (status_of(&db).await.as_str(), market.seat(1).await.as_str()),
        ("VOIDED", "AVAILABLE")
    );
    market.office.close().await;
}

#[sqlx::test]
async fn a_cancelled_program_ends_everything(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 2).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    market.put_on_sale(0).await;
    market.put_on_sale(1).await;
    market.put_on_sale(2).await;
    let sold = market.held(bob, concert.seat_ids[1]).await;
    assert_eq!(pay(bob, sold).await.status, 201);
    market.held(bob, concert.seat_ids[0]).await;
    let cancellation = format!("/admin/programs/{}/cancellation", concert.program_id);
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(admin.submit(&cancellation, &form).await.status, 303);
    until("all is refunded", async || {
        read_one::<bool>(&db, "select wound_down_at is not null from programs").await
    })
    .await;
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    assert_eq!(balance(&db, bob.account_id).await, CHARGED);
    let open: i64 =
        read_one(&db, "select count(*) from ticket_returns where status = 'OPEN'").await;
    assert_eq!(open, 0);
    // A buyer that a statement of the test let in is in no line in Redis.
    market.office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_hold_that_lapses_or_is_released_leaves_the_ticket_on_sale(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 1, 1).await;
    let Market { office, concert, ada, bob, .. } = &market;
    market.put_on_sale(0).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    let page = ada.visit(&format!("/tickets/{}", market.bought.codes[0])).await;
    assert!(page.body.contains("Somebody is buying it"), "{}", page.body);
    let released = bob.post(&format!("/reservations/{reservation}/cancellation"), &()).await;
    assert_eq!(released.status, 200);
    assert_eq!(market.seat(0).await, "AVAILABLE");
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    lapse_holds(&db).await;
    assert_eq!(pay(bob, reservation).await.code(), "hold-expired");
    until("it is on sale again", async || market.seat(0).await == "AVAILABLE").await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(pay(bob, reservation).await.status, 201);
    office.verify().await;
    market.office.close().await;
}

#[sqlx::test]
async fn a_return_ends_when_the_door_opens(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 1).await;
    let Market { office, concert, bob, .. } = &market;
    market.put_on_sale(0).await;
    market.put_on_sale(1).await;
    market.put_on_sale(2).await;
    market.held(bob, concert.seat_ids[0]).await;
    run_sql(&db, "update schedules set starts_at = now() + interval '3 hours'").await;
    reservation::end_overdue(&office.app).await.unwrap();
    until("all have ended", async || {
        read_all::<String>(&db, "select distinct status from ticket_returns").await == ["EXPIRED"]
    })
    .await;
    let seats: Vec<String> =
        read_all(&db, "select status from schedule_seats order by id limit 2").await;
    assert_eq!(seats, ["RESERVED"; 2]);
    assert_eq!(kinds(&db).await, ["return-gone"]);
    market.office.close().await;
}

#[sqlx::test]
async fn a_seat_on_return_is_not_taken_off_sale_and_keeps_its_price(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, concert, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    market.put_on_sale(0).await;
    let block = format!("/admin/schedules/{}/blocks", concert.schedule_id);
    let row =
        [("version", "0"), ("section", "Stalls"), ("row", "A"), ("numbers", "1"), ("act", "block")];
    let refused = admin.post(&block, &row).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "seats-in-use"),
        "{}",
        refused.body
    );
    assert_eq!(market.seat(0).await, "AVAILABLE");
    let prices = "insert into price_changes (schedule_id, section, price, version)
                  select id, 'Stalls', 70000, version from schedules";
    run_sql(&db, prices).await;
    until("prices are written", async || {
        read_one::<i64>(&db, "select count(*) from price_changes").await == 0
    })
    .await;
    let written: Vec<i64> =
        read_all(&db, "select price from schedule_seats order by id limit 2").await;
    assert_eq!(written, [PRICE, 70_000]);
    let after: i64 =
        read_one(&db, "select price_after from schedule_seats where return_id is not null").await;
    assert_eq!(after, 70_000);
    market.office.close().await;
}

#[sqlx::test]
async fn a_hold_that_ends_with_its_return_brings_no_break(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { concert, bob, bought, .. } = &market;
    run_sql(&db, "update programs set unpaid_holds_max = 1, cool_down_mins = 30").await;
    let (early, door) = market.early_door().await;
    market.put_on_sale(0).await;
    market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(market.scan(&door, &bought.codes[0]).await.status, 201);
    market.put_on_sale(1).await;
    let reservation = market.held(bob, concert.seat_ids[1]).await;

    // One that its buyer gives back counts, also when the return ends afterwards.
    let cancellation = format!("/reservations/{reservation}/cancellation");
    assert_eq!(bob.post(&cancellation, &()).await.status, 200);
    assert_eq!(market.scan(&door, &bought.codes[1]).await.status, 201);
    let bob = market.enter(bob).await;
    let told = hold(&bob, concert, &concert.seat_ids[2..3]).await;
    assert_eq!((told.status, told.code().as_str()), (403, "cool-down"), "{}", told.body);
    // A person outside joins, if only the first of the two ended.
    let path = format!("/programs/{}/queue", concert.slug);
    let form = json!({ "queue_number": bob.get(&path).await.json()["queue_number"] });
    let left = bob.post_json(&format!("{path}/departure"), &form).await;
    assert!(matches!(left.status, 200..=204), "{} {}", left.status, left.body);
    assert_eq!(bob.post(&path, &()).await.code(), "cool-down");
    let long_ago = "update reservations set created_at = created_at - interval '1 hour',
        expires_at = expires_at - interval '1 hour', settled_at = settled_at - interval '1 hour'
        where id = $1";
    run_sql_with(&db, long_ago, reservation).await;
    let joined = bob.post(&path, &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    early.close_as_it_is().await;
    market.office.close_as_it_is().await;
}
