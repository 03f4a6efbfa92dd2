//! Every page that links lead to, as a buyer and as an administrator of an office that sells points for money: each amount
//! on it has its currency, or says that it is points where the wallet is the subject.

use std::collections::{BTreeSet, VecDeque};

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::give_points;
use crate::support::{
    Answer, Concert, Hold, Office, Person, StripeStandIn, admit, email_of, expect_money, hold,
    run_sql, until,
};

/// Bound on the pages of one walk.
const PAGES_MAX: usize = 400;

/// Beginnings of addresses that lead out, change what is signed in, or are no pages.
const LEFT_OUT: [&str; 7] = ["//", "/static", "/logout", "/login", "/signup", "/language", "/api"];

/// Whether points are the subject of a page: it may tell amounts in them.
fn is_of_points(path: &str) -> bool {
    [
        "/wallet",
        "/account",
        "/admin/people",
        "/admin/payouts",
        "/admin/settlement",
        "/admin/receipts",
    ]
    .iter()
    .any(|start| path.starts_with(start))
}

/// Fails where an amount on the page has no unit: a number of four digits or more is a price here, as nothing else of this
/// office is so many.
fn expect_units(path: &str, text: &str) {
    // Pages with a form for a picture say how many pixels it may have, and codes how many are made at once.
    let bounds = ["4,096", "8,192", "1,200", "Up to 1,000"];
    let text = &bounds.iter().fold(text.to_owned(), |text, bound| text.replace(bound, ""));
    if !is_of_points(path) {
        return expect_money(path, text);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let digits = word.trim_matches(|sign: char| "()−-–+,.:;".contains(sign));
        let is_bare = digits.contains(',')
            && digits.chars().all(|sign| sign.is_ascii_digit() || sign == ',')
            && digits.rsplit(',').next().is_some_and(|last| last.len() == 3);
        let unit = words.get(at + 1).copied().unwrap_or_default();
        assert!(!is_bare || unit.starts_with("point"), "{path}: {word} {unit} in {text}");
    }
}

/// Visits all pages that links lead to from `start`; returns their addresses without what comes after a question mark.
async fn walk(person: &Person, start: &str) -> BTreeSet<String> {
    let (mut seen, mut left) = (BTreeSet::new(), VecDeque::from([start.to_owned()]));
    while let Some(path) = left.pop_front() {
        assert!(seen.len() < PAGES_MAX, "the walk does not end: {seen:?}");
        if !seen.insert(path.split(['?', '#']).next().unwrap().to_owned()) {
            continue;
        }
        let page = person.visit(&path).await;
        let kind = page.headers.get("content-type").and_then(|kind| kind.to_str().ok());
        if page.status != 200 || !kind.is_some_and(|kind| kind.starts_with("text/html")) {
            assert!(page.status < 500, "{path}: {} {}", page.status, page.body);
            continue;
        }
        let mut text = page.texts("body").join(" ");
        // The head of a table says the unit of its columns.
        let heads = page.texts("thead");
        let bodies = page.texts("thead + tbody");
        for (_, body) in
            heads.iter().zip(&bodies).filter(|(head, _)| head.to_lowercase().contains("point"))
        {
            text = text.replacen(body.as_str(), "", 1);
        }
        expect_units(&path, &text);
        left.extend(
            page.attributes("a[href^='/']", "href")
                .into_iter()
                .filter(|href| !LEFT_OUT.iter().any(|start| href.starts_with(start))),
        );
    }
    seen
}

#[sqlx::test]
async fn every_amount_that_links_lead_to_has_its_unit(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office: Office = stripe.office(&db, 1).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set exchange_fee = 1000, return_fee_percent = 10").await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let admin = office.employ("admin", "ADMIN").await;
    give_points(&db, ada.account_id, 400_000).await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let bought = Hold { seat_ids: &concert.seat_ids[..4], places: 1, ..Hold::default() };
    let id = bought.write(&db, &concert, ada.account_id).await;
    let paid: Answer = ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let code = |nth: usize| paid.json()["tickets"][nth].as_str().unwrap().to_owned();
    let key = || json!({ "request_key": Uuid::now_v7() });
    // One ticket is on sale, one offered to bob, one given back, and one is to be exchanged.
    assert_eq!(ada.post_json(&format!("/tickets/{}/returns", code(0)), &key()).await.status, 201);
    let to = json!({ "to": email_of(&db, bob.account_id).await });
    assert_eq!(ada.post_json(&format!("/tickets/{}/hand-overs", code(1)), &to).await.status, 201);
    assert_eq!(ada.post_json(&format!("/tickets/{}/refund", code(2)), &key()).await.status, 201);
    let begun = json!({ "codes": [code(3)], "request_key": Uuid::now_v7() });
    let begun = ada.post_json(&format!("/reservations/{id}/exchange"), &begun).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let queue = format!("/programs/{}/queue", concert.slug);
    until("another stay", async || ada.post(&queue, &()).await.json()["status"] == "ACTIVE").await;
    let held = hold(&ada, &concert, &concert.seat_ids[6..7]).await;
    assert_eq!(held.status, 201, "{}", held.body);

    let mut seen = walk(&ada, "/").await;
    for start in ["/reservations", "/tickets", "/wallet", "/receipts", "/account"] {
        seen.extend(walk(&ada, start).await);
    }
    let of_order = format!("/reservations/{id}");
    for path in [of_order.clone(), format!("{of_order}/exchange"), format!("/tickets/{}", code(4))]
    {
        assert!(seen.contains(&path), "{path} among {seen:?}");
    }
    let staff = walk(&admin, "/admin").await;
    assert!(seen.len() > 15 && staff.len() > 30, "{seen:?} {staff:?}");
    office.close_as_it_is().await;
}
