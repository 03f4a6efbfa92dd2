//! Who had a ticket, as those see it who had it: on its pages, in their data, and beside a deletion.

use serde_json::Value;
use sqlx::PgPool;

use super::{Evening, accepted, handed, offered};
use crate::support::{Answer, Concert, Person, run_sql};

fn names(holders: &Value) -> Vec<String> {
    let holders = holders.as_array().unwrap().iter();
    holders.map(|holder| holder["name"].as_str().unwrap().to_owned()).collect()
}

async fn delete(person: &Person) -> Answer {
    person.post("/account/deletion", &[("points", 0)]).await
}

fn obstacles(answer: &Answer) -> Vec<String> {
    let obstacles = answer.json()["obstacles"].as_array().unwrap().clone();
    obstacles.iter().map(|obstacle| obstacle["kind"].as_str().unwrap().to_owned()).collect()
}

#[sqlx::test]
async fn both_see_who_had_the_ticket_and_since_when(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 1).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let eve = office.sign_in("eve").await;
    let page = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
    assert!(!page.has(".holders"), "it never changed hands");
    let first = offered(&db, ada, &bought.codes[0], bob).await;
    let code = accepted(bob, &first).await;
    let second = offered(&db, bob, &code, &eve).await;
    let code = accepted(&eve, &second).await;

    let ticket = eve.get(&format!("/tickets/{code}")).await.json();
    assert_eq!(names(&ticket["holders"]), ["ada", "bob", "eve"]);
    let page = eve.visit(&format!("/tickets/{code}")).await;
    assert_eq!(page.texts(".holders__item strong"), ["ada", "bob", "eve"]);
    // A hand-over says what its two know: where the ticket went later is not theirs to see.
    for (person, path, seen) in [
        (ada, &first, &["ada", "bob"][..]),
        (bob, &first, &["ada", "bob"]),
        (bob, &second, &["ada", "bob", "eve"]),
        (&eve, &second, &["ada", "bob", "eve"]),
    ] {
        let document = person.get(path).await.json();
        assert_eq!(names(&document["holders"]), seen);
        assert_eq!(person.visit(path).await.texts(".holders__item strong"), seen);
        let since = document["holders"].as_array().unwrap().last().unwrap()["since"].clone();
        assert_eq!(document["settled_at"], since);
    }
    for (person, path) in [(ada, &second), (&eve, &first)] {
        assert_eq!(person.get(path).await.status, 404);
    }
    evening.office.close().await;
}

#[sqlx::test]
async fn each_side_finds_its_hand_overs_in_its_data(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 2).await;
    let Evening { ada, bob, bought, .. } = &evening;
    handed(&db, ada, &bought.codes[0], bob).await;
    offered(&db, ada, &bought.codes[1], bob).await;
    let (mine, his) = (ada.get("/account/data.json").await, bob.get("/account/data.json").await);
    assert_eq!((mine.status, his.status), (200, 200), "{}", mine.body);
    let (mine, his) = (mine.json(), his.json());
    let sent = &mine["hand_overs_sent"]["rows"];
    assert_eq!((&sent[0]["status"], &sent[0]["recipient"]), (&"PENDING".into(), &Value::Null));
    assert!(sent[0]["address"].as_str().unwrap().starts_with("bob-"), "{sent}");
    assert_eq!((&sent[1]["status"], &sent[1]["recipient"]), (&"ACCEPTED".into(), &"bob".into()));
    let received = &his["hand_overs_received"]["rows"];
    assert_eq!(received.as_array().unwrap().len(), 2, "{received}");
    assert!(received[0]["address"].is_null() && received[0]["sender"] == "ada", "{received}");
    for (data, n_tickets) in [(&mine, 1), (&his, 1)] {
        assert_eq!(data["tickets"]["rows"].as_array().unwrap().len(), n_tickets);
    }
    evening.office.close().await;
}

#[sqlx::test]
async fn a_ticket_that_was_received_and_an_offer_keep_an_account(db: PgPool) {
    let evening = Evening::with(&db, Concert::usual(&db).await, 2).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let eve = office.sign_in("eve").await;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let refused = delete(bob).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "account-kept"));
    assert_eq!(obstacles(&refused), ["hand-over-received"]);
    let code = accepted(bob, &path).await;
    assert_eq!(obstacles(&delete(bob).await), ["ticket-received"]);
    let onward = offered(&db, bob, &code, &eve).await;
    let refused = delete(bob).await;
    assert_eq!(obstacles(&refused), ["ticket-received", "hand-over-sent"]);
    let page = bob.submit("/account/deletion", &[("points", "0")]).await;
    for path in [&path, &onward] {
        assert!(page.has(&format!(".deletion__obstacle a[href='{path}']")), "{}", page.body);
        assert_eq!(bob.visit(path).await.status, 200, "where each is ended");
    }
    // An expired hand-over blocks no other, though no worker has been there.
    let second = offered(&db, ada, &bought.codes[1], &eve).await;
    run_sql(
        &db,
        "update ticket_hand_overs set expires_at = now() - interval '1 second'
         where status = 'PENDING'",
    )
    .await;
    assert_eq!(obstacles(&eve.get("/account/deletion").await), Vec::<String>::new());
    assert_eq!(delete(&eve).await.status, 200);
    assert_eq!(ada.get(&second).await.json()["status"], "EXPIRED");
    handed(&db, bob, &code, ada).await;
    assert_eq!(delete(bob).await.status, 200);
    let shown = ada.visit(&path).await;
    assert!(shown.body.contains("Deleted account has your ticket now"), "{}", shown.body);
    evening.office.close().await;
}
