//! Payers of shares who sell their tickets, what is kept about a seller, and the seller's deletion.

use serde_json::json;
use sqlx::PgPool;

use super::{CHARGED, Market, PRICE, pay, put_on_sale};
use crate::support::{ConcertOptions, Hold, ledger::balance, read_one};

#[sqlx::test]
async fn the_payer_of_a_share_gets_the_money(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 0, 1).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let cas = office.sign_in("cas").await;
    let charged = cas.post("/wallet/charges", &[("amount", CHARGED)]).await;
    assert_eq!(charged.status, 201);
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let reservation = hold.write(&db, concert, ada.account_id).await;
    let shares = format!("/reservations/{reservation}/shares");
    let left = ada.get(&shares).await.json()["left"].clone();
    let made = ada.post_json(&shares, &json!({ "places": [left[0]["place"]] })).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let path = &url[url.find("/shares/").unwrap()..];
    let paid = cas.post(&format!("{path}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let rest = ada.post(&format!("/reservations/{reservation}/rest/payment"), &()).await;
    assert_eq!(rest.status, 201, "{}", rest.body);

    let code: String = sqlx::query_scalar("select code from tickets where account_id = $1")
        .bind(cas.account_id)
        .fetch_one(&db)
        .await
        .unwrap();
    assert_eq!(put_on_sale(ada, &code).await.status, 404, "it is the friend's");
    assert_eq!(put_on_sale(&cas, &code).await.status, 201);
    let seat: i64 = read_one(&db, "select schedule_seat_id from ticket_returns").await;
    let bought = market.held(bob, seat).await;
    assert_eq!(pay(bob, bought).await.status, 201);
    assert_eq!(balance(&db, cas.account_id).await, CHARGED);
    // What is left of the reservation is its owner's.
    let before = balance(&db, ada.account_id).await;
    let refunded = ada.post(&format!("/reservations/{reservation}/cancellation"), &()).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(balance(&db, ada.account_id).await, before + PRICE);
    assert_eq!(balance(&db, cas.account_id).await, CHARGED);
    market.office.close().await;
}

#[sqlx::test]
async fn a_seller_sees_what_is_kept_and_goes_once_all_is_sold(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { concert, ada, bob, .. } = &market;
    market.put_on_sale(0).await;
    let kept = ada.get("/account/data.json").await.json();
    assert_eq!(kept["returns"]["rows"][0]["status"], "OPEN", "{}", kept["returns"]);
    let page = ada.get("/account/deletion").await.json();
    assert_eq!(page["obstacles"][0]["kind"], "tickets", "{page}");
    market.put_on_sale(1).await;
    for seat in &concert.seat_ids[..2] {
        let reservation = market.held(bob, *seat).await;
        assert_eq!(pay(bob, reservation).await.status, 201);
    }
    let page = ada.get("/account/deletion").await.json();
    assert_eq!(page["obstacles"], json!([]), "{page}");
    let sold: i64 =
        read_one(&db, "select count(*) from ticket_returns where status = 'SOLD'").await;
    assert_eq!(sold, 2);
    market.office.close().await;
}
