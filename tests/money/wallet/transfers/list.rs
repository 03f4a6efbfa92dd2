//! The list of what was sent and received, and the history of each request.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{act, assert_sound, id_of, lapse, sent, sleepy};
use crate::{
    support::{Office, Person, email_of, read_all_with, run_sql_with},
    wallet::charge,
};

const PATH: &str = "/wallet/transfers";

/// Returns the amounts of a person's requests, as `query` lists them.
async fn amounts(person: &Person, query: &str) -> Vec<i64> {
    let page = person.get(&format!("{PATH}{query}")).await;
    assert_eq!(page.status, 200, "{query}: {}", page.body);
    let rows = page.json()["transfers"].as_array().unwrap().clone();
    rows.iter().map(|row| row["amount"].as_i64().unwrap()).collect()
}

#[sqlx::test]
async fn requests_are_listed_by_direction_status_and_counterparty(db: PgPool) {
    let office = sleepy(&db).await;
    let people = office.crowd(3, "person").await;
    let [ada, bob, eve] = [&people[0], &people[1], &people[2]];
    for person in [ada, bob, eve] {
        charge(person, 100).await;
    }
    let accepted = sent(&db, ada, bob, 1).await;
    assert_eq!(act(bob, &accepted, "acceptance").await.status, 200);
    let rejected = sent(&db, bob, ada, 2).await;
    assert_eq!(act(ada, &rejected, "rejection").await.status, 200);
    let cancelled = sent(&db, ada, eve, 3).await;
    assert_eq!(act(ada, &cancelled, "cancellation").await.status, 200);
    sent(&db, eve, ada, 4).await;
    lapse(&db).await;
    sent(&db, ada, bob, 5).await;
    // Of others. A sender's next request would write that an earlier one has expired.
    sent(&db, bob, eve, 6).await;

    let bobs = email_of(&db, bob.account_id).await;
    for (query, listed) in [
        ("", vec![5, 4, 3, 2, 1]),
        ("?direction=&status=&after=", vec![5, 4, 3, 2, 1]),
        ("?direction=all&status=all", vec![5, 4, 3, 2, 1]),
        ("?direction=sent", vec![5, 3, 1]),
        ("?direction=received", vec![4, 2]),
        ("?status=PENDING", vec![5]),
        ("?status=ACCEPTED", vec![1]),
        ("?status=REJECTED", vec![2]),
        ("?status=CANCELLED", vec![3]),
        ("?status=EXPIRED", vec![4]),
        ("?status=PLANNED", vec![]),
        ("?status=EXPIRED&direction=sent", vec![]),
    ] {
        assert_eq!(amounts(ada, query).await, listed, "{query}");
        let with_bob: Vec<i64> = listed.into_iter().filter(|n| [1, 2, 5].contains(n)).collect();
        let query = format!("?counterparty={bobs}&{}", query.trim_start_matches('?'));
        assert_eq!(amounts(ada, &query).await, with_bob, "{query}");
    }
    // A receiver was never told the address: the person is picked by a request.
    let picked = format!("?counterparty={}", id_of(&accepted));
    // What was sent to an address and not accepted does not show whose it is.
    assert_eq!(amounts(bob, &picked).await, [5, 1]);
    assert_eq!(amounts(eve, &picked).await, Vec::<i64>::new());
    assert_eq!(amounts(bob, "").await, [6, 5, 2, 1]);
    let rows = bob.get(PATH).await.json()["transfers"].clone();
    assert_eq!((&rows[1]["direction"], &rows[1]["from"]), (&json!("RECEIVED"), &json!("person")));
    assert!(!rows.to_string().contains(&bobs), "{rows}");
    assert_sound(&office).await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_filter_that_makes_no_sense_is_refused_at_its_field(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.sign_in("ada").await;
    for (field, nonsense) in [
        ("direction", "sideways"),
        ("status", "BRIBED"),
        ("counterparty", "no%20address"),
        ("counterparty", "bob@"),
        ("counterparty", "%00"),
        ("after", "1"),
    ] {
        let query = format!("{PATH}?{field}={nonsense}");
        let refused = ada.get(&query).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{query}");
        assert!(refused.json()["fields"][field].is_string(), "{}", refused.body);
        let page = ada.visit(&query).await;
        assert!(page.status == 422 && page.has("[role='alert']"), "{query}: {}", page.body);
        assert!(field == "after" || page.has(&format!("[name='{field}'][aria-invalid]")));
    }
    let page = ada.visit(&format!("{PATH}?counterparty=nobody@example.com")).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Nothing was sent to or received from nobody@example.com"));
    assert_eq!(
        amounts(&ada, &format!("?counterparty={}", Uuid::now_v7())).await,
        Vec::<i64>::new()
    );
    assert!(ada.visit(&format!("{PATH}?status=ACCEPTED")).await.body.contains("Nothing matches."));
    assert!(ada.visit(PATH).await.body.contains("sent or received any points yet"));
    assert!(ada.visit("/wallet").await.has(&format!("[href='{PATH}']")));
    office.close().await;
}

/// Writes answered requests from one account to the other and back, `n` of them.
async fn write_many(db: &PgPool, ada: Uuid, bob: Uuid, n: i64) {
    sqlx::query(
        "with made as (
             insert into transfers
                 (id, sender_id, receiver_id, amount, status, version, expires_at)
             select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
                 case n % 2 when 0 then $1 else $2 end, case n % 2 when 0 then $2 else $1 end, n,
                 case n % 3 when 0 then 'ACCEPTED' else 'REJECTED' end, 1, now()
             from generate_series(1, $3) n
             returning id, status
         )
         insert into transfer_status_history (transfer_id, version, status)
         select id, 0, 'PENDING' from made union all select id, 1, status from made",
    )
    .bind(ada)
    .bind(bob)
    .bind(n)
    .execute(db)
    .await
    .unwrap();
}

