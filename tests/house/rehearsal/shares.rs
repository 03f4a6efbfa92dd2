//! Shares of a rehearsal: people outside cannot pay them, and they go with it.

use serde_json::json;
use sqlx::PgPool;

use super::{
    counts,
    door::{actor, concert_of, open, remove_all_of, set_up},
};
use crate::support::{Hold, read_one, run_sql};

#[sqlx::test]
async fn shares_of_a_rehearsal_stay_in_it_and_are_removed_with_it(db: PgPool) {
    let office = open(db.clone()).await;
    let real = office.sign_in("cas").await;
    let listens =
        "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at)
        values (gen_random_uuid(), 'https://hooks.example/', 'Accounting', '{ticket.refunded}',
            sha256('a') || substr(sha256('b'), 1, 28), now())";
    run_sql(&db, listens).await;
    let before = counts(&db).await;
    let stage = set_up(&office).await;
    let (ada, bob) = (actor(&office, &stage).await, actor(&office, &stage).await);
    let concert = concert_of(&stage);
    let hold = Hold { places: 2, ..Hold::default() };
    let path = format!("/reservations/{}", hold.write(&db, &concert, ada.account_id).await);
    for person in [&ada, &bob] {
        assert_eq!(person.post("/wallet/charges", &[("amount", 1_000_000)]).await.status, 201);
    }
    let left = ada.get(&format!("{path}/shares")).await.json()["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let made = ada.post_json(&format!("{path}/shares"), &form).await.json();
    let url = made["url"].as_str().unwrap();
    let link = &url[url.find("/shares/").unwrap()..];
    let refused = real.post(&format!("{link}/payment"), &()).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "not-found"));
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    let rest = ada.post(&format!("{path}/rest/payment"), &()).await;
    assert_eq!(rest.json()["status"], "PAID", "{}", rest.body);

    let code = bob.get("/tickets").await.json()["tickets"][0]["code"].clone();
    let given = format!("/tickets/{}/refund", code.as_str().unwrap());
    assert_eq!(bob.post_json(&given, &json!({})).await.status, 201);
    assert_eq!(read_one::<i64>(&db, "select count(*) from domain_events").await, 0);

    stagedoor::receipts::book_due(&office.app).await.unwrap();
    let made = ["sale_entries", "receipts", "shares", "share_places", "payments", "ticket_returns"];
    for table in &made[..2] {
        let booked = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        assert_eq!(read_one::<i64>(&db, booked).await, 0, "{table}: a rehearsal sells nothing");
    }
    remove_all_of(&office, &concert, &made).await;
    assert_eq!(counts(&db).await, before);
    office.close().await;
}
