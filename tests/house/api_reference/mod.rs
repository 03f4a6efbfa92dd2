//! The OpenAPI document and its pages. That answers are as described is checked for every answer that any test gets.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::routes;

use crate::support::{
    Answer, Concert, Office, Person,
    api_document::{DOCUMENT, compare},
};

/// Returns the operations of the document: methods by path.
fn described() -> BTreeMap<String, BTreeSet<String>> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let methods = |path: &Value| path.as_object().unwrap().keys().cloned().collect();
    paths.iter().map(|(path, operations)| (path.clone(), methods(operations))).collect()
}

/// Lists all operations, each with its name.
fn operations() -> impl Iterator<Item = (String, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(move |(method, operation)| (format!("{method} {path}"), operation))
    })
}

#[test]
fn the_document_has_every_method_of_every_path_and_no_other() {
    let mut served: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in routes::all() {
        let template = path.pattern().replace("{*", "{");
        let methods = path.methods().map(|method| method.as_str().to_lowercase());
        served.entry(template).or_default().extend(methods);
    }
    assert_eq!(described(), served);
}

#[test]
fn every_operation_says_in_a_sentence_what_it_does_and_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for (operation, described) in operations() {
        let summary = described["summary"].as_str().unwrap();
        let is_sentence = summary.ends_with('.') && summary.starts_with(char::is_uppercase);
        assert!(is_sentence, "{operation}: {summary}");
        assert!(!described["tags"][0].as_str().unwrap().is_empty(), "{operation}");
        assert!(names.insert(described["operationId"].as_str().unwrap()), "{operation}");
    }
    assert!(names.len() > 200, "only {} operations were found", names.len());
}

#[test]
fn every_reference_leads_somewhere() {
    fn follow(value: &Value) {
        if let Some(reference) = value["$ref"].as_str() {
            let place = reference.strip_prefix('#').unwrap();
            assert!(DOCUMENT.pointer(place).is_some(), "{reference} leads nowhere");
        }
        match value {
            Value::Object(members) => members.values().for_each(follow),
            Value::Array(values) => values.iter().for_each(follow),
            _ => {}
        }
    }
    follow(&DOCUMENT);
}

#[sqlx::test]
async fn the_document_is_sent_compressed_and_only_once(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let answer = stranger.get("/openapi.json").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.json()["openapi"], "3.1.1");
    let request = stranger.asks(Method::GET, "/openapi.json", "application/json");
    let small = stranger.send(request.header("accept-encoding", "br")).await;
    assert_eq!(small.header("content-encoding"), "br");
    let request = stranger.asks(Method::GET, "/openapi.json", "application/json");
    let known = stranger.send(request.header("if-none-match", answer.header("etag"))).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    office.close().await;
}

#[sqlx::test]
async fn a_purchase_is_answered_as_described_from_the_sign_up_to_the_refund(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.stranger();
    let email = "ada@example.com";
    let form = [("email", email), ("name", "Ada"), ("password", "a password of hers")];
    expect(&ada, "POST", "/signup", json!(form.iter().copied().collect::<BTreeMap<_, _>>()), 201)
        .await;
    expect(&ada, "GET", "/", Value::Null, 200).await;
    let program = format!("/programs/{}", concert.slug);
    expect(&ada, "GET", &program, Value::Null, 200).await;
    let queue = format!("{program}/queue");
    expect(&ada, "GET", &queue, Value::Null, 404).await;
    expect(&ada, "POST", &queue, json!({}), 201).await;
    crate::support::eventually("the turn", async || {
        let state = ada.get(&queue).await.json();
        if state["status"] == "ACTIVE" { Ok(()) } else { Err(state) }
    })
    .await;
    let schedule = format!("/schedules/{}", concert.schedule_id);
    let map = expect(&ada, "GET", &schedule, Value::Null, 200).await.json();
    let cursor = map["cursor"].as_str().unwrap();
    expect(&ada, "GET", &format!("{schedule}/changes?since={cursor}"), Value::Null, 200).await;
    let seat = &map["seats"][0]["id"];
    let holds = format!("{schedule}/reservations");
    expect(&ada, "POST", &holds, json!({ "seat_ids": [] }), 422).await;
    let hold = expect(&ada, "POST", &holds, json!({ "seat_ids": [seat] }), 201).await.json();
    let reservation = format!("/reservations/{}", hold["reservation_id"].as_str().unwrap());
    let payment = format!("{reservation}/payment");
    expect(&ada, "POST", &payment, json!({}), 402).await;
    expect(&ada, "POST", "/wallet/charges", json!({ "amount": 1_000_000 }), 201).await;
    let paid = expect(&ada, "POST", &payment, json!({}), 201).await.json();
    let ticket = format!("/tickets/{}", paid["tickets"][0].as_str().unwrap());
    for path in ["/reservations", &reservation, "/tickets", &ticket, "/wallet", "/account"] {
        expect(&ada, "GET", path, Value::Null, 200).await;
    }
    expect(&ada, "GET", &format!("{ticket}.pdf"), Value::Null, 200).await;
    expect(&ada, "POST", &format!("{reservation}/cancellation"), json!({}), 200).await;
    let bob = office.sign_in("bob").await;
    let transfer =
        json!({ "to": crate::support::email_of(&office.db, bob.account_id).await, "amount": 5 });
    let sent = expect(&ada, "POST", "/wallet/transfers", transfer, 201).await.json();
    let sent = format!("/wallet/transfers/{}", sent["transfer_id"].as_str().unwrap());
    expect(&bob, "POST", &format!("{sent}/acceptance"), json!({}), 200).await;
    expect(&bob, "POST", &format!("{sent}/acceptance"), json!({}), 409).await;
    expect(&ada, "POST", "/logout", json!({}), 204).await;
    expect(&ada, "GET", "/wallet", Value::Null, 401).await;
    office.close().await;
}

