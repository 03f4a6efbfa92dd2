//! What a wish may be, who is passed over, and what is refused.

use serde_json::json;
use sqlx::PgPool;
use stagedoor::entry_queue::grow_logs;
use uuid::Uuid;

use super::{SoldOut, give_back};
use crate::support::{Concert, Person, hold, read_all, run_sql, run_sql_with, until};

#[sqlx::test]
async fn only_who_does_not_fit_is_passed_over(db: PgPool) {
    let house = SoldOut::with(db.clone(), 6, &[]).await;
    let [pair, cheap, standing, apart, one] =
        <[_; 5]>::try_from(house.office.crowd(5, "Wisher").await).unwrap();
    for (person, order) in [
        (&pair, json!({ "places": 2, "together": true })),
        (&cheap, json!({ "places": 1, "price_max": 30_000 })),
        (&standing, json!({ "places": 1, "section": "Standing" })),
        (&apart, json!({ "places": 2 })),
        (&one, json!({ "places": 1, "section": "Stalls" })),
    ] {
        let wished = house.wish(person, order).await;
        assert_eq!(wished.status, 201, "{}", wished.body);
    }
    let status = async |person| house.wish_of(person).await["status"].as_str().unwrap().to_owned();
    // One seat: all but the last want something else.
    house.release(0).await;
    assert_eq!(status(&one).await, "OFFERED");
    // Two that are apart; the second completes them.
    house.release(2).await;
    assert_eq!(status(&apart).await, "WAITING");
    house.release(4).await;
    assert_eq!((status(&pair).await, status(&apart).await), ("WAITING".into(), "OFFERED".into()));
    // Side by side, of which one was free before.
    house.release(1).await;
    assert_eq!(status(&pair).await, "WAITING");
    give_back(&one, house.offer_of(&one).await).await;
    assert_eq!(status(&pair).await, "OFFERED");
    // The one place of the zone fits two, of whom the first gets it.
    house.release(6).await;
    assert_eq!(
        (status(&cheap).await, status(&standing).await),
        ("OFFERED".into(), "WAITING".into())
    );
    house.office.close().await;
}

#[sqlx::test]
async fn a_wish_that_makes_no_sense_is_refused_clearly(db: PgPool) {
    let house = SoldOut::with(db.clone(), 3, &[("SEATS_PER_HOLD_MAX", "4")]).await;
    let ada = house.office.sign_in("ada").await;
    for (order, status, code) in [
        (json!({ "places": 0 }), 422, "invalid"),
        (json!({ "places": 9 }), 422, "invalid"),
        (json!({ "places": 1, "price_max": -1 }), 422, "invalid"),
        (json!({ "places": 1, "section": "Moon" }), 422, "unknown-section"),
        (json!({ "places": 5 }), 422, "too-many"),
        (json!({ "places": 4 }), 422, "more-than-exist"),
        (json!({ "places": 2, "section": "Standing" }), 422, "more-than-exist"),
        (json!({ "places": 1, "price_max": 1 }), 422, "more-than-exist"),
    ] {
        let refused = house.wish(&ada, order).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{}", refused.body);
    }
    let page = ada.visit(&house.path()).await;
    assert!(page.has("option[value='4']") && !page.has("option[value='5']"), "{}", page.body);
    let key = Uuid::now_v7();
    let order = json!({ "places": 3, "request_key": key });
    let wished = house.wish(&ada, order.clone()).await;
    assert_eq!(house.wish(&ada, order).await.json(), wished.json(), "one key is one wish");
    let again = house.wish(&ada, json!({ "places": 1 })).await;
    assert_eq!((again.status, again.code().as_str()), (409, "wished-already"), "{}", again.body);

    // What is free and not waited for is for sale.
    house.release(0).await;
    let bob = house.office.sign_in("bob").await;
    let refused = house.wish(&bob, json!({ "places": 1 })).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "places-free"), "{}", refused.body);
    let page = bob.submit(&house.path(), &[("places", "1".to_owned())]).await;
    assert_eq!(page.status, 409);
    assert!(page.body.contains("no need to wait"), "{}", page.body);
    let unknown = format!("/schedules/{}/waiting-list", Uuid::now_v7());
    assert_eq!(bob.post_json(&unknown, &json!({ "places": 1 })).await.status, 404);
    house.office.close().await;
}

