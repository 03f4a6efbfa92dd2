//! What a dump holds: the demo's data, and what its people did over HTTP.

use serde_json::json;
use sqlx::PgPool;
use stagedoor::demo;
use uuid::Uuid;

use super::{BUYER, SLUG, hold, log_in, pay};
use crate::support::{Office, Person, read_one, read_one_with};

const OTHER: &str = "jun@stagedoor.example";
const ADMIN: &str = "admin@stagedoor.example";

/// Offers points to the other account, and returns the path of the transfer.
async fn send(person: &Person, amount: i64) -> String {
    let sent =
        person.post_json("/wallet/transfers", &json!({ "to": OTHER, "amount": amount })).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    format!("/wallet/transfers/{}", sent.json()["transfer_id"].as_str().unwrap())
}

/// Fills the empty database of a test.
pub(super) async fn fill(db: &PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    assert!(demo::load(&office.app.db).await.unwrap(), "the database has data already");

    // Paid, paid and refunded, and held until it expires.
    let buyer = log_in(&office, BUYER).await;
    pay(&buyer, &hold(db, &buyer, "late-jazz", json!({ "best": 2 })).await).await;
    let bar: Uuid = read_one(db, "select id from zones where name like 'Bar%'").await;
    let places = json!({ "zone_id": bar, "quantity": 1 });
    let returned = hold(db, &buyer, "late-jazz", places).await;
    pay(&buyer, &returned).await;
    let refunded = buyer.post(&format!("{returned}/cancellation"), &()).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    let other = log_in(&office, OTHER).await;
    hold(db, &other, SLUG, json!({ "best": 1 })).await;

    // In a queue; a transfer that was accepted, and one without an answer.
    let joined = other.post("/programs/night-on-the-han/queue", &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    let accepted = format!("{}/acceptance", send(&buyer, 50_000).await);
    let accepted = other.post(&accepted, &()).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    send(&buyer, 10_000).await;

    // An act of an administrator, with its entry in the audit log.
    let admin = log_in(&office, ADMIN).await;
    let other_id: Uuid = read_one_with(db, "select id from accounts where email = $1", OTHER).await;
    let form = [("amount", "5000"), ("reason", "for a long wait")];
    let adjusted = admin.post(&format!("/admin/people/{other_id}/adjustments"), &form).await;
    assert_eq!(adjusted.status, 200, "{}", adjusted.body);
    office.close().await;
}
