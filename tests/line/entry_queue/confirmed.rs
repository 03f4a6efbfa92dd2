//! Programs that ask for a confirmed address before their queue is joined.

use serde_json::json;
use sqlx::PgPool;

use super::{
    crowded,
    guards::{guard, join_from, refused, solve},
    hold_numbers, join, queue_path_of,
};
use crate::support::{
    Concert, ConcertOptions, Office, Person, count, eventually, read_one, read_one_with, run_sql,
    storm, until_locks_wait,
};

const ASKED: &str = "join_confirmed_address = true";
const PASSWORD: &str = "correct otter lantern";

/// Signs up with a link that is mailed, on the way to the page `next`.
async fn sign_up(office: &Office, name: &str, next: &str) -> Person {
    let email = format!("{name}@example.com");
    let form = [("email", email.as_str()), ("name", name), ("password", PASSWORD), ("next", next)];
    let person = office.stranger();
    let signed = person.post("/signup", &form).await;
    assert_eq!(signed.status, 201, "{}", signed.body);
    person
}

/// Returns the token of the link that was mailed last.
async fn last_link(db: &PgPool) -> String {
    let last =
        "select secret from outbox where kind = 'confirm-address' order by position desc limit 1";
    read_one(db, last).await
}

/// Where the button of the link leads.
async fn confirm(office: &Office, token: String) -> String {
    let answer = office.stranger().submit("/address/confirmation", &[("token", token)]).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.location().to_owned()
}

