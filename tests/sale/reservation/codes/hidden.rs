//! Hidden sections and zones: seen and held by those only to whom a code has opened them.

use super::{super::edit, *};
use crate::support::{acts, count, read_all, storm};

/// Row B is a section of its own, VIP, which is hidden like the zone; the code opens the section.
pub(super) async fn with_hidden(db: &PgPool) -> (Office, Concert, Uuid) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(db).await;
    run_sql(db, "update seats set section = 'VIP' where row_label = 'B'").await;
    let access = json!({ "access": true, "section": "VIP", "uses_max": 50 });
    let id = make_code(&office, &concert, "INVITED", access).await;
    for section in ["VIP", "Standing"] {
        hide(&office, &concert, section, "hide").await;
    }
    (office, concert, id)
}

pub(super) async fn hide(office: &Office, concert: &Concert, section: &str, act: &str) {
    let form = json!({ "section": section, "act": act });
    edit(office, concert, "hidden-sections", form).await;
}

pub(super) async fn redeem(person: &Person, concert: &Concert, code: &str) -> Answer {
    let path = format!("/programs/{}/code-redemptions", concert.slug);
    person.post(&path, &[("code", code)]).await
}

pub(super) fn seat_ids(map: &Value) -> Vec<i64> {
    map["seats"].as_array().unwrap().iter().map(|seat| seat["id"].as_i64().unwrap()).collect()
}

#[sqlx::test]
async fn nobody_meets_what_is_hidden(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let map = ada.get(&path).await.json();
    assert_eq!(seat_ids(&map).len(), 10, "{map}");
    assert_eq!(map["zones"], json!([]));
    let page = ada.visit(&path).await;
    assert!(!page.body.contains("VIP") && !page.body.contains("Standing"), "{}", page.body);
    let everything = ada.get(&format!("{path}/changes?since=0")).await.json();
    assert_eq!((seat_ids(&everything).len(), &everything["zones"]), (10, &json!([])));
    let program = ada.get(&format!("/programs/{}", concert.slug)).await.json();
    assert_eq!(program["schedules"][0]["free"], 10, "{program}");

    // As what does not exist, however it is asked for.
    for seat in [10, 19] {
        let answer = order(&ada, &concert, json!({ "seat_ids": [concert.seat_ids[seat]] })).await;
        refused(&answer, 422, "invalid");
        assert!(answer.json()["fields"]["seat_ids"].is_string(), "{}", answer.body);
    }
    let answer = order(&ada, &concert, json!({ "zone_id": concert.zone_id, "quantity": 1 })).await;
    refused(&answer, 422, "invalid");
    let best = order(&ada, &concert, json!({ "best": 1, "section": "VIP" })).await;
    refused(&best, 409, "sold-out");
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    assert_eq!(order(&ada, &concert, json!({ "best": 8 })).await.status, 201);
    refused(&order(&ada, &concert, json!({ "best": 3 })).await, 409, "sold-out");
    // Nor is it an alternative to what is taken.
    let taken = order(&bob, &concert, json!({ "seat_ids": &concert.seat_ids[..4] })).await;
    refused(&taken, 409, "seat-unavailable");
    assert_eq!(taken.json()["alternatives"], json!([]), "{}", taken.body);
    office.close().await;
}

#[sqlx::test]
async fn whoever_redeemed_its_code_sees_and_holds_it(db: PgPool) {
    let (office, concert, id) = with_hidden(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    let redeemed = redeem(&ada, &concert, "invited").await;
    assert_eq!(
        (redeemed.status, &redeemed.json()["section"]),
        (201, &json!("VIP")),
        "{}",
        redeemed.body
    );
    assert_eq!(redeem(&ada, &concert, "invited").await.status, 201);
    assert_eq!(uses(&db, id).await, 1, "once for each account");

    let path = format!("/schedules/{}", concert.schedule_id);
    let map = ada.get(&path).await.json();
    assert_eq!(seat_ids(&map).len(), 20, "{map}");
    assert_eq!(map["zones"], json!([]), "the zone is not of the code");
    assert!(map["seats"].as_array().unwrap().iter().all(|seat| seat["status"] == "AVAILABLE"));
    assert!(ada.visit(&path).await.body.contains("VIP"));
    assert!(!bob.visit(&path).await.body.contains("VIP"));

    let seat = json!({ "seat_ids": [concert.seat_ids[12]] });
    refused(&order(&bob, &concert, seat.clone()).await, 422, "invalid");
    let held = order(&ada, &concert, seat.clone()).await;
    assert_eq!(held.status, 201, "{}", held.body);
    refused(&order(&bob, &concert, seat.clone()).await, 422, "invalid");
    assert_eq!(seat_ids(&bob.get(&path).await.json()).len(), 10);
    let cancellation =
        format!("/reservations/{}/cancellation", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&cancellation, &()).await.status, 200);
    let status = "select status from schedule_seats where id = $1";
    assert_eq!(read_one_with::<String>(&db, status, concert.seat_ids[12]).await, "HIDDEN");
    refused(&order(&bob, &concert, seat.clone()).await, 422, "invalid");
    let held = order(&ada, &concert, seat).await;
    assert_eq!(held.status, 201, "{}", held.body);
    office.verify().await;

    let data = ada.get("/account/data.json").await.json();
    assert_eq!(data["code_redemptions"]["rows"][0]["code"], "INVITED");
    // Withdrawn, it opens nothing more, and what is held stays so.
    run_sql(&db, "update sale_codes set withdrawn_at = clock_timestamp()").await;
    let another = json!({ "seat_ids": [concert.seat_ids[13]] });
    refused(&order(&ada, &concert, another.clone()).await, 422, "invalid");
    // Shown again, it is open to all.
    hide(&office, &concert, "VIP", "show").await;
    assert_eq!(order(&bob, &concert, another).await.status, 201);
    assert_eq!(seat_ids(&bob.get(&path).await.json()).len(), 20);
    assert!(acts(&db).await.ends_with(&["section-shown".to_owned()]));
    office.close().await;
}

