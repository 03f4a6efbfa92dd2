//! The process is killed at every step of everything that moves points. Afterwards each
//! order is fully done or not at all, and repeating it tells which and does it once.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::charge;
use crate::support::{
    Answer, ChildInstance, Concert, Death, Hold, Office, Person, email_of,
    ledger::{balance, violations},
};

/// Sends an order to a process of its own and kills that at `death`.
pub(super) async fn die(office: &Office, person: &Person, path: &str, form: &Value, death: Death) {
    let db = &office.db;
    // With a Redis prefix of its own: what it leaves there is of no account.
    let prefix = format!("test-{}", Uuid::new_v4());
    let settings = [("HTTP_WORKERS", "1"), ("LOG", "error"), ("REDIS_PREFIX", prefix.as_str())];
    let mut process = ChildInstance::start_with(office, &settings).await;
    death.set(db).await;
    let order = tokio::spawn({
        let (person, path, form) = (process.moved(person), path.to_owned(), form.clone());
        async move { person.post_json(&path, &form).await }
    });
    death.reached(db).await;
    process.kill();
    assert!(order.await.is_err(), "an answer came from a dead process");
    death.over(db).await;
}

/// After a death everything holds that must, and `person` has `expected` points.
async fn assert_whole(office: &Office, person: &Person, expected: i64, death: Death) {
    assert_eq!(violations(office).await, Vec::<String>::new(), "{death:?}");
    assert_eq!(balance(&office.db, person.account_id).await, expected, "{death:?}");
}

async fn again(person: &Person, path: &str, form: &Value) -> Answer {
    person.post_json(path, form).await
}

#[sqlx::test]
async fn a_charge_survives_the_death_of_its_process(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let deaths = [
        Death::Writing("idempotency_keys"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Committing("point_transactions"),
    ];
    for death in deaths {
        let ada = office.sign_in("ada").await;
        let form = json!({ "amount": 70, "request_key": Uuid::now_v7() });
        die(&office, &ada, "/wallet/charges", &form, death).await;
        let is_done = matches!(death, Death::Committing(_));
        assert_whole(&office, &ada, if is_done { 70 } else { 0 }, death).await;
        let answer = again(&ada, "/wallet/charges", &form).await;
        assert_eq!((answer.status, answer.json()), (201, json!({ "balance": 70 })), "{death:?}");
        assert_whole(&office, &ada, 70, death).await;
    }
    office.close().await;
}

#[sqlx::test]
async fn a_payment_survives_the_death_of_its_process(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let deaths = [
        Death::Writing("idempotency_keys"),
        Death::Writing("payments"),
        Death::Writing("reservations"),
        Death::Writing("schedule_seats"),
        Death::Writing("tickets"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Committing("payments"),
    ];
    for (death, seat) in deaths.into_iter().zip(&concert.seat_ids) {
        let ada = office.sign_in("ada").await;
        charge(&ada, 60_000).await;
        let hold = Hold { seat_ids: &[*seat], ..Hold::default() };
        let id = hold.write(&db, &concert, ada.account_id).await;
        let path = format!("/reservations/{id}/payment");
        let form = json!({ "request_key": Uuid::now_v7() });
        die(&office, &ada, &path, &form, death).await;
        let is_done = matches!(death, Death::Committing(_));
        assert_whole(&office, &ada, if is_done { 10_000 } else { 60_000 }, death).await;
        let answer = again(&ada, &path, &form).await;
        assert_eq!(answer.status, 201, "{death:?} {}", answer.body);
        assert_eq!(answer.json()["tickets"].as_array().unwrap().len(), 1);
        assert_eq!(again(&ada, &path, &form).await.json(), answer.json());
        assert_whole(&office, &ada, 10_000, death).await;
    }
    office.close().await;
}

#[sqlx::test]
async fn a_refund_survives_the_death_of_its_process(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let deaths = [
        Death::Writing("payments"),
        Death::Writing("reservations"),
        Death::Writing("reservation_items"),
        Death::Writing("schedule_seats"),
        Death::Writing("tickets"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Committing("tickets"),
    ];
    for (death, seat) in deaths.into_iter().zip(&concert.seat_ids) {
        let ada = office.sign_in("ada").await;
        charge(&ada, 50_000).await;
        let hold = Hold { seat_ids: &[*seat], ..Hold::default() };
        let id = hold.write(&db, &concert, ada.account_id).await;
        assert_eq!(ada.post(&format!("/reservations/{id}/payment"), &()).await.status, 201);
        let path = format!("/reservations/{id}/cancellation");
        die(&office, &ada, &path, &json!({}), death).await;
        let is_done = matches!(death, Death::Committing(_));
        assert_whole(&office, &ada, if is_done { 50_000 } else { 0 }, death).await;
        let answer = again(&ada, &path, &json!({})).await;
        assert_eq!(answer.status, if is_done { 409 } else { 200 }, "{death:?} {}", answer.body);
        assert_whole(&office, &ada, 50_000, death).await;
    }
    office.close().await;
}

#[sqlx::test]
async fn a_transfer_survives_the_death_of_its_process(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let deaths = [
        Death::Writing("transfers"),
        Death::Writing("transfer_status_history"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Committing("transfers"),
    ];
    for death in deaths {
        let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
        charge(&ada, 100).await;
        let to = email_of(&db, bob.account_id).await;
        let is_done = matches!(death, Death::Committing(_));

        let form = json!({ "to": to, "amount": 30, "request_key": Uuid::now_v7() });
        die(&office, &ada, "/wallet/transfers", &form, death).await;
        assert_whole(&office, &ada, 100, death).await;
        let pending = if is_done { 30 } else { 0 };
        assert_eq!(ada.get("/wallet").await.json()["pending"], pending, "{death:?}");
        let requested = again(&ada, "/wallet/transfers", &form).await;
        assert_eq!(requested.status, 201, "{death:?} {}", requested.body);
        assert_eq!(ada.get("/wallet").await.json()["pending"], 30, "{death:?}");

        let id = requested.json()["transfer_id"].as_str().unwrap().to_owned();
        let path = format!("/wallet/transfers/{id}/acceptance");
        die(&office, &bob, &path, &json!({}), death).await;
        assert_whole(&office, &ada, if is_done { 70 } else { 100 }, death).await;
        let answer = again(&bob, &path, &json!({})).await;
        assert_eq!(answer.status, if is_done { 409 } else { 200 }, "{death:?} {}", answer.body);
        assert_whole(&office, &bob, 30, death).await;
        assert_whole(&office, &ada, 70, death).await;
    }
    office.close().await;
}