#[sqlx::test]
async fn a_wish_is_taken_back_by_its_owner_alone_and_once_it_is_offered_the_offer_is_declined(
    db: PgPool,
) {
    let house = SoldOut::with(db.clone(), 2, &[]).await;
    let (ada, bob) = (house.office.sign_in("ada").await, house.office.sign_in("bob").await);
    house.wish(&ada, json!({ "places": 1 })).await;
    house.wish(&bob, json!({ "places": 1 })).await;
    let wish = house.wish_of(&ada).await["wish_id"].as_str().unwrap().to_owned();
    let path = format!("/wishes/{wish}/cancellation");
    assert_eq!(bob.post(&path, &()).await.status, 404);
    for _ in 0..2 {
        let left = ada.post(&path, &()).await;
        assert_eq!((left.status, &left.json()["status"]), (200, &json!("LEFT")), "{}", left.body);
    }
    house.release(0).await;
    let offer = house.offer_of(&bob).await;
    let wish = house.wish_of(&bob).await["wish_id"].as_str().unwrap().to_owned();
    let refused = bob.post(&format!("/wishes/{wish}/cancellation"), &()).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "wish-offered"),
        "{}",
        refused.body
    );
    assert_eq!(refused.json()["reservation_id"], offer.to_string());
    give_back(&bob, offer).await;
    let refused = bob.post(&format!("/wishes/{wish}/cancellation"), &()).await;
    assert_eq!(refused.code(), "wish-ended", "{}", refused.body);
    house.office.close().await;
}