#[sqlx::test]
async fn a_hidden_zone_is_opened_by_its_name(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    make_code(&office, &concert, "FLOOR", json!({ "access": true, "section": "Standing" })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    assert_eq!(redeem(&ada, &concert, "FLOOR").await.status, 201);
    let places = json!({ "zone_id": concert.zone_id, "quantity": 2 });
    assert_eq!(order(&ada, &concert, places.clone()).await.status, 201);
    refused(&order(&bob, &concert, places).await, 422, "invalid");
    let map = ada.get(&format!("/schedules/{}", concert.schedule_id)).await.json();
    assert_eq!(map["zones"][0]["remaining"], 98, "{map}");
    office.close().await;
}

#[sqlx::test]
async fn a_code_is_redeemed_as_often_as_it_may_be_and_odd_ones_are_refused(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let another = Concert::usual(&db).await;
    make_code(&office, &another, "THEIRS", json!({ "access": true, "section": "Stalls" })).await;
    make_code(&office, &concert, "TEN", json!({ "percent": 10 })).await;
    let once = json!({ "access": true, "section": "VIP", "uses_max": 1 });
    let id = make_code(&office, &concert, "ONE", once).await;
    let over = json!({ "access": true, "section": "VIP", "valid_until": "2020-01-01T00:00" });
    make_code(&office, &concert, "BEFORE", over).await;
    let people = office.crowd(100, "ada").await;
    admit(&db, &concert, &people[..1]).await;
    for (code, status, problem) in [
        ("NOBODYS", 422, "code-unknown"),
        ("THEIRS", 422, "code-unknown"),
        ("TEN", 422, "code-unknown"),
        ("BEFORE", 410, "code-over"),
        ("no blanks", 422, "invalid"),
    ] {
        refused(&redeem(&people[0], &concert, code).await, status, problem);
    }
    let answers = storm(people.iter().map(|person| {
        let (person, concert) = (person.clone(), concert.clone());
        async move { redeem(&person, &concert, "ONE").await }
    }))
    .await;
    assert_eq!((count(&answers, 201, ""), count(&answers, 409, "code-used-up")), (1, 99));
    assert_eq!(uses(&db, id).await, 1);
    // An access code takes nothing off an order.
    refused(&hold_with(&people[0], &concert, 0, "INVITED").await, 422, "code-unknown");
    office.close().await;
}

#[sqlx::test]
async fn the_waiting_list_offers_nothing_hidden(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    assert_eq!(redeem(&ada, &concert, "INVITED").await.status, 201);
    assert_eq!(
        order(&ada, &concert, json!({ "seat_ids": &concert.seat_ids[..8] })).await.status,
        201
    );
    assert_eq!(
        order(&ada, &concert, json!({ "seat_ids": &concert.seat_ids[8..10] })).await.status,
        201
    );
    let hidden = order(&ada, &concert, json!({ "seat_ids": [concert.seat_ids[11]] })).await;
    assert_eq!(hidden.status, 201, "{}", hidden.body);
    let path = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let wish = json!({ "places": 1, "request_key": Uuid::now_v7() });
    let wished = bob.post_json(&path, &wish).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    let cancellation =
        format!("/reservations/{}/cancellation", hidden.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&cancellation, &()).await.status, 200);
    let offered = "select count(*) from reservations where wish_id is not null";
    assert_eq!(read_one::<i64>(&db, offered).await, 0, "what is hidden is not offered");
    hide(&office, &concert, "VIP", "show").await;
    assert_eq!(read_one::<i64>(&db, offered).await, 1, "shown again, it is");
    let statuses: Vec<String> =
        read_all(&db, "select distinct status from schedule_seats order by 1").await;
    assert_eq!(statuses, ["AVAILABLE", "HELD"]);
    office.close().await;
}
