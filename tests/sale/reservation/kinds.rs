//! Kinds of seats: wheelchair places and their companions' places, which are kept for people who
//! need them, seats without steps, and seats with a restricted view.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, hold, order_path};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, read_one, run_sql_with, storm,
};

/// Seats of one row by index, their kinds, and the wheelchair places of companions.
type Marks<'a> = &'a [(usize, &'a str, Option<usize>)];

/// Seats 0 and 3 for wheelchairs with two places of companions between them, a seat without steps, and
/// one with a restricted view.
const ROW: Marks<'static> = &[
    (0, "WHEELCHAIR", None),
    (3, "WHEELCHAIR", None),
    (1, "COMPANION", Some(0)),
    (2, "COMPANION", Some(3)),
    (4, "EASY_ACCESS", None),
    (9, "RESTRICTED_VIEW", None),
];

/// Gives seats their kinds, in the plan and at the performance.
async fn mark(db: &PgPool, concert: &Concert, marks: Marks<'_>) {
    for (idx, kind, wheelchair) in marks {
        let ids = (concert.seat_ids[*idx], wheelchair.map(|idx| concert.seat_ids[idx]));
        for statement in [
            "update seats set kind = $2, companion_of = (
                 select w.number from seats w join schedule_seats c on c.seat_id = w.id where c.id = $3)
             where id = (select seat_id from schedule_seats where id = $1)",
            "update schedule_seats set kind = $2,
                 wheelchair_seat_id = (select seat_id from schedule_seats where id = $3)
             where id = $1",
        ] {
            let query = sqlx::query(statement).bind(ids.0).bind(*kind).bind(ids.1);
            query.execute(db).await.unwrap();
        }
    }
}

/// Takes all seats but these off sale.
async fn only(db: &PgPool, concert: &Concert, idxs: &[usize]) {
    let kept: Vec<i64> = idxs.iter().map(|idx| concert.seat_ids[*idx]).collect();
    let block = "update schedule_seats set status = 'BLOCKED' where not id = any($1)";
    run_sql_with(db, block, &kept).await;
}

async fn order(person: &Person, concert: &Concert, mut order: Value) -> Answer {
    order["request_key"] = json!(Uuid::now_v7());
    person.post_json(&order_path(concert), &order).await
}

/// Orders seats and says that they are needed.
async fn hold_needed(person: &Person, concert: &Concert, seat_ids: &[i64]) -> Answer {
    order(person, concert, json!({ "seat_ids": seat_ids, "needed": true })).await
}

