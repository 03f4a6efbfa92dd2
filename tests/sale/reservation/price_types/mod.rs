//! Price types: chosen for each place, compared with what was shown, kept with what was held.

mod pages;
mod renamed;
mod storms;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, order_path};
use crate::support::{Answer, Concert, Office, Person, read_all, read_one, run_sql};

/// Office with a concert, its administrator, and people who are admitted.
pub(super) struct House {
    pub(super) office: Office,
    pub(super) concert: Concert,
    pub(super) admin: Person,
    pub(super) people: Vec<Person>,
}

impl House {
    pub(super) async fn open(db: &PgPool, n_people: usize) -> Self {
        let office = Office::open(db.clone()).await;
        let concert = Concert::usual(db).await;
        let admin = office.employ("admin", "ADMIN").await;
        let people = office.crowd(n_people, "ada").await;
        admit(db, &concert, &people).await;
        Self { office, concert, admin, people }
    }

    pub(super) fn types_path(&self) -> String {
        format!("/admin/schedules/{}/price-types", self.concert.schedule_id)
    }

    async fn version(&self) -> i64 {
        self.admin.get(&self.types_path()).await.json()["schedule"]["version"].as_i64().unwrap()
    }

    /// Sends a change of the price types, made of the current edition.
    pub(super) async fn change(&self, path: &str, mut fields: Value) -> Answer {
        fields["version"] = json!(self.version().await);
        self.admin.post_json(&format!("{}{path}", self.types_path()), &fields).await
    }

    /// Makes a price type, and returns the id of its terms.
    pub(super) async fn make(&self, name: &str, mut fields: Value) -> Uuid {
        fields["name"] = json!(name);
        id_of(&self.change("", fields).await, name)
    }

    /// Replaces the terms of a price type, and returns the id of the new ones.
    pub(super) async fn replace(&self, id: Uuid, name: &str, mut fields: Value) -> Uuid {
        fields["name"] = json!(name);
        id_of(&self.change(&format!("/{id}"), fields).await, name)
    }

    pub(super) async fn order(&self, nth: usize, mut order: Value) -> Answer {
        if order.get("request_key").is_none() {
            order["request_key"] = json!(Uuid::now_v7());
        }
        self.people[nth].post_json(&order_path(&self.concert), &order).await
    }

    pub(super) fn seats(&self, numbers: std::ops::Range<usize>) -> &[i64] {
        &self.concert.seat_ids[numbers]
    }
}

fn id_of(saved: &Answer, name: &str) -> Uuid {
    assert_eq!(saved.status, 200, "{}", saved.body);
    let types = saved.json();
    let types = types["price_types"].as_array().unwrap();
    let made = types.iter().find(|each| each["name"] == name).unwrap();
    made["id"].as_str().unwrap().parse().unwrap()
}

/// Names the type of a seat, as a form does.
pub(super) fn typed(seat: i64, id: Uuid) -> String {
    format!("{seat}:{id}")
}

async fn n_reservations(db: &PgPool) -> i64 {
    read_one(db, "select count(*) from reservations").await
}

/// Prices of the items of all reservations, in their order, with the names of their types.
async fn sold(db: &PgPool) -> Vec<String> {
    let sold = "select coalesce(t.name, '-') || ' ' || i.quantity || ' x ' || i.unit_price
        from reservation_items i left join price_types t on t.id = i.price_type_id
        order by i.reservation_id, 1";
    read_all(db, sold).await
}

#[sqlx::test]
async fn each_seat_costs_what_its_type_says_and_keeps_it(db: PgPool) {
    let house = House::open(&db, 2).await;
    let child = house.make("Child", json!({ "percent": 50, "note": "Up to 12 years" })).await;
    let student = house.make("Student", json!({ "cost": "price", "price": 33_333 })).await;
    let seats = house.seats(0..4);
    let order = json!({
        "seat_ids": seats,
        "seat_types": [typed(seats[0], child), typed(seats[1], student), ""],
        "total": 25_000 + 33_333 + 2 * 50_000,
    });
    let held = house.order(0, order).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let items = held.json()["items"].clone();
    assert_eq!(items[0]["price"], 25_000, "{items}");
    assert_eq!(items[0]["price_type"]["name"], "Child", "{items}");
    assert_eq!(items[0]["price_type"]["ordinary_price"], 50_000, "{items}");
    assert!(items[3].get("price_type").is_none(), "{items}");
    // Edits and withdrawals are of what comes later.
    house.replace(child, "Kid", json!({ "cost": "free" })).await;
    let withdrawn = house.change(&format!("/{student}/withdrawal"), json!({})).await;
    assert_eq!(withdrawn.status, 200, "{}", withdrawn.body);
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    let shown = house.people[0].get(&format!("/reservations/{id}")).await.json();
    assert_eq!(shown["items"][0]["price_type"]["name"], "Child", "{shown}");
    assert_eq!((&shown["total"], &shown["items"]), (&held.json()["total"], &items));
    assert_eq!(
        sold(&db).await,
        ["- 1 x 50000", "- 1 x 50000", "Child 1 x 25000", "Student 1 x 33333"]
    );
    house.office.close().await;
}