#[sqlx::test]
async fn pages_of_the_list_lead_on_within_their_filter(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    write_many(&db, ada.account_id, bob.account_id, 240).await;
    let bobs = email_of(&db, bob.account_id).await;
    for (query, listed) in [
        ("?".to_owned(), (1..=240).rev().collect::<Vec<i64>>()),
        ("?direction=sent&".to_owned(), (1..=240).rev().filter(|n| n % 2 == 0).collect()),
        (
            format!("?status=ACCEPTED&counterparty={bobs}&"),
            (1..=240).rev().filter(|n| n % 3 == 0).collect(),
        ),
    ] {
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let page = ada.get(&format!("{PATH}{query}after={after}")).await.json();
            let rows = page["transfers"].as_array().unwrap();
            assert!(rows.len() <= 50, "{}", rows.len());
            seen.extend(rows.iter().map(|row| row["amount"].as_i64().unwrap()));
            let Some(next) = page["next"].as_str() else { break };
            after = next.to_owned();
        }
        assert_eq!(seen, listed, "{query}");
    }
    let page = ada.visit(&format!("{PATH}?direction=sent&status=ACCEPTED")).await;
    assert!(page.has("[name='direction'] [value='sent'][selected]"), "{}", page.body);
    assert!(!page.body.contains("after="), "{}", page.body);
    let page = ada.visit(&format!("{PATH}?direction=sent")).await;
    assert!(page.body.contains("?direction=sent&#38;after="), "{}", page.body);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn each_request_has_its_history(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    for (person, answer, status, by) in [
        (&bob, "acceptance", "ACCEPTED", "RECEIVER"),
        (&bob, "rejection", "REJECTED", "RECEIVER"),
        (&ada, "cancellation", "CANCELLED", "SENDER"),
    ] {
        let path = sent(&db, &ada, &bob, 10).await;
        assert_eq!(act(person, &path, answer).await.status, 200);
        let seen = bob.get(&path).await.json();
        assert_eq!(seen["history"], ada.get(&path).await.json()["history"]);
        let steps = seen["history"].as_array().unwrap();
        let step = |nth: usize| (steps[nth]["status"].clone(), steps[nth]["by"].clone());
        assert_eq!(steps.len(), 2, "{seen}");
        assert_eq!(step(0), (json!("PENDING"), json!("SENDER")));
        assert_eq!(step(1), (json!(status), json!(by)));
        let times: Vec<String> = read_all_with(
            &db,
            "select to_char(changed_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')
             from transfer_status_history where transfer_id = $1 order by version",
            id_of(&path),
        )
        .await;
        for (step, time) in steps.iter().zip(&times) {
            assert!(step["changed_at"].as_str().unwrap().starts_with(time.trim_end_matches('0')));
        }
        let page = bob.visit(&path).await;
        assert_eq!(page.count(".changes time[datetime]"), 2, "{}", page.body);
        assert!(page.body.contains("KST") && page.body.contains("by ada"), "{}", page.body);
        assert_eq!(page.body.contains("by you"), by == "RECEIVER", "{}", page.body);
    }
    // The clock ends a request at its end, whenever a worker writes it.
    let path = sent(&db, &ada, &bob, 10).await;
    lapse(&db).await;
    let seen = ada.get(&path).await.json();
    let ended = seen["history"][1].clone();
    assert_eq!((&ended["status"], &ended["by"]), (&json!("EXPIRED"), &json!("CLOCK")));
    assert_eq!(ended["changed_at"], seen["expires_at"]);
    assert_eq!(act(&bob, &path, "acceptance").await.status, 410);
    assert_eq!(ada.get(&path).await.json()["history"][1], ended);
    assert!(ada.visit(&path).await.body.contains("by itself"));
    office.close().await;
}

