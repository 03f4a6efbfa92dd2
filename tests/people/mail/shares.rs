//! Mails to a friend about a share of a reservation.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{kinds, office_with};
use crate::support::{
    Concert, ConcertOptions, Hold, MailServer, Office, Person, email_of, eventually, read_one,
    until,
};

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

#[sqlx::test]
async fn a_share_is_mailed_to_an_address_with_and_without_an_account_alike_and_leads_to_its_payment(
    db: PgPool,
) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    assert_eq!(bob.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let path = format!("/reservations/{}", hold.write(&db, &concert, ada.account_id).await);
    assert!(ada.visit(&format!("{path}/shares/new")).await.has("form input[name=to]"));
    let left = ada.get(&format!("{path}/shares")).await.json()["left"].clone();
    let odd = json!({ "places": [left[0]["place"]], "to": "nobody" });
    let refused = ada.post_json(&format!("{path}/shares"), &odd).await;
    assert!(refused.json()["fields"]["to"].is_string(), "{}", refused.body);
    let mut answers = Vec::new();
    let addresses = [email_of(&db, bob.account_id).await, "stranger@example.com".to_owned()];
    for (nth, to) in addresses.iter().enumerate() {
        let form = json!({ "places": [left[nth]["place"]], "to": to });
        let made = ada.post_json(&format!("{path}/shares"), &form).await;
        assert_eq!(made.status, 201, "{}", made.body);
        answers.push(made.json());
    }
    let names = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&answers[0]), names(&answers[1]), "the sender learns nothing of who is known");
    let mails = server.until_received(2).await;
    let texts: Vec<&str> = mails.iter().map(|mail| mail.text.as_str()).collect();
    for (to, answer) in addresses.iter().zip(&answers) {
        let mail = mails.iter().find(|mail| mail.header("To").contains(to)).unwrap();
        let url = answer["url"].as_str().unwrap();
        for word in [url, "A concert", "50,000 points"] {
            assert!(mail.text.contains(word), "{word}: {}", mail.text);
        }
        assert!(!mail.text.contains("ada"), "nothing that the holder typed: {}", mail.text);
    }
    assert_eq!(texts[0].lines().next(), texts[1].lines().next());
    let kept = "select count(*) from outbox where secret is not null";
    until("the code is wiped", async || read_one::<i64>(&db, kept).await == 0).await;
    let url = answers[0]["url"].as_str().unwrap();
    let link = &url[url.find("/shares/").unwrap()..];
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn nobody_has_more_than_thirty_links_made_in_an_hour_where_one_is_to_be_mailed(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { places_per_account_max: 100, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let ask = async |person: &Person, to: Option<&str>| {
        let hold = Hold { places: 2, ..Hold::default() };
        let path = format!("/reservations/{}", hold.write(&db, &concert, person.account_id).await);
        let left = person.get(&format!("{path}/shares")).await.json()["left"].clone();
        let form = json!({ "places": [left[0]["place"]], "to": to.unwrap_or_default() });
        person.post_json(&format!("{path}/shares"), &form).await
    };
    for _ in 0..29 {
        assert_eq!(ask(&ada, None).await.status, 201);
    }
    let last = ask(&ada, Some("stranger@example.com")).await;
    assert_eq!(last.status, 201, "the thirtieth: {}", last.body);
    let refused = ask(&ada, Some("stranger@example.com")).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "share-too-often"));
    assert_eq!(ask(&ada, None).await.status, 201, "a link that the holder hands over");
    assert_eq!(ask(&bob, Some("stranger@example.com")).await.status, 201, "each for itself");
    let mails = "select count(*) from outbox where recipient = 'stranger@example.com'";
    assert_eq!(read_one::<i64>(&db, mails).await, 2);
    office.close().await;
}