#[sqlx::test]
async fn nobody_is_offered_more_than_the_cap_or_what_is_kept_and_nobody_who_is_locked_out(
    db: PgPool,
) {
    let house = SoldOut::with(db.clone(), 3, &[]).await;
    let (ada, bob) = (house.office.sign_in("ada").await, house.office.sign_in("bob").await);
    run_sql(&db, "update programs set places_per_account_max = 1").await;
    assert_eq!(house.wish(&ada, json!({ "places": 1 })).await.status, 201);
    // Who is locked out could not accept.
    let eve = house.office.sign_in("eve").await;
    let stalls = json!({ "places": 1, "section": "Stalls" });
    assert_eq!(house.wish(&eve, stalls.clone()).await.status, 201);
    run_sql_with(&db, "update accounts set locked_at = now() where id = $1", eve.account_id).await;
    assert_eq!(house.wish(&bob, stalls).await.status, 201);
    // Ada gets a place by herself, so that there is no room for another.
    run_sql(&db, "update zones set capacity = capacity + 1, remaining = remaining + 1, version = version + 1,
         name = 'Elsewhere'").await;
    house.let_in(std::slice::from_ref(&ada)).await;
    let order =
        json!({ "zone_id": house.concert.zone_id, "quantity": 1, "request_key": Uuid::now_v7() });
    let held = ada.post_json(&crate::support::order_path(&house.concert), &order).await;
    let is_hers = held.status == 201 || house.wish_of(&ada).await["status"] == "OFFERED";
    assert!(is_hers, "{}", held.body);
    let more = house.wish(&ada, json!({ "places": 1 })).await;
    assert_eq!(more.status, 409, "{}", more.body);
    house.release(0).await;
    house.offer_of(&bob).await;

    // A wheelchair place is not offered while it is kept.
    let cyd = house.office.sign_in("cyd").await;
    run_sql(&db, "update seats set kind = 'WHEELCHAIR' where number = 2").await;
    run_sql(
        &db,
        "update schedule_seats set kind = 'WHEELCHAIR' where id in
         (select s.id from schedule_seats s join seats v on v.id = s.seat_id where v.number = 2)",
    )
    .await;
    assert_eq!(house.wish(&cyd, json!({ "places": 1, "section": "Stalls" })).await.status, 201);
    house.release(1).await;
    assert_eq!(house.wish_of(&cyd).await["status"], "WAITING");
    house.office.close().await;
}

#[sqlx::test]
async fn the_order_is_public_and_names_nobody(db: PgPool) {
    let house = SoldOut::with(db.clone(), 1, &[]).await;
    let people = house.office.crowd(2, "Wisher").await;
    house.wish(&people[0], json!({ "places": 1, "section": "Stalls" })).await;
    house.wish(&people[1], json!({ "places": 1 })).await;
    let wish = house.wish_of(&people[1]).await["wish_id"].as_str().unwrap().to_owned();
    people[1].post(&format!("/wishes/{wish}/cancellation"), &()).await;
    house.release(0).await;
    let kinds = "select kind from queue_moves where kind like 'WISH%' order by id";
    let details = "select detail from queue_moves where kind like 'WISH%' order by id";
    let kinds = read_all::<String>(&db, kinds).await;
    assert_eq!(kinds, ["WISH_MADE", "WISH_MADE", "WISH_LEFT", "WISH_OFFERED"]);
    let schedule = house.concert.schedule_id;
    let details = read_all::<String>(&db, details).await;
    let of: serde_json::Value = serde_json::from_str(&details[0]).unwrap();
    assert_eq!(
        of,
        json!({ "schedule": schedule, "wish": 1, "places": 1, "section": "Stalls",
        "price_max": null, "together": false })
    );
    let of: serde_json::Value = serde_json::from_str(&details[3]).unwrap();
    assert_eq!(of, json!({ "schedule": schedule, "wish": 1 }));
    // A move is published after every older transaction of the server, of any database.
    let path = format!("/programs/{}/log", house.concert.slug);
    until("the page tells it", async || {
        grow_logs(&house.office.app).await.unwrap();
        people[0].visit(&path).await.body.contains("joined a waiting list")
    })
    .await;
    house.office.close().await;
}

#[sqlx::test]
async fn a_program_s_page_leads_to_the_list_of_what_is_sold_out(db: PgPool) {
    let house = SoldOut::with(db.clone(), 1, &[]).await;
    let link = format!("a[href='{}']", house.path());
    let page = house.holders[0].visit(&format!("/programs/{}", house.concert.slug)).await;
    assert!(page.has(&link), "{}", page.body);
    let other = Concert::usual(&db).await;
    let page = house.holders[0].visit(&format!("/programs/{}", other.slug)).await;
    assert!(!page.body.contains("/waiting-list"), "{}", page.body);
    // A person with a wish cannot delete the account before leaving.
    let ada = house.office.sign_in("ada").await;
    house.wish(&ada, json!({ "places": 1 })).await;
    for path in ["/account/deletion", "/reservations"] {
        let page = ada.visit(path).await;
        assert!(page.has(&link), "{}", page.body);
    }
    let seats = &house.concert.seat_ids;
    house.let_in(std::slice::from_ref(&ada)).await;
    assert_eq!(hold(&ada, &house.concert, &seats[..1]).await.code(), "seat-unavailable");
    house.office.close().await;
}

/// Saves the form of a program again with another least number of places.
async fn set_least_number(admin: &Person, concert: &Concert, least: &str) {
    let path = format!("/admin/programs/{}", concert.program_id);
    let mut form = admin.visit(&path).await.form(&format!("form[action='{path}']"));
    for (name, value) in &mut form {
        if name == "places_per_order_min" {
            least.clone_into(value);
        }
    }
    let saved = admin.post(&path, &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
}

/// What was so when a place became free is not so any more: the check reads what was so then.
#[sqlx::test]
async fn who_was_rightly_passed_over_is_so_for_ever(db: PgPool) {
    let house = SoldOut::with(db.clone(), 4, &[("TEST_EXPIRY_PERIOD_MS", "3600000")]).await;
    let admin = house.office.employ("admin", "ADMIN").await;
    let [locked, single, pair] = <[_; 3]>::try_from(house.office.crowd(3, "Wisher").await).unwrap();
    for (person, places) in [(&locked, 2), (&single, 1), (&pair, 2)] {
        let wished = house.wish(person, json!({ "places": places })).await;
        assert_eq!(wished.status, 201, "{}", wished.body);
    }
    let why = [("reason", "sold her tickets on")];
    let path = format!("/admin/people/{}", locked.account_id);
    assert_eq!(admin.post(&format!("{path}/lock"), &why).await.status, 200);
    set_least_number(&admin, &house.concert, "2").await;
    house.release(0).await;
    house.release(1).await;
    assert_eq!(house.wish_of(&pair).await["status"], "OFFERED");
    house.office.verify().await;
    // Both may have places again, of which there are none.
    set_least_number(&admin, &house.concert, "1").await;
    assert_eq!(admin.post(&format!("{path}/unlock"), &why).await.status, 200);
    house.office.verify().await;
    house.office.close().await;
}