/// Makes the second row a balcony, and the last seat of the first a place for a wheelchair.
async fn mark_seats(db: &PgPool) {
    for sql in [
        "update seats set section = 'Balcony' where row_label = 'B'",
        "update seats set kind = 'WHEELCHAIR' where row_label = 'A' and number = 10",
        "update schedule_seats c set kind = s.kind from seats s where s.id = c.seat_id",
    ] {
        run_sql(db, sql).await;
    }
}

#[sqlx::test]
async fn an_order_that_breaks_a_rule_of_its_types_is_refused_and_holds_nothing(db: PgPool) {
    let house = House::open(&db, 1).await;
    mark_seats(&db).await;
    let child = house.make("Child", json!({ "percent": 50, "beside": "ORDINARY" })).await;
    let two = house.make("Two", json!({ "percent": 90, "per_order_max": 2 })).await;
    let companion = json!({ "cost": "free", "beside": "WHEELCHAIR", "per_beside_max": 1 });
    let companion = house.make("Companion", companion).await;
    let upstairs = house.make("Upstairs", json!({ "percent": 80, "sections": "Balcony" })).await;
    let plain = house.make("Plain", json!({ "percent": 80, "kinds": ["STANDARD"] })).await;
    let gone = house.make("Gone", json!({ "percent": 80 })).await;
    house.change(&format!("/{gone}/withdrawal"), json!({})).await;
    let elsewhere = Concert::usual(&db).await;
    let other_path = format!("/admin/schedules/{}/price-types", elsewhere.schedule_id);
    let other = json!({ "version": 0, "name": "Other", "percent": 10 });
    let other = id_of(&house.admin.post_json(&other_path, &other).await, "Other");
    let s = house.seats(0..20).to_vec();
    let zone = house.concert.zone_id;
    let of = |seats: &[i64], types: &[(usize, Uuid)]| {
        let types: Vec<_> = types.iter().map(|(idx, id)| typed(s[*idx], *id)).collect();
        json!({ "seat_ids": seats, "seat_types": types, "needed": true })
    };
    let counted = |quantities: &[String]| json!({ "zone_id": zone, "quantities": quantities });
    let cases = [
        (of(&s[..2], &[(0, child), (1, child)]), 422, "price-type-without-ordinary"),
        (of(&s[..3], &[(0, two), (1, two), (2, two)]), 422, "price-type-limit"),
        (of(&s[..2], &[(0, companion)]), 422, "price-type-without-wheelchair"),
        (of(&s[7..10], &[(7, companion), (8, companion)]), 422, "price-type-without-wheelchair"),
        (of(&s[..2], &[(0, upstairs)]), 422, "price-type-elsewhere"),
        (of(&s[9..10], &[(9, plain)]), 422, "price-type-elsewhere"),
        (of(&s[..1], &[(0, gone)]), 409, "price-type-gone"),
        (of(&s[..1], &[(0, other)]), 422, "invalid"),
        (of(&s[..1], &[(0, Uuid::now_v7())]), 422, "invalid"),
        (of(&s[..1], &[(1, two)]), 422, "invalid"),
        (of(&s[..1], &[(0, two), (0, two)]), 422, "invalid"),
        (json!({ "seat_ids": &s[..1], "seat_types": "child" }), 422, "invalid"),
        (json!({ "seat_ids": &s[..2], "quantities": [format!("{two}:1")] }), 422, "invalid"),
        (counted(&[format!("{child}:1")]), 422, "price-type-without-ordinary"),
        (counted(&[format!("{two}:3")]), 422, "price-type-limit"),
        (counted(&[format!("{upstairs}:1")]), 422, "price-type-elsewhere"),
        (counted(&[format!("{gone}:1")]), 409, "price-type-gone"),
        (counted(&[format!("{two}:-1")]), 422, "invalid"),
        (counted(&["ordinary:0".to_owned()]), 422, "invalid"),
        (counted(&[format!("{two}:2147483647"), "ordinary:1".to_owned()]), 422, "invalid"),
        (
            json!({ "zone_id": zone, "quantity": 1, "quantities": format!("{two}:2") }),
            422,
            "invalid",
        ),
        (json!({ "best": 2, "quantities": format!("{gone}:1") }), 409, "price-type-gone"),
        (json!({ "best": 2, "quantities": format!("{other}:1") }), 422, "invalid"),
        (json!({ "best": 3, "quantities": format!("{two}:3") }), 422, "price-type-limit"),
        (
            json!({ "best": 2, "section": "Stalls", "quantities": format!("{upstairs}:1") }),
            422,
            "price-type-elsewhere",
        ),
    ];
    for (order, status, code) in cases {
        let refused = house.order(0, order.clone()).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{order}");
    }
    assert_eq!(n_reservations(&db).await, 0);
    // What keeps to the rules is held.
    let order = of(&s[7..10], &[(7, child), (8, companion)]);
    let held = house.order(0, order).await;
    assert_eq!((held.status, held.json()["total"].as_i64()), (201, Some(75_000)), "{}", held.body);
    house.office.close().await;
}

