//! Mails to a friend about a share of a reservation.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::kinds;
use crate::support::{Concert, Hold, Office, Person, email_of, eventually};

/// Shares the first seat of a new hold, and returns the paths of the reservation and of the link.
async fn shared(db: &PgPool, concert: &Concert, ada: &Person, seats: &[i64]) -> (String, String) {
    let hold = Hold { seat_ids: seats, refund_percent: 70, ..Hold::default() };
    let path = format!("/reservations/{}", hold.write(db, concert, ada.account_id).await);
    let left = ada.get(&format!("{path}/shares")).await.json()["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let made = ada.post_json(&format!("{path}/shares"), &form).await.json();
    let url = made["url"].as_str().unwrap();
    (path, url[url.find("/shares/").unwrap()..].to_owned())
}

/// Reads the mail of a kind as an administrator does.
async fn mail(admin: &Person, kind: &str) -> Value {
    eventually(kind, async || {
        let list = admin.get("/admin/mails").await.json();
        let found = list["mails"].as_array().unwrap().iter().find(|mail| mail["kind"] == kind);
        let Some(found) = found else { return Err(list) };
        Ok(admin.get(&format!("/admin/mails/{}", found["id"].as_str().unwrap())).await.json())
    })
    .await
}

#[sqlx::test]
async fn a_friend_is_told_of_the_tickets_of_points_that_came_back_and_of_a_refund(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let admin = office.employ("boss", "ADMIN").await;
    for person in [&ada, &bob] {
        assert_eq!(person.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    }
    let (path, link) = shared(&db, &concert, &ada, &concert.seat_ids[..2]).await;
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    let rest = ada.post(&format!("{path}/rest/payment"), &()).await;
    assert_eq!(rest.json()["status"], "PAID", "{}", rest.body);
    let paid = mail(&admin, "share-paid").await;
    assert_eq!(paid["to"], email_of(&db, bob.account_id).await);
    let text = paid["text"].as_str().unwrap();
    for word in ["Hello bob", "ada", "A concert", "50,000 points", "/tickets"] {
        assert!(text.contains(word), "{word}: {text}");
    }

    let (other, link) = shared(&db, &concert, &ada, &concert.seat_ids[2..4]).await;
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    assert_eq!(ada.post(&format!("{other}/cancellation"), &()).await.status, 200);
    let returned = mail(&admin, "share-returned").await;
    assert_eq!(returned["subject"], "Your points for A concert are back");

    let refund = format!("/admin{path}/refund");
    let refunded = admin.post(&refund, &[("share", "all"), ("reason", "a flood")]).await;
    assert!(refunded.status < 400, "{}", refunded.body);
    let refunded = mail(&admin, "share-refunded").await;
    assert!(refunded["text"].as_str().unwrap().contains("50,000 points"), "{refunded}");
    assert!(!kinds(&db).await.contains(&"ticket-voided".to_owned()), "one mail for one event");
    office.close().await;
}