#[sqlx::test]
async fn the_statement_names_the_other_person_of_each_transfer(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    for answer in ["acceptance", "rejection"] {
        let path = sent(&db, &ada, &bob, 10).await;
        assert_eq!(act(&bob, &path, answer).await.status, 200);
    }
    run_sql_with(&db, "update accounts set name = '=1+1' where id = $1", ada.account_id).await;
    let his = email_of(&db, bob.account_id).await;
    let lines = |person: Person| async move {
        let lines = person.get("/wallet").await.json()["transactions"].as_array().unwrap().clone();
        let line = |line: &Value| (line["kind"].clone(), line["counterparty"].clone());
        lines.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(ada.clone()).await,
        [
            (json!("TRANSFER_RELEASE"), json!(his)),
            (json!("TRANSFER_HOLD"), json!(his)),
            (json!("TRANSFER_OUT"), json!("bob")),
            (json!("TRANSFER_HOLD"), json!("bob")),
            (json!("CHARGE"), Value::Null),
        ]
    );
    assert_eq!(lines(bob.clone()).await, [(json!("TRANSFER_IN"), json!("=1+1"))]);
    let narrowed = bob.get("/wallet?kind=TRANSFER_IN").await.json();
    assert_eq!(narrowed["transactions"][0]["counterparty"], "=1+1");
    let page = ada.visit("/wallet").await;
    assert_eq!(page.count(".history__what [href^='/wallet/transfers/']"), 4, "{}", page.body);
    assert!(page.body.contains("to bob") && bob.visit("/wallet").await.body.contains("from =1+1"));
    let file = ada.visit("/wallet/statement.csv").await.records();
    let people: Vec<&String> = file.iter().map(|cells| cells.last().unwrap()).collect();
    assert_eq!(people, ["Person", his.as_str(), his.as_str(), "bob", "bob", ""]);
    // A name is no formula of a spreadsheet.
    let file = bob.visit("/wallet/statement.csv").await.records();
    assert_eq!(file[1].last().unwrap(), "'=1+1");
    office.close().await;
}
