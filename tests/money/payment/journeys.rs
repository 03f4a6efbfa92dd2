//! Ways on: what a page that was left open may still do, and where a refusal in the middle of a purchase leads.

use sqlx::PgPool;
use uuid::Uuid;

use super::{cancel, held};
use crate::support::{Concert, Hold, Office, StripeStandIn, ledger::balance, read_one, run_sql};

#[sqlx::test]
async fn released_seats_lead_on_and_a_tab_that_was_left_open_buys_no_points_for_them(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 20_000, 2).await;
    let (path, page) = (format!("/reservations/{id}/payment"), format!("/reservations/{id}"));
    let key = Uuid::now_v7().to_string();
    let before = [("amount", "100"), ("next", &path), ("request_key", &key)];
    assert_eq!(ada.post("/wallet/charges", &before).await.status, 201);
    assert_eq!(cancel(&ada, id).await.status, 200);

    let schedule: Uuid = read_one(&db, "select schedule_id from reservations").await;
    let released = ada.visit(&page).await;
    assert!(released.has(&format!("main a[href='/schedules/{schedule}']")), "{}", released.body);

    let form = [("amount", "80000"), ("next", path.as_str())];
    let late = ada.submit("/wallet/charges", &form).await;
    assert_eq!((late.status, late.location()), (303, page.as_str()), "{}", late.body);
    let told = ada.visit(&page).await;
    assert!(told.body.contains("Nothing was charged: these seats"), "{}", told.body);
    assert!(!told.body.contains("Your points were added"), "{}", told.body);
    let reservation_id = id.to_string();
    for form in [form, [("amount", "80000"), ("reservation_id", &reservation_id)]] {
        let refused = ada.post("/wallet/charges", &form).await;
        let code = refused.code();
        assert_eq!((refused.status, code.as_str()), (410, "charge-hold-over"), "{}", refused.body);
    }
    assert_eq!(balance(&db, ada.account_id).await, 20_100);
    // What was bought before is answered as it was.
    assert_eq!(ada.post("/wallet/charges", &before).await.status, 201);
    assert_eq!(balance(&db, ada.account_id).await, 20_100);
    office.close().await;
}

#[sqlx::test]
async fn a_hold_of_a_cancelled_date_leads_to_the_show_when_it_has_ended(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 20_000, 1).await;
    assert_eq!(cancel(&ada, id).await.status, 200);
    run_sql(&db, "update schedules set cancelled_at = now()").await;
    let slug: String = read_one(&db, "select slug from programs").await;
    crate::support::until("the page leads to the show", async || {
        let page = ada.visit(&format!("/reservations/{id}")).await;
        page.has(&format!("main a[href='/programs/{slug}']"))
            && !page.has("main a[href^='/schedules/']")
    })
    .await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_provider_that_is_away_leads_back_to_what_is_held(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let concert = Concert::usual(&db).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let path = format!("/reservations/{id}/payment");
    stripe.answer("create", "error").await;
    let reservation_id = id.to_string();
    let form = [("amount", "700"), ("next", path.as_str()), ("reservation_id", &reservation_id)];
    let away = ada.submit("/wallet/charges", &form).await;
    assert_eq!(away.status, 503, "{}", away.body);
    let back = format!("main a.button[href='{path}']");
    assert!(away.has(&back), "{}", away.body);
    assert!(!away.has("main a.button[href='/wallet']"), "{}", away.body);

    // Without a page to go on with, it is the one that the form was on.
    let request = ada.asks(reqwest::Method::POST, "/wallet/charges", "text/html");
    let base = office.base(0);
    let request = request.header("referer", format!("{base}/wallet"));
    let away = ada.send_form(request, &[("amount", "700")]).await;
    assert_eq!(away.status, 503, "{}", away.body);
    assert!(away.has("main a.button[href='/wallet']"), "{}", away.body);
    stripe.answer("create", "ok").await;
    let sent = ada.submit("/wallet/charges", &form).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    office.close().await;
}
