//! Shares of a rehearsal: nobody else pays them, and they go with it.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    TOKEN, counts,
    door::{actor, ask, open, set_up},
};
use crate::support::{Concert, Hold, read_one};

#[sqlx::test]
async fn shares_of_a_rehearsal_stay_in_it_and_are_removed_with_it(db: PgPool) {
    let office = open(db.clone()).await;
    let real = office.sign_in("cas").await;
    let before = counts(&db).await;
    let stage = set_up(&office).await;
    let (ada, bob) = (actor(&office, &stage).await, actor(&office, &stage).await);
    let id = |name: &str| stage[name].as_str().unwrap().parse::<Uuid>().unwrap();
    let concert = Concert {
        program_id: id("program_id"),
        slug: stage["slug"].as_str().unwrap().to_owned(),
        schedule_id: id("schedule_id"),
        seat_ids: Vec::new(),
        zone_id: id("zone_id"),
    };
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

    let path = format!("/rehearsal/stages/{}", concert.program_id);
    let removed = ask(&office.stranger(), TOKEN, Method::DELETE, &path, Value::Null).await;
    assert_eq!(removed.status, 200, "{}", removed.body);
    for table in ["shares", "share_places", "payments"] {
        let left = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        assert_eq!(read_one::<i64>(&db, left).await, 0, "{table}");
    }
    assert_eq!(counts(&db).await, before);
    office.close().await;
}
