//! The rest of a reservation, paid by card: the missing points, and then the seats.

use sqlx::PgPool;
use uuid::Uuid;

use super::{give_points, make_due};
use crate::support::{
    Answer, Concert, Hold, Office, Person, StripeStandIn,
    ledger::{balance, entries},
    read_one, read_one_with, run_sql, run_sql_with, storm, until,
};

const FORM: &str = "form:has([name='reservation_id'])";

/// Presses the button of a reservation's page that pays the rest, and returns the checkout.
async fn pay_rest(person: &Person, reservation_id: Uuid) -> (Answer, String) {
    let page = person.visit(&format!("/reservations/{reservation_id}")).await;
    let buttons = page.texts(&format!("{FORM} button"));
    assert!(buttons[0].starts_with("Pay "), "{buttons:?}");
    let value = |name: &str| {
        let field = page.attribute(&format!("{FORM} [name='{name}']"), "value");
        (name.to_owned(), field)
    };
    let form = ["request_key", "reservation_id", "amount", "next"].map(value);
    let sent = person.submit("/wallet/charges", &form).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    let id = sent.location().rsplit('/').next().unwrap().to_owned();
    (sent, id)
}

async fn held(db: &PgPool, concert: &Concert, ada: &Person, price: i64) -> Uuid {
    run_sql_with(db, "update schedule_seats set price = $1", price).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    hold.write(db, concert, ada.account_id).await
}

async fn reservation_status(db: &PgPool, id: Uuid) -> String {
    read_one_with(db, "select status from reservations where id = $1", id).await
}

async fn opened(db: &PgPool) -> (StripeStandIn, Office, Person, Concert) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(db, 2).await;
    let ada = office.sign_in("ada").await;
    (stripe, office, ada, Concert::usual(db).await)
}

#[sqlx::test]
async fn the_missing_points_pay_for_the_seats_by_themselves_once(db: PgPool) {
    let (stripe, office, ada, concert) = opened(&db).await;
    let id = held(&db, &concert, &ada, 700).await;
    let before: chrono::DateTime<chrono::Utc> =
        read_one_with(&db, "select expires_at from reservations where id = $1", id).await;
    let (_, session) = pay_rest(&ada, id).await;
    let path = format!("/wallet/charges/{}", read_one::<Uuid>(&db, "select id from charges").await);
    let event = stripe.completed(&stripe.change(&session, "paid").await).await;
    let news = (0..20).map(|idx| {
        let (ada, event, path) = (office.moved(&ada, idx / 2), event.clone(), path.clone());
        async move { if idx % 2 == 0 { event.deliver(&ada).await } else { ada.visit(&path).await } }
    });
    let answers = storm(news).await;
    // A page leads to the tickets once these are paid.
    assert!(answers.iter().all(|answer| [200, 303].contains(&answer.status)), "{answers:?}");
    assert_eq!(reservation_status(&db, id).await, "CONFIRMED");
    assert_eq!(balance(&db, ada.account_id).await, 0);
    assert_eq!(entries(&db, ada.account_id, "PAYMENT").await, 1);
    let after: chrono::DateTime<chrono::Utc> =
        read_one_with(&db, "select expires_at from reservations where id = $1", id).await;
    assert_eq!(after, before, "a hold is never prolonged");
    let led = ada.visit(&path).await;
    assert_eq!((led.status, led.location()), (303, format!("/reservations/{id}/tickets").as_str()));
    office.close().await;
}

#[sqlx::test]
async fn where_the_hold_has_ended_the_points_stay_and_the_page_says_so(db: PgPool) {
    let (stripe, office, ada, concert) = opened(&db).await;
    let id = held(&db, &concert, &ada, 700).await;
    let (_, session) = pay_rest(&ada, id).await;
    let released = ada.post(&format!("/reservations/{id}/cancellation"), &()).await;
    assert_eq!(released.status, 200, "{}", released.body);
    let event = stripe.completed(&stripe.change(&session, "paid").await).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    assert_eq!(balance(&db, ada.account_id).await, 700);
    assert!(!read_one::<bool>(&db, "select pays from charges").await);
    let path = format!("/wallet/charges/{}", read_one::<Uuid>(&db, "select id from charges").await);
    let page = ada.visit(&path).await;
    assert!(page.body.contains("no longer reserved when the payment arrived"), "{}", page.body);
    let map = format!("/schedules/{}", concert.schedule_id);
    assert_eq!(page.attribute(".actions .button--primary", "href"), map);
    office.close().await;
}

/// As where the process that settled the charge dies before it pays.
#[sqlx::test]
async fn a_worker_pays_what_was_left_unpaid(db: PgPool) {
    let (stripe, office, ada, concert) = opened(&db).await;
    let id = held(&db, &concert, &ada, 700).await;
    let (_, session) = pay_rest(&ada, id).await;
    stripe.change(&session, "paid").await;
    run_sql(
        &db,
        "create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no' using errcode = '57014'; end $$",
    )
    .await;
    run_sql(
        &db,
        "create trigger refused before insert on payments for each row execute function refuse()",
    )
    .await;
    make_due(&db).await;
    until("a credit", async || balance(&db, ada.account_id).await == 700).await;
    assert!(read_one::<bool>(&db, "select pays from charges").await);
    run_sql(&db, "drop trigger refused on payments").await;
    until("a payment", async || reservation_status(&db, id).await == "CONFIRMED").await;
    until("its note", async || !read_one::<bool>(&db, "select pays from charges").await).await;
    office.close().await;
}

#[sqlx::test]
async fn nobody_pays_for_the_seats_of_somebody_else(db: PgPool) {
    let (stripe, office, ada, concert) = opened(&db).await;
    let id = held(&db, &concert, &ada, 700).await;
    let bob = office.sign_in("bob").await;
    let form = [("amount", "700".to_owned()), ("reservation_id", id.to_string())];
    let sent = bob.submit("/wallet/charges", &form).await;
    let session = sent.location().rsplit('/').next().unwrap();
    let event = stripe.completed(&stripe.change(session, "paid").await).await;
    assert_eq!(event.deliver(&bob).await.status, 200);
    assert_eq!(balance(&db, bob.account_id).await, 700);
    assert_eq!(reservation_status(&db, id).await, "HELD");
    office.close().await;
}

#[sqlx::test]
async fn beside_a_friend_who_has_paid_a_share_the_points_that_were_bought_stay(db: PgPool) {
    let (stripe, office, ada, concert) = opened(&db).await;
    run_sql_with(&db, "update schedule_seats set price = $1", 700_i64).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let (_, session) = pay_rest(&ada, id).await;
    let shares = format!("/reservations/{id}/shares");
    let left = ada.get(&shares).await.json()["left"].clone();
    let form = serde_json::json!({ "places": [left[0]["place"]] });
    let made = ada.post_json(&shares, &form).await.json();
    let url = made["url"].as_str().unwrap();
    let link = &url[url.find("/shares/").unwrap()..];
    let bob = office.sign_in("bob").await;
    give_points(&db, bob.account_id, 700).await;
    let paid = bob.post(&format!("{link}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let event = stripe.completed(&stripe.change(&session, "paid").await).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    assert_eq!(reservation_status(&db, id).await, "HELD");
    assert_eq!(balance(&db, ada.account_id).await, 1_400);
    assert!(!read_one::<bool>(&db, "select pays from charges").await, "refused for good");
    let rest = ada.post(&format!("/reservations/{id}/rest/payment"), &()).await;
    assert_eq!(rest.json()["status"], "PAID", "{}", rest.body);
    office.close().await;
}
