//! What a buyer pays for a place on return: what its seller was paid for, whatever else makes an order cheaper.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{CHARGED, Market, PRICE, id_of, pay};
use crate::support::{
    Answer, ConcertOptions, Person, agree_on, ledger::balance, read_one, run_sql,
};

/// The price of a place of the zone.
const PLACE: i64 = 30_000;

impl Market {
    /// Makes a price type at half the price, and returns the id of its terms.
    async fn child(&self, admin: &Person) -> Uuid {
        let path = format!("/admin/schedules/{}/price-types", self.concert.schedule_id);
        let version = admin.get(&path).await.json()["schedule"]["version"].clone();
        let form = json!({ "version": version, "name": "Child", "percent": 50 });
        let made = admin.post_json(&path, &form).await;
        assert_eq!(made.status, 200, "{}", made.body);
        read_one(&self.office.db, "select id from price_types where withdrawn_at is null").await
    }

    pub(super) async fn make_code(&self, admin: &Person, code: &str, mut terms: Value) {
        terms["code"] = json!(code);
        let path = format!("/admin/programs/{}/codes", self.concert.program_id);
        let made = admin.post_json(&path, &terms).await;
        assert_eq!(made.status, 201, "{}", made.body);
    }

    pub(super) async fn order(&self, buyer: &Person, order: &Value) -> Answer {
        let path = format!("/schedules/{}/reservations", self.concert.schedule_id);
        buyer.post_json(&path, order).await
    }

    /// Gives back what a buyer holds.
    pub(super) async fn release(&self, buyer: &Person, held: &Answer) {
        assert_eq!(held.status, 201, "{}", held.body);
        let id = id_of(&held.json(), "reservation_id");
        let released = buyer.post(&format!("/reservations/{id}/cancellation"), &()).await;
        assert_eq!(released.status, 200, "{}", released.body);
    }
}

fn refused(answer: &Answer, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (409, code), "{}", answer.body);
}

#[sqlx::test]
async fn no_price_type_makes_a_seat_on_return_cheaper(db: PgPool) {
    let market = Market::open(&db, 10).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    let child = market.child(&admin).await;
    market.put_on_sale(0).await;
    let [returned, free] = [concert.seat_ids[0], concert.seat_ids[2]];
    let map = bob.get(&format!("/schedules/{}", concert.schedule_id)).await.json();
    let on_return = |id: i64| {
        let seats = map["seats"].as_array().unwrap();
        seats.iter().find(|seat| seat["id"] == json!(id)).unwrap()["on_return"].clone()
    };
    assert_eq!((on_return(returned), on_return(free)), (json!(true), Value::Null));

    let cheap = json!({ "seat_ids": [returned], "seat_types": [format!("{returned}:{child}")] });
    let cheap = market.order(bob, &cheap).await;
    refused(&cheap, "price-type-on-return");
    assert_eq!(cheap.json()["seat_ids"], json!([returned]));
    let form = [("seat_ids", returned.to_string()), ("seat_types", format!("{returned}:{child}"))];
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let page = bob.submit(&path, &form).await;
    assert!(page.status == 409 && page.body.contains("isn&#39;t sold as Child"), "{}", page.body);

    // The best seats with the type are others.
    let best = market.order(bob, &json!({ "best": 1, "quantities": [format!("{child}:1")] })).await;
    assert_ne!(best.json()["items"][0]["seat_id"], json!(returned), "{}", best.body);
    assert_eq!(best.json()["total"], PRICE / 2);
    market.release(bob, &best).await;

    let both = json!({ "seat_ids": [returned, free], "seat_types": [format!("{free}:{child}")] });
    let both = market.order(bob, &both).await;
    assert_eq!((both.status, &both.json()["total"]), (201, &json!(PRICE + PRICE / 2)));
    office.verify().await;
    let paid = pay(bob, id_of(&both.json(), "reservation_id")).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(balance(&db, bob.account_id).await, CHARGED - PRICE - PRICE / 2);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED - 2 * PRICE + PRICE / 10 * 9);
    market.office.close().await;
}

#[sqlx::test]
async fn types_of_which_only_seats_on_return_are_left_are_refused_for_what_they_are(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, concert, bob, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    let child = market.child(&admin).await;
    market.put_on_sale(0).await;
    let rest = "update schedule_seats set status = 'BLOCKED'
                where status = 'AVAILABLE' and return_id is null";
    run_sql(&db, rest).await;
    let best = market.order(bob, &json!({ "best": 1, "quantities": [format!("{child}:1")] })).await;
    refused(&best, "price-type-on-return");
    assert_eq!(best.json()["seat_ids"], json!([concert.seat_ids[0]]));
    let ordinary = market.order(bob, &json!({ "best": 1 })).await;
    assert_eq!(ordinary.json()["total"], PRICE, "{}", ordinary.body);
    market.office.close().await;
}