#[sqlx::test]
async fn whoever_has_not_confirmed_is_offered_the_link_and_led_back(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let (concert, free) = (Concert::usual(&db).await, Concert::usual(&db).await);
    guard(&db, &concert, ASKED).await;
    let ada = sign_up(&office, "ada", "").await;
    let told = join(&ada, &concert).await;
    refused(&told, 403, "address-unconfirmed");
    let program = format!("/programs/{}", concert.slug);
    let page = format!("/account/address/confirmation?next=%2Fprograms%2F{}", concert.slug);
    assert_eq!(told.json()["confirmation_url"], page);
    assert_eq!(join(&ada, &free).await.status, 201, "a rule of one program");

    let pressed = ada.submit(&queue_path_of(&concert), &()).await;
    assert_eq!((pressed.status, pressed.location()), (303, page.as_str()));
    let shown = ada.visit(&page).await;
    assert!(shown.status == 200 && shown.body.contains("ada@example.com"), "{}", shown.body);
    let next = shown.attribute("main form [name=next]", "value");
    let asked = ada.submit("/account/address/confirmation", &[("next", next)]).await;
    assert_eq!((asked.status, asked.location()), (303, page.as_str()));
    assert_eq!(confirm(&office, last_link(&db).await).await, program);
    assert_eq!(ada.visit(&page).await.location(), program, "nothing is left to do there");
    assert_eq!(join(&ada, &concert).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn the_page_says_so_before_the_sale_and_the_link_of_a_sign_up_leads_back(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let coming = ConcertOptions { opens_in_secs: 3_600, ..ConcertOptions::default() };
    let concert = Concert::with(&db, coming).await;
    guard(&db, &concert, ASKED).await;
    let path = format!("/programs/{}", concert.slug);
    let stranger = office.stranger();
    assert!(stranger.visit(&path).await.body.contains("confirmed email address"));
    assert_eq!(stranger.get(&path).await.json()["needs_confirmed_address"], true);
    let ada = sign_up(&office, "ada", &path).await;
    let link = "a[href^='/account/address/confirmation?next=']";
    assert!(ada.visit(&path).await.has(link));
    assert_eq!(confirm(&office, last_link(&db).await).await, path);
    eventually("a page without the link", async || {
        let page = ada.visit(&path).await;
        if page.has(link) { Err(page.body) } else { Ok(()) }
    })
    .await;
    // A link leads to no other site.
    for foreign in ["https://evil.example", "//evil.example"] {
        run_sql(&db, "update accounts set email_confirmed_at = null").await;
        let form = [("next", foreign)];
        let asked = ada.submit("/account/address/confirmation", &form).await;
        assert_eq!(asked.location(), "/account/address/confirmation?next=%2F", "{foreign}");
        assert_eq!(confirm(&office, last_link(&db).await).await, "/");
    }
    office.close().await;
}

#[sqlx::test]
async fn who_is_in_line_keeps_the_place_when_it_is_switched_on(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let (first, ada) = (office.sign_in("first").await, office.sign_in("ada").await);
    assert_eq!(
        (join(&first, &concert).await.status, join(&ada, &concert).await.status),
        (201, 201)
    );
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let form = [("version", "0"), ("confirmed_address", "on")];
    assert_eq!(admin.submit(&format!("{path}/guards"), &form).await.location(), path);
    assert!(admin.visit(&path).await.has("[name=confirmed_address][checked]"));
    refused(&join(&office.sign_in("late").await, &concert).await, 403, "address-unconfirmed");
    let place = ada.get(&queue_path_of(&concert)).await.json();
    assert_eq!(
        (place["status"].as_str(), place["queue_number"].as_i64()),
        (Some("WAITING"), Some(2))
    );
    refused(&join(&ada, &concert).await, 409, "token-already-issued");
    let expected = json!([{ "guard": "CONFIRMED_ADDRESS", "refused": 1, "slowed": 0 }]);
    eventually("the count", async || {
        let told = admin.get(&path).await.json()["guard_effects"].clone();
        if told == expected { Ok(()) } else { Err(told) }
    })
    .await;
    // No browser works in vain.
    guard(&db, &concert, "join_proof_bits = 8").await;
    let bob = office.sign_in("bob").await;
    eventually("both guards", async || {
        let told = join(&bob, &concert).await;
        if told.code() == "address-unconfirmed" { Ok(()) } else { Err(told.body) }
    })
    .await;
    run_sql(&db, "update accounts set email_confirmed_at = now()").await;
    eventually("a join with work", async || {
        let work = join(&bob, &concert).await;
        refused(&work, 428, "proof-required");
        let joined = join_from(&bob, &concert, "::1", &solve(&work.json())).await;
        if joined.status == 201 { Ok(()) } else { Err(joined.body) }
    })
    .await;
    office.close().await;
}

/// What counts is the address when the request came in. It is never lost again: an address is replaced
/// only by one that is confirmed.
#[sqlx::test]
async fn a_join_beside_a_confirmation_or_a_change_of_the_address_is_decided_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let concert = Concert::usual(&db).await;
    guard(&db, &concert, ASKED).await;
    let ada = sign_up(&office, "ada", "").await;
    for (status, confirmed) in [(403, "ada@example.com"), (201, "new@example.com")] {
        if status == 201 {
            let form = [("password", PASSWORD), ("email", confirmed)];
            assert_eq!(ada.post("/account/address", &form).await.status, 202);
        }
        let hog = hold_numbers(&db, &concert).await;
        let (person, path) = (ada.clone(), queue_path_of(&concert));
        let joining = tokio::spawn(async move { person.post(&path, &()).await });
        until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
        confirm(&office, last_link(&db).await).await;
        let now: String =
            read_one(&db, "select email from accounts where email_confirmed_at is not null").await;
        assert_eq!(now, confirmed);
        hog.rollback().await.unwrap();
        let answer = joining.await.unwrap();
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn of_a_hundred_who_join_at_once_those_who_confirmed_get_the_numbers(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    guard(&db, &concert, ASKED).await;
    let people = office.crowd(100, "storm").await;
    run_sql(
        &db,
        "update accounts set email_confirmed_at = now()
         where id in (select id from accounts order by id limit 60)",
    )
    .await;
    let answers = storm(people.iter().cloned().map(|person| {
        let path = queue_path_of(&concert);
        async move { person.post(&path, &()).await }
    }))
    .await;
    assert_eq!((count(&answers, 201, ""), count(&answers, 403, "address-unconfirmed")), (60, 40));
    let strangers: i64 = read_one_with(
        &db,
        "select count(*) from queue_tokens join accounts on accounts.id = account_id
         where program_id = $1 and email_confirmed_at is null",
        concert.program_id,
    )
    .await;
    assert_eq!(strangers, 0);
    office.close().await;
}