/// Sends a request as a program, and fails unless it is answered with `status` and as described.
async fn expect(person: &Person, method: &str, path: &str, body: Value, status: u16) -> Answer {
    let method: Method = method.parse().unwrap();
    let request = person.asks(method.clone(), path, "application/json");
    let request = if body.is_null() { request } else { request.json(&body) };
    let answer = person.send(request).await;
    assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
    let path = path.split('?').next().unwrap();
    compare(&method, path, &answer).unwrap();
    answer
}

#[sqlx::test]
async fn an_answer_that_is_not_described_is_noticed(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let wallet = ada.get("/wallet").await;
    let compared = |answer: &Answer| compare(&Method::GET, "/wallet", answer);
    compared(&wallet).unwrap();
    let mut odd = wallet.clone();
    odd.status = 418;
    assert!(compared(&odd).unwrap_err().contains("418"));
    let mut odd = wallet.clone();
    odd.headers.insert("content-type", "text/csv".parse().unwrap());
    assert!(compared(&odd).unwrap_err().contains("text/csv"));
    let mut odd = wallet.clone();
    odd.body = odd.body.replace("\"balance\":0", "\"balance\":\"none\"");
    assert!(compared(&odd).unwrap_err().contains("none"));
    let mut odd = wallet.clone();
    odd.body = odd.body.replace("\"balance\"", "\"amount\"");
    assert!(compared(&odd).unwrap_err().contains("balance"));
    let refused = ada.get("/wallet/transfers/00000000-0000-0000-0000-000000000000").await;
    let path = "/wallet/transfers/00000000-0000-0000-0000-000000000000";
    compare(&Method::GET, path, &refused).unwrap();
    let mut odd = refused.clone();
    odd.body = odd.body.replace("not-found", "not-known");
    assert!(compare(&Method::GET, path, &odd).is_err());
    office.close().await;
}

#[sqlx::test]
async fn people_read_the_reference_on_pages_in_their_language(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let page = stranger.visit("/api").await;
    assert_eq!(page.status, 200, "{}", page.body);
    let groups = DOCUMENT["tags"].as_array().unwrap();
    assert!(groups.len() > 10);
    for group in groups {
        let path = format!("/api/{}", group["name"].as_str().unwrap());
        assert!(page.has(&format!("a[href='{path}']")), "{path}");
        assert_eq!(stranger.visit(&path).await.status, 200, "{path}");
    }
    for (operation, described) in operations() {
        let (group, id) = (&described["tags"][0], &described["operationId"]);
        let link = format!("/api/{}#{}", group.as_str().unwrap(), id.as_str().unwrap());
        assert!(page.has(&format!("a[href='{link}']")), "{operation}");
    }
    let page = stranger.visit("/api/seats").await;
    for text in [
        "seat-unavailable",
        "Someone was a moment faster",
        "seat_ids, alternatives",
        "curl -H",
        "expires_at",
        "Holds seats",
    ] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    let request = stranger.asks(Method::GET, "/api/queue", "text/html");
    let page = stranger.send(request.header("accept-language", "ko")).await;
    assert!(page.body.contains("대기열"), "{}", page.body);
    assert_eq!(stranger.visit("/api/unknown").await.status, 404);
    office.close().await;
}
