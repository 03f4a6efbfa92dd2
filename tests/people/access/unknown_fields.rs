//! Fields that an operation does not know: every change refuses them, and names the first.

use reqwest::{Method, RequestBuilder, multipart::Form};
use serde_json::json;
use sqlx::PgPool;
use stagedoor::routes;

use super::example;
use crate::support::{Answer, Office, Person, api_document::DOCUMENT};

const TOKEN: &str = "a token of a rehearsal, which is long enough";
const FIELD: &str = "a_field_that_is_not_known";
/// Route whose body is the payment provider's.
const FOREIGN: &str = "/webhooks/stripe";

/// Sends the unknown field in every coding of bodies; one that the operation does not take at all is left out.
async fn try_all(person: &Person, ask: impl Fn() -> RequestBuilder) -> Vec<Answer> {
    let mut answers = Vec::new();
    for body in [
        ask().json(&json!({ FIELD: 1 })),
        ask().json(&json!({ FIELD: null })),
        ask().form(&[(FIELD, "1")]),
        ask().multipart(Form::new().text(FIELD, "1")),
    ] {
        answers.push(person.send(body).await);
    }
    answers.retain(|answer| answer.status != 415);
    answers
}

#[sqlx::test]
async fn every_change_refuses_a_field_that_it_does_not_know_and_names_it(db: PgPool) {
    let office = Office::open_with(db, 1, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let mut n_changes = 0;
    for path in routes::all() {
        let pattern = path.pattern();
        for method in path.methods().filter(|method| !method.is_safe()) {
            if pattern == FOREIGN {
                continue;
            }
            let (path, case) = (example(pattern), format!("{method} {pattern}"));
            let method: Method = method.as_str().parse().unwrap();
            let ask = || {
                let request = admin.asks(method.clone(), &path, "application/json");
                match pattern.starts_with("/rehearsal/") {
                    true => request.bearer_auth(TOKEN),
                    false => request,
                }
            };
            let answers = try_all(&admin, ask).await;
            assert!(!answers.is_empty(), "{case} takes no body at all");
            for answer in answers {
                let told = (answer.status, answer.code());
                assert_eq!(told, (422, "invalid".to_owned()), "{case}: {}", answer.body);
                assert!(answer.json()["fields"][FIELD].is_string(), "{case}: {}", answer.body);
            }
            n_changes += 1;
        }
    }
    assert!(n_changes > 100, "only {n_changes} changes were tried");
    office.close().await;
}

#[sqlx::test]
async fn a_page_says_which_field_is_not_known(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let page = ada.submit("/account/name", &[("name", "Ada"), ("nickname", "<b>A</b>")]).await;
    assert_eq!(page.status, 422);
    assert!(page.body.contains("nickname"), "{}", page.body);
    assert_eq!(ada.submit("/account/name", &[("name", "Ada L.")]).await.status, 303);
    office.close().await;
}

#[test]
fn the_api_reference_says_that_bodies_have_no_other_fields() {
    let mut n_bodies = 0;
    for (path, operations) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let contents = operation["requestBody"]["content"].as_object();
            for (media_type, content) in contents.into_iter().flatten() {
                let schema = &content["schema"];
                if path == FOREIGN {
                    continue;
                }
                assert_eq!(
                    schema["additionalProperties"],
                    json!(false),
                    "{method} {path} {media_type}: {schema}"
                );
                n_bodies += 1;
            }
        }
    }
    assert!(n_bodies > 80, "only {n_bodies} bodies were found");
}
