//! Orders that are made while their performance moves.

use serde_json::json;
use sqlx::PgPool;

use super::told_moves::{Show, TOLD, cancel};
use crate::support::{
    Hold, admit, agree_on, email_of, order_path, read_all, run_sql, until_locks_wait,
};

/// Cleo's hold is written and not committed when the office moves the performance.
#[sqlx::test]
async fn an_order_that_is_being_made_is_told_of_the_move_and_may_be_given_back(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let cleo = show.office.sign_in("cleo").await;
    admit(&db, &show.concert, std::slice::from_ref(&cleo)).await;
    // The commit of a hold waits for a lock that the test has.
    run_sql(
        &db,
        "create function wait_for_test() returns trigger language plpgsql as
             $$ begin perform pg_advisory_xact_lock(77); return null; end $$",
    )
    .await;
    run_sql(
        &db,
        "create constraint trigger wait_for_test after insert on reservations
             deferrable initially deferred for each row execute function wait_for_test()",
    )
    .await;
    let mut gate = db.begin().await.unwrap();
    sqlx::query("select pg_advisory_xact_lock(77)").execute(&mut *gate).await.unwrap();
    let holding = tokio::spawn({
        let (cleo, path) = (cleo.clone(), order_path(&show.concert));
        let form = json!({ "seat_ids": [show.concert.seat_ids[0]] });
        async move { cleo.post_json(&path, &form).await }
    });
    let mut watch = db.acquire().await.unwrap();
    until_locks_wait(&mut watch, 1).await;
    let version = show.version().await;
    let moving = tokio::spawn({
        let (admin, path) = (show.admin.clone(), show.path());
        let form = [("version", version), ("starts_at", "2031-06-16T20:00".to_owned())];
        async move { admin.post(&path, &form).await }
    });
    until_locks_wait(&mut watch, 2).await;
    gate.rollback().await.unwrap();
    let (held, moved) = (holding.await.unwrap(), moving.await.unwrap());
    assert_eq!((held.status, moved.status), (201, 200), "{} {}", held.body, moved.body);
    assert_eq!(
        read_all::<String>(&db, TOLD).await,
        [email_of(&db, cleo.account_id).await.split('@').next().unwrap()]
    );
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    let told = cleo.get(&format!("/reservations/{id}")).await.json();
    assert!(told["full_refund_until"].is_string(), "{told}");
    drop(watch);
    show.office.close().await;
}

/// Bob paid a share of ada's order and gave his ticket back: the move concerns him no more.
#[sqlx::test]
async fn a_friend_who_gave_the_own_ticket_back_is_not_told_of_the_move(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    for person in [&ada, &bob] {
        assert_eq!(person.post("/wallet/charges", &[("amount", 200_000)]).await.status, 201);
    }
    let hold = Hold { seat_ids: &show.concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &show.concert, ada.account_id).await;
    let shares = format!("/reservations/{id}/shares");
    let left = ada.get(&shares).await.json()["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let url = ada.post_json(&shares, &form).await.json()["url"].as_str().unwrap().to_owned();
    let link = &url[url.find("/shares/").unwrap()..];
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    assert_eq!(ada.post(&format!("/reservations/{id}/rest/payment"), &()).await.status, 201);
    agree_on(&db, id, 80, 0).await;
    let code = bob.get("/tickets").await.json()["tickets"][0]["code"].clone();
    let path = format!("/tickets/{}/refund", code.as_str().unwrap());
    assert_eq!(bob.post_json(&path, &json!({})).await.status, 201);
    show.move_to("2031-06-16T20:00", "").await;
    let told = read_all::<String>(&db, TOLD).await;
    assert_eq!(told, [email_of(&db, ada.account_id).await.split('@').next().unwrap()]);
    show.office.close().await;
}

/// The order is written after the move, though it was begun on the old start.
#[sqlx::test]
async fn an_order_in_the_minute_of_a_move_may_be_given_back(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    show.move_to("2031-06-16T20:00", "").await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await.reservation_id;
    let told = ada.get(&format!("/reservations/{bought}")).await.json();
    assert!(told["full_refund_until"].is_string(), "{told}");
    let given = cancel(&ada, bought).await;
    assert_eq!((given.status, &given.json()["refunded"]), (200, &json!(50_000)), "{}", given.body);
    show.office.close().await;
}

#[sqlx::test]
async fn a_draft_that_was_moved_says_nothing_of_it_once_it_is_published(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    show.move_to("2031-06-16T20:00", "").await;
    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    let page = show.admin.visit(&format!("/programs/{}", show.concert.slug)).await;
    assert!(
        page.body.contains("16 Jun") && !page.body.contains("It was to begin"),
        "{}",
        page.body
    );
    show.office.close().await;
}
