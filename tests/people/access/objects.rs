//! Every object in the URL table, asked for by every account that it does not belong to: the paths
//! are filled with the ids of things that exist.

use actix_web::http::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{
    Door, example,
    house::{House, ask, made, operations, state},
};
use crate::support::{Answer, Person};

/// Beginnings of the paths of things that belong to one account, or to two.
const OWNED: [&str; 10] = [
    "/account/sessions/{id}/",
    "/reservations/{id}",
    "/tickets/{code}",
    "/returns/{id}",
    "/hand-overs/{id}",
    "/wishes/{id}/",
    "/exchanges/{id}/",
    "/receipts/{number}",
    "/wallet/charges/{id}",
    "/wallet/transfers/{id}",
];

/// What an answer tells of an object: all but the request's own id.
fn told(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.json())
}

#[sqlx::test]
async fn what_belongs_to_somebody_does_not_exist_for_anybody_else(db: PgPool) {
    let house = House::open(db.clone()).await;
    let (bob, staff) =
        (house.office.sign_in("bob").await, house.office.employ("door", "STAFF").await);
    let (mut asked, before) = (0, state(&db).await);
    for (pattern, door, method) in operations() {
        if door != Door::Account || !OWNED.iter().any(|begin| pattern.starts_with(begin)) {
            continue;
        }
        let (real, none) = (house.real(pattern), example(pattern));
        for person in [&bob, &staff, &house.admin] {
            let case = format!("{method} {real}");
            let (answer, nothing) =
                (ask(person, &method, &real, None).await, ask(person, &method, &none, None).await);
            assert!(answer.status == 404 || answer.status == 422, "{case}: {}", answer.body);
            assert_eq!(told(&answer), told(&nothing), "{case}: it tells that it exists");
            asked += 1;
        }
    }
    assert!(asked > 80, "{asked} were asked");
    assert_eq!(state(&db).await, before, "nothing of it has changed");
    let own = house.real("/reservations/{id}");
    assert_eq!(house.ada.get(&own).await.status, 200, "it is there for its owner");
    house.office.verify_database().await;
    house.office.close_as_it_is().await;
}

#[sqlx::test]
async fn no_object_opens_a_door_that_is_not_theirs(db: PgPool) {
    let house = House::open(db.clone()).await;
    let office = &house.office;
    let (bob, staff) = (office.sign_in("bob").await, office.employ("door", "STAFF").await);
    let stranger = office.stranger();
    let locked = office.sign_in("locked").await;
    let path = format!("/admin/people/{}/lock", locked.account_id);
    assert_eq!(house.admin.post(&path, &[("reason", "a test")]).await.status, 200);
    let deleted = office.sign_in("deleted").await;
    let token = deleted.cookie("session").unwrap();
    let gone = deleted.post("/account/deletion", &[("points", 0)]).await;
    assert_eq!(gone.status, 200, "{}", gone.body);
    deleted.set_cookie("session", &token);
    let before = state(&db).await;
    for (pattern, door, method) in operations() {
        let path = house.real(pattern);
        for nobody in [&stranger, &locked, &deleted] {
            let answer = ask(nobody, &method, &path, None).await;
            assert_eq!(answer.code(), "login-required", "{method} {path}: {}", answer.body);
        }
        let refused: &[&Person] = match door {
            Door::Admin => &[&bob, &staff],
            Door::Staff => &[&bob],
            _ => &[],
        };
        for person in refused {
            let answer = ask(person, &method, &path, None).await;
            assert_eq!(answer.code(), "forbidden", "{method} {path}: {}", answer.body);
        }
    }
    assert_eq!(state(&db).await, before, "nothing has changed");
    office.verify_database().await;
    house.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_key_opens_the_paths_of_its_scope_and_no_others(db: PgPool) {
    let house = House::open(db.clone()).await;
    let mut keys = Vec::new();
    for scope in ["programs:read", "programs:write"] {
        let form = json!({ "name": "A calendar", "scopes": [scope] });
        keys.push(made(&house.admin.post_json("/admin/api-keys", &form).await, "key"));
    }
    let (reader, writer) = (keys[0].as_str(), keys[1].as_str());
    let (nobody, before) = (house.office.stranger(), state(&db).await);
    for (pattern, door, method) in operations() {
        let path = house.real(pattern);
        // What the other key is for is tried elsewhere.
        let key = if method == Method::GET { writer } else { reader };
        let answer = ask(&nobody, &method, &path, Some(key)).await;
        let (status, code) = (answer.status, answer.code());
        let is_of_programs = door == Door::Admin
            && ["/admin/programs", "/admin/schedules"]
                .iter()
                .any(|begin| pattern.starts_with(begin));
        assert!(
            (status, code.as_str()) == (401, "login-required")
                || is_of_programs && (status, code.as_str()) == (403, "api-key-scope"),
            "{method} {path}: {status} {}",
            answer.body
        );
    }
    assert_eq!(state(&db).await, before, "nothing has changed");
    house.office.verify_database().await;
    house.office.close_as_it_is().await;
}

/// A link that is followed, and a page that another page loads, change nothing.
#[sqlx::test]
async fn no_change_is_made_by_reading(db: PgPool) {
    let house = House::open(db.clone()).await;
    let before = state(&db).await;
    for (pattern, _, method) in operations() {
        let path = house.real(pattern);
        for person in [&house.ada, &house.admin] {
            let answer = person.visit(&path).await;
            assert!(answer.status < 500, "{path}: {}", answer.body);
            let is_read = method == Method::GET;
            assert!(!is_read || answer.status != 405, "{path}: {}", answer.body);
        }
    }
    assert_eq!(state(&db).await, before, "nothing has changed");
    house.office.verify_database().await;
    house.office.close_as_it_is().await;
}