#[sqlx::test]
async fn a_code_takes_nothing_off_a_seat_on_return(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    market.make_code(&admin, "HALF", json!({ "percent": 50, "places_max": 2 })).await;
    market.make_code(&admin, "GIFT", json!({ "amount": 1_000_000 })).await;
    market.put_on_sale(0).await;
    let [returned, free] = [concert.seat_ids[0], concert.seat_ids[2]];
    for code in ["HALF", "GIFT"] {
        let alone = market.order(bob, &json!({ "seat_ids": [returned], "code": code })).await;
        refused(&alone, "code-on-return");
    }
    let form = [("seat_ids", returned.to_string()), ("code", "HALF".to_owned())];
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let page = bob.submit(&path, &form).await;
    assert!(page.status == 409 && page.body.contains("Reserve without the code"), "{}", page.body);

    // Neither a shown version nor shown terms say which places stay as they are, so the order names
    // the total.
    let code: Uuid = read_one(&db, "select id from sale_codes where word = 'HALF'").await;
    let seats = json!([returned, free]);
    let shown = json!({ "seat_ids": seats, "code": "HALF", "code_id": code, "price_version": 9 });
    let shown = market.order(bob, &shown).await;
    refused(&shown, "price-changed");
    assert_eq!(shown.json()["total"], PRICE + PRICE / 2);
    for (code, total) in [("GIFT", PRICE), ("HALF", PRICE + PRICE / 2)] {
        let order = json!({ "seat_ids": seats, "code": code, "total": total });
        let held = market.order(bob, &order).await;
        assert_eq!((held.status, &held.json()["total"]), (201, &json!(total)), "{}", held.body);
        if code == "GIFT" {
            market.release(bob, &held).await;
            continue;
        }
        let places = "select places from sale_codes where word = 'HALF'";
        assert_eq!(read_one::<i32>(&db, places).await, 1, "the other one is none of its places");
        office.verify().await;
        assert_eq!(pay(bob, id_of(&held.json(), "reservation_id")).await.status, 201);
    }
    assert_eq!(balance(&db, bob.account_id).await, CHARGED - PRICE - PRICE / 2);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED - PRICE);
    // The best seats with a code are the ones that it makes cheaper.
    let bob = &market.enter(bob).await;
    market.put_on_sale(1).await;
    let best = market.order(bob, &json!({ "best": 1, "code": "GIFT" })).await;
    assert_eq!((best.status, &best.json()["total"]), (201, &json!(0)), "{}", best.body);
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn places_of_a_zone_on_return_go_at_the_ordinary_price_alone(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 0, 2).await;
    let Market { office, concert, bob, .. } = &market;
    let admin = office.employ("admin", "ADMIN").await;
    let child = market.child(&admin).await;
    market.make_code(&admin, "HALF", json!({ "percent": 50 })).await;
    // One place of the house is left, and one that is on return at what it cost then.
    run_sql(&db, "update zones set remaining = 1, capacity = 3, price = 40000").await;
    market.put_on_sale(0).await;
    let order = async |quantities: &[String], code: Option<&str>| {
        let mut order = json!({ "zone_id": concert.zone_id, "quantities": quantities });
        if let Some(code) = code {
            order["code"] = json!(code);
        }
        market.order(bob, &order).await
    };
    let children = |n: i32| format!("{child}:{n}");
    let ordinary = |n: i32| format!("ordinary:{n}");
    refused(&order(&[children(2)], None).await, "price-type-on-return");
    refused(&order(&[children(2), ordinary(1)], None).await, "sold-out");
    let both = order(&[children(1), ordinary(1)], None).await;
    assert_eq!(
        (both.status, &both.json()["total"]),
        (201, &json!(20_000 + PLACE)),
        "{}",
        both.body
    );
    office.verify_database().await;
    market.release(bob, &both).await;
    let coded = order(&[ordinary(2)], Some("HALF")).await;
    assert_eq!(coded.json()["total"], 20_000 + PLACE, "{}", coded.body);
    market.release(bob, &coded).await;
    // The shown price of one place is not that of the place on return.
    let shown = json!({ "zone_id": concert.zone_id, "quantities": [children(1), ordinary(1)],
        "unit_price": 40_000 });
    let shown = market.order(bob, &shown).await;
    refused(&shown, "price-changed");
    assert_eq!(shown.json()["total"], 20_000 + PLACE);

    // Only the place on return is left.
    run_sql(&db, "update zones set remaining = 1, capacity = 2").await;
    let typed = order(&[children(1)], None).await;
    refused(&typed, "price-type-on-return");
    refused(&order(&[ordinary(1)], Some("HALF")).await, "code-on-return");
    let page = bob.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    // The form of the best seats has types; that of the zone has none.
    assert!(page.has(".best [name='quantities']") && page.has(".zone__form [name='quantity']"));
    assert!(!page.has(".zone__form [name='quantities']"), "{}", page.body);
    let ordinary = order(&[ordinary(1)], None).await;
    assert_eq!((ordinary.status, &ordinary.json()["total"]), (201, &json!(PLACE)));
    assert_eq!(pay(bob, id_of(&ordinary.json(), "reservation_id")).await.status, 201);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn what_was_sold_on_is_out_of_what_a_step_gives(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { concert, ada, bob, bought, .. } = &market;
    agree_on(&db, bought.reservation_id, 50, 100).await;
    market.put_on_sale(0).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(pay(bob, reservation).await.status, 201);
    let page = ada.visit(&format!("/reservations/{}", bought.reservation_id)).await;
    assert!(page.body.contains("24,900"), "{}", page.body);
    let refunded =
        ada.post(&format!("/reservations/{}/cancellation", bought.reservation_id), &()).await;
    assert_eq!(refunded.json()["refunded"], PRICE / 2 - 100, "{}", refunded.body);
    market.office.close().await;
}