fn refusal(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn seat_ids(answer: &Answer) -> Vec<i64> {
    let items = answer.json()["items"].as_array().cloned().unwrap_or_default();
    items.iter().filter_map(|item| item["seat_id"].as_i64()).collect()
}

#[sqlx::test]
async fn a_companion_sits_only_where_the_wheelchair_is(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    mark(&office.db, &concert, ROW).await;
    let seats = &concert.seat_ids;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let [ada, bob] = &people[..] else { unreachable!() };

    // Beside the wheelchair place of another account it is alone as well.
    for idxs in [&seats[1..2], &[seats[1], seats[3]]] {
        let alone = hold_needed(ada, &concert, idxs).await;
        assert_eq!(refusal(&alone), (409, "companion-alone".to_owned()), "{}", alone.body);
        assert_eq!(alone.json()["seat_ids"], json!([seats[1]]));
    }
    let unsaid = hold(ada, &concert, &seats[..2]).await;
    assert_eq!(refusal(&unsaid), (409, "places-kept".to_owned()), "{}", unsaid.body);
    assert_eq!(unsaid.json()["seat_ids"], json!(seats[..2]));
    let pair = hold_needed(ada, &concert, &seats[..2]).await;
    assert_eq!(pair.status, 201, "{}", pair.body);
    assert_eq!(pair.json()["items"][1]["kind"], "COMPANION");
    let own = format!("/reservations/{}", pair.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.get(&own).await.json()["items"][0]["kind"], "WHEELCHAIR");

    // A second order of the same account adds the companion, and of no other one.
    assert_eq!(hold_needed(bob, &concert, &seats[3..4]).await.status, 201);
    assert_eq!(hold_needed(ada, &concert, &seats[2..3]).await.code(), "companion-alone");
    assert_eq!(hold_needed(bob, &concert, &seats[2..3]).await.status, 201);
    // An account that gives the wheelchair place back has it no more.
    let release = format!("{own}/cancellation");
    assert_eq!(ada.post_json(&release, &json!({})).await.status, 200);
    assert_eq!(hold_needed(ada, &concert, &seats[1..2]).await.code(), "companion-alone");
    for field in ["needed", "step_free"] {
        let odd = order(ada, &concert, json!({ "best": 1, (field): "perhaps" })).await;
        assert_eq!(refusal(&odd), (422, "invalid".to_owned()), "{}", odd.body);
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn kept_places_are_proposed_only_to_those_who_need_them(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    mark(&office.db, &concert, ROW).await;
    let seats = &concert.seat_ids;
    only(&office.db, &concert, &[0, 1, 2, 3, 4, 10]).await;
    let people = office.crowd(3, "ada").await;
    admit(&office.db, &concert, &people).await;
    let [ada, bob, cyd] = &people[..] else { unreachable!() };

    for wish in [json!({ "best": 2 }), json!({ "best": 2, "needed": true })] {
        assert_eq!(order(ada, &concert, wish).await.code(), "sold-out");
    }
    let unsaid = order(ada, &concert, json!({ "best": 2, "step_free": true })).await;
    assert_eq!(refusal(&unsaid), (409, "places-kept".to_owned()), "{}", unsaid.body);
    let easy = order(ada, &concert, json!({ "best": 1, "step_free": true })).await;
    assert_eq!(seat_ids(&easy), seats[4..5], "{}", easy.body);
    // Not the two places of companions between them, nor one beside the wrong wheelchair.
    let needed = json!({ "best": 2, "step_free": "on", "needed": "on" });
    let first = seat_ids(&order(bob, &concert, needed.clone()).await);
    assert!(first == seats[..2] || first == seats[2..4], "{first:?}");
    // Of what is refused the alternatives are of the same kinds, or ordinary.
    let other = hold_needed(ada, &concert, &first).await;
    assert_eq!(other.code(), "seat-unavailable");
    let pair = json!(if first == seats[..2] { &seats[2..4] } else { &seats[..2] });
    let offered = |answer: &Answer| answer.json()["alternatives"].as_array().unwrap().clone();
    assert_eq!(offered(&other).len(), 1, "{}", other.body);
    assert_eq!(offered(&other)[0]["seat_ids"], pair);
    assert_eq!(offered(&hold(cyd, &concert, &first).await).len(), 0);
    let ordinary = offered(&hold(cyd, &concert, &seats[4..5]).await);
    assert_eq!(ordinary.len(), 1, "{ordinary:?}");
    assert_eq!(ordinary[0]["seat_ids"], json!(seats[10..11]));

    // The pair is leased to her who was refused.
    let second = order(ada, &concert, needed.clone()).await;
    assert_eq!(json!(seat_ids(&second)), pair, "{}", second.body);
    assert_eq!(order(cyd, &concert, needed).await.code(), "sold-out");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn from_the_general_sale_on_kept_places_are_ordinary_seats(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    mark(&office.db, &concert, ROW).await;
    only(&office.db, &concert, &[0, 1, 2, 3]).await;
    let until = "update schedules set kept_until_hours = 24 * $1";
    run_sql_with(&office.db, until, 8).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let alone = hold(&people[0], &concert, &concert.seat_ids[1..2]).await;
    assert_eq!(alone.status, 201, "{}", alone.body);
    let page = people[1].visit(&format!("/schedules/{}", concert.schedule_id)).await;
    assert!(!page.has("[name='needed']"), "nobody is asked any more");
    let best = order(&people[1], &concert, json!({ "best": 2 })).await;
    assert_eq!(seat_ids(&best), concert.seat_ids[2..4], "{}", best.body);
    // A place that was sold then is no broken promise, also if the sale were to begin later.
    run_sql_with(&office.db, until, 1).await;
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_restricted_view_is_proposed_last_and_said(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    mark(&office.db, &concert, &[(4, "RESTRICTED_VIEW", None), (5, "RESTRICTED_VIEW", None)]).await;
    only(&office.db, &concert, &[4, 5, 18, 19]).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let first = order(&ada, &concert, json!({ "best": 2 })).await;
    assert_eq!(seat_ids(&first), concert.seat_ids[18..], "{}", first.body);
    assert!(first.json()["items"][0].get("kind").is_none());
    let form = [("best", "2".to_owned()), ("request_key", Uuid::now_v7().to_string())];
    let second = ada.submit(&order_path(&concert), &form).await;
    assert_eq!(second.status, 303, "{}", second.body);
    let page = ada.visit(second.location()).await;
    assert!(page.body.contains("Only seats with a restricted view were left"), "{}", page.body);
    assert!(page.body.contains("seat 5 · Restricted view"), "{}", page.body);
    let reservation = second.location().trim_end_matches("/payment");
    assert_eq!(ada.get(reservation).await.json()["items"][1]["kind"], "RESTRICTED_VIEW");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn the_map_says_what_seats_are_and_shows_those_without_steps(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    mark(&office.db, &concert, ROW).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let page = ada.visit(&path).await;
    let legend = page.texts(".legend__item").join(" | ");
    let words = ["Wheelchair space", "Companion seat", "Easy access, no steps", "Restricted view"];
    assert!(words.iter().all(|word| legend.contains(word)), "{legend}");
    assert_eq!(page.count("g.seat use.seat-kind"), ROW.len());
    let label = "Row A seat 2, Companion seat, 50,000 points, available";
    assert_eq!(page.count(&format!(".pick [aria-label='{label}']")), 1, "{}", page.body);
    assert_eq!(page.texts(".pick__kind").len(), ROW.len());
    let korean = ada.asks(Method::GET, &path, "text/html").header("accept-language", "ko");
    let korean = ada.send(korean).await;
    assert!(korean.texts(".legend__item").iter().any(|text| text == "휠체어석"), "{}", korean.body);

    let filtered = ada.visit(&format!("{path}?step_free=on")).await;
    assert_eq!(filtered.count("[name='seat_ids']"), 5);
    assert_eq!(filtered.count("g.seat"), 5);
    let map = ada.get(&path).await.json();
    let seat = |idx: usize| map["seats"][idx].clone();
    assert_eq!((&seat(2)["kind"], &seat(2)["companion_of"]), (&json!("COMPANION"), &json!(4)));
    assert!(seat(5).get("kind").is_none(), "an ordinary seat costs no byte more: {}", seat(5));

    // A refusal is confirmed with one click, and brings the wheelchair place with it.
    let key = || ("request_key", Uuid::now_v7().to_string());
    let alone = [("seat_ids", concert.seat_ids[1].to_string()), key()];
    let refused = ada.submit(&order_path(&concert), &alone).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body.contains("belongs to: Row A seat 1."), "{}", refused.body);
    assert!(refused.has("form.kept [name='needed'][required]"));
    let mut form = vec![("needed", "on".to_owned()), key()];
    for id in &concert.seat_ids[..2] {
        let sent = format!("form.kept [name='seat_ids'][value='{id}']");
        form.push(("seat_ids", refused.attribute(&sent, "value")));
    }
    let confirmed = ada.submit(&order_path(&concert), &form).await;
    assert_eq!(confirmed.status, 303, "{}", confirmed.body);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn of_a_hundred_orders_for_a_wheelchair_and_its_companion_one_gets_both(db: PgPool) {
    let office = Office::open(db).await;
    let options = ConcertOptions { seats: 10, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    mark(&office.db, &concert, ROW).await;
    let people = office.crowd(100, "ada").await;
    admit(&office.db, &concert, &people).await;
    let answers = storm(people.iter().cloned().enumerate().map(|(idx, person)| {
        let concert = concert.clone();
        async move {
            // Every third one tries the companion's place alone, and every fifth one says nothing.
            let (from, is_needed) = (usize::from(idx % 3 == 0), idx % 5 != 1);
            let wish = json!({ "seat_ids": concert.seat_ids[from..2], "needed": is_needed });
            order(&person, &concert, wish).await
        }
    }))
    .await;
    let told: BTreeSet<_> = answers.iter().map(refusal).collect();
    assert_eq!(count(&answers, 201, ""), 1, "{told:?}");
    let codes = ["", "companion-alone", "places-kept", "seat-unavailable"];
    assert!(told.iter().all(|(_, code)| codes.contains(&code.as_str())), "{told:?}");
    let both = "select count(*) = 2 and count(distinct reservation_id) = 1
        and bool_or(c.kind = 'WHEELCHAIR') from reservation_items i
        join schedule_seats c on c.id = i.schedule_seat_id where i.live";
    assert!(read_one::<bool>(&office.db, both).await, "{told:?}");
    office.verify().await;
    office.close().await;
}
