//! Tickets on the screen, and at the door.

mod bought;
mod check_in;
mod guests;
mod hand_over;
mod kinds;
mod pdf;
mod returns;

use serde_json::json;
use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Person};

async fn buy(
    office: &Office,
    concert: &Concert,
    seats: usize,
    places: i32,
) -> (Person, Vec<String>) {
    let ada = office.sign_in("ada").await;
    ada.post("/wallet/charges", &[("amount", 1_000_000)]).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..seats], places, ..Hold::default() };
    let id = hold.write(&office.db, concert, ada.account_id).await;
    let paid = ada.post(&format!("/reservations/{id}/payment"), &()).await.json();
    let codes = paid["tickets"].as_array().unwrap().iter();
    (ada, codes.map(|code| code.as_str().unwrap().to_owned()).collect())
}

#[sqlx::test]
async fn tickets_are_listed_and_shown_with_what_the_door_needs(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 1).await;
    assert_eq!(codes.len(), 2);
    assert!(codes.iter().all(|code| code.len() == 26), "{codes:?}");

    let listed = ada.get("/tickets").await.json();
    let mut found: Vec<_> =
        listed["tickets"].as_array().unwrap().iter().map(|t| &t["code"]).collect();
    found.reverse();
    assert_eq!(
        found,
        codes.iter().map(|code| json!(code)).collect::<Vec<_>>().iter().collect::<Vec<_>>()
    );

    let ticket = ada.get(&format!("/tickets/{}", codes[0])).await.json();
    let expected = json!({ "section": "Stalls", "row": "A", "number": 1, "zone": null });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&ticket[field], value, "{ticket}");
    }
    assert_eq!((&ticket["status"], &ticket["price"]), (&json!("VALID"), &json!(50_000)));
    let standing = ada.get(&format!("/tickets/{}", codes[1])).await.json();
    assert_eq!((&standing["zone"], &standing["row"]), (&json!("Standing"), &json!(null)));

    let page = ada.visit(&format!("/tickets/{}", codes[0].to_lowercase())).await;
    assert_eq!(page.status, 200);
    for text in ["A concert", "A hall", "Stalls, row A, seat 1", "Ticket 1 of 2", "ada"] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    assert!(page.body.contains(&format!("/tickets/{}.svg", codes[0])));
    assert!(page.has(&format!("[href='/tickets/{}']", codes[1])));
    assert!(ada.visit("/tickets").await.body.contains("Standing, standing"));
    office.close().await;
}

#[sqlx::test]
async fn the_qr_code_is_a_picture_of_the_code(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 0).await;
    let picture = ada.visit(&format!("/tickets/{}.svg", codes[0])).await;
    assert_eq!((picture.status, picture.header("content-type")), (200, "image/svg+xml"));
    assert!(picture.has("svg"), "{}", picture.body);
    office.close().await;
}

#[sqlx::test]
async fn somebody_elses_ticket_does_not_exist(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (_, codes) = buy(&office, &concert, 1, 0).await;
    let bob = office.sign_in("bob").await;
    for path in [format!("/tickets/{}", codes[0]), format!("/tickets/{}.svg", codes[0])] {
        let answer = bob.get(&path).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not-found"));
    }
    for nonsense in ["/tickets/AAAAAAAAAAAAAAAAAAAAAAAAAA", "/tickets/1", "/tickets/'.svg"] {
        assert_eq!(bob.get(nonsense).await.status, 404, "{nonsense}");
    }
    assert_eq!(
        bob.get("/tickets").await.json(),
        json!({ "tickets": [], "received": [], "next": null })
    );
    assert!(bob.visit("/tickets").await.body.contains("No tickets yet."));
    office.close().await;
}

#[sqlx::test]
async fn a_refunded_ticket_says_so_and_shows_no_code(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, codes) = buy(&office, &concert, 1, 0).await;
    let path = format!("/tickets/{}", codes[0]);
    let reservation_id = ada.get(&path).await.json()["reservation_id"].as_str().unwrap().to_owned();
    let cancellation = format!("/reservations/{reservation_id}/cancellation");
    assert_eq!(ada.post(&cancellation, &()).await.status, 200);
    assert_eq!(ada.get(&path).await.json()["status"], "VOID");
    let page = ada.visit(&path).await;
    assert!(page.body.contains("is no longer valid") && !page.body.contains(".svg\" width"));
    let list = ada.visit("/tickets").await;
    assert!(list.body.contains("No longer valid") && !list.body.contains("Coming up"));
    office.close().await;
}
