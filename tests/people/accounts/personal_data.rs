//! The download of one's own data.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Purchase, Signed, count, sign_up, storm};

const PATH: &str = "/account/data.json";

fn rows<'a>(data: &'a Value, list: &str) -> &'a [Value] {
    data[list]["rows"].as_array().unwrap_or_else(|| panic!("no {list} in {data}"))
}

#[sqlx::test]
async fn a_person_downloads_all_of_their_own_and_nothing_of_others(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let Signed { person: ada, email } = sign_up(&office, "ada").await;
    let Signed { person: bob, email: bobs } = sign_up(&office, "bob").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 1, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let transfer = [("to", bobs.as_str()), ("amount", "70")];
    assert_eq!(ada.post("/wallet/transfers", &transfer).await.status, 201);

    let answer = ada.get(PATH).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"stagedoor.json\"");
    let data = answer.json();
    assert_eq!(data["account"]["email"], email.as_str());
    assert_eq!((rows(&data, "sessions").len(), rows(&data, "links").len()), (1, 1));
    let reservation = &rows(&data, "reservations")[0];
    assert_eq!(reservation["id"], bought.reservation_id.to_string());
    assert_eq!(reservation["items"].as_array().unwrap().len(), 3);
    assert_eq!(rows(&data, "tickets").len(), 3);
    assert_eq!((rows(&data, "payments").len(), rows(&data, "queue_tokens").len()), (1, 1));
    let sent = &rows(&data, "transfers_sent")[0];
    assert_eq!(
        (&sent["receiver"], &sent["address"]),
        (&Value::Null, &json!(bobs)),
        "as typed: {data}"
    );
    let history = rows(&data, "point_transactions");
    let sum: i64 = history.iter().map(|entry| entry["amount"].as_i64().unwrap()).sum();
    assert_eq!(data["wallet"]["balance"], sum);
    assert!(rows(&data, "mails").iter().any(|mail| mail["kind"] == "confirm-address"));
    let token = ada.cookie("session").unwrap();
    for secret in ["password_hash", "token_hash", "argon2", &token] {
        assert!(!answer.body.contains(secret), "{secret}: {}", answer.body);
    }

    let data = bob.get(PATH).await.json();
    for list in ["reservations", "tickets", "point_transactions", "charges"] {
        assert!(rows(&data, list).is_empty(), "{list}: {data}");
    }
    assert_eq!(rows(&data, "transfers_received")[0]["amount"], 70);
    assert!(bob.visit("/account").await.has("a[href='/account/data.json']"));
    assert_eq!(office.stranger().get(PATH).await.code(), "login-required");
    office.close().await;
}

#[sqlx::test]
async fn ten_downloads_an_hour_are_enough(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let answers = storm((0..15).map(|_| {
        let ada = ada.clone();
        async move { ada.get(PATH).await }
    }))
    .await;
    assert_eq!((count(&answers, 200, ""), count(&answers, 429, "rate-limited")), (10, 5));
    office.close().await;
}