#[sqlx::test]
async fn places_and_the_best_seats_are_asked_for_by_type(db: PgPool) {
    let house = House::open(&db, 3).await;
    let child = house.make("Child", json!({ "percent": 50, "beside": "ORDINARY" })).await;
    let row_a = json!({ "percent": 80, "sections": ["Stalls"] });
    let stalls = house.make("Stalls only", row_a).await;
    let zone = house.concert.zone_id;
    let quantities = [format!("{child}:1"), "ordinary:2".to_owned(), format!("{stalls}:0")];
    let order = json!({ "zone_id": zone, "quantities": quantities, "unit_price": 30_000 });
    let held = house.order(0, order).await;
    assert_eq!((held.status, held.json()["total"].as_i64()), (201, Some(75_000)), "{}", held.body);
    // The numbers of all places and of some of a type say the same.
    let order = json!({ "zone_id": zone, "quantity": 3, "quantities": format!("{child}:1"), "total": 75_000 });
    assert_eq!(house.order(1, order).await.status, 201);
    let quantities = [format!("{child}:1"), format!("{stalls}:1")];
    let order = json!({ "best": 3, "quantities": quantities, "total": 50_000 + 25_000 + 40_000 });
    let held = house.order(2, order).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let three = ["- 2 x 30000", "Child 1 x 15000"];
    let best = ["- 1 x 50000", "Child 1 x 25000", "Stalls only 1 x 40000"];
    assert_eq!(sold(&db).await, [three.as_slice(), &three, &best].concat());
    let left: i32 = read_one(&db, "select remaining from zones").await;
    assert_eq!(left, 94);
    house.office.close().await;
}

#[sqlx::test]
async fn other_terms_than_those_shown_are_refused_with_what_they_cost_now(db: PgPool) {
    let house = House::open(&db, 1).await;
    let old = house.make("Child", json!({ "percent": 50 })).await;
    let new = house.replace(old, "Child", json!({ "percent": 60 })).await;
    let zone = house.concert.zone_id;
    let seats = house.seats(0..2);
    let of = |id: Uuid, total: Option<i64>| json!({ "seat_ids": seats, "seat_types": typed(seats[0], id), "total": total });
    let changed = |total: i64| (409, "price-changed".to_owned(), Some(total));
    // The terms that were named decide, be it with a total, with another one or with none.
    for total in [None, Some(75_000), Some(80_000)] {
        let refused = house.order(0, of(old, total)).await;
        let found = (refused.status, refused.code(), refused.json()["total"].as_i64());
        assert_eq!(found, changed(80_000));
    }
    for order in [
        json!({ "zone_id": zone, "quantities": format!("{old}:2"), "unit_price": 30_000 }),
        json!({ "zone_id": zone, "quantities": format!("{new}:2"), "unit_price": 29_000 }),
        json!({ "zone_id": zone, "quantities": format!("{new}:2"), "total": 30_000 }),
    ] {
        let refused = house.order(0, order).await;
        let found = (refused.status, refused.code(), refused.json()["total"].as_i64());
        assert_eq!(found, changed(36_000));
    }
    let refused = house.order(0, json!({ "best": 2, "quantities": format!("{old}:1") })).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "price-changed"));
    assert_eq!(n_reservations(&db).await, 0);
    assert_eq!(house.order(0, of(new, Some(80_000))).await.status, 201);
    house.office.close().await;
}

#[sqlx::test]
async fn a_key_stands_for_the_types_that_were_named_with_it(db: PgPool) {
    let house = House::open(&db, 1).await;
    let child = house.make("Child", json!({ "percent": 50 })).await;
    let seat = house.seats(0..1)[0];
    let key = Uuid::now_v7();
    let typed = json!({ "seat_ids": [seat], "seat_types": typed(seat, child), "request_key": key });
    let held = house.order(0, typed.clone()).await;
    assert_eq!(held.status, 201, "{}", held.body);
    house.change(&format!("/{child}/withdrawal"), json!({})).await;
    assert_eq!(house.order(0, typed).await.json(), held.json());
    let untyped = json!({ "seat_ids": [seat], "request_key": key });
    assert_eq!(house.order(0, untyped).await.code(), "key-reused");
    assert_eq!(n_reservations(&db).await, 1);
    house.office.close().await;
}

#[sqlx::test]
async fn programs_learn_the_types_and_their_limits(db: PgPool) {
    let house = House::open(&db, 1).await;
    let path = format!("/schedules/{}/price-types", house.concert.schedule_id);
    assert_eq!(house.people[0].get(&path).await.json(), json!({ "price_types": [] }));
    let fields = json!({ "percent": 50, "note": "Bring your card", "per_order_max": 2 });
    let id = house.make("Student", fields).await;
    crate::support::until("the types are known", async || {
        let types = house.people[0].get(&path).await.json();
        types["price_types"][0]["id"] == json!(id) && types["price_types"][0]["percent"] == 50
    })
    .await;
    house.office.close().await;
}
