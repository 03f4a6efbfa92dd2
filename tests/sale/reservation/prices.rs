//! Prices that change while a person looks: shown on open maps, compared with what an order showed,
//! never charged unseen.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, order_path};
use crate::support::{
    Answer, Concert, Hold, Office, Person, eventually, read_all, read_one, run_sql,
    until_locks_wait,
};

/// Gives the seats and the zone of a concert new prices, as the admin pages do.
async fn price(office: &Office, concert: &Concert, section: &str, seat: i64, zone: i64) {
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let version = admin.get(&path).await.json()["schedule"]["version"].as_i64().unwrap();
    let form = json!({ "version": version, "section": section, "price": seat });
    let saved = admin.post_json(&format!("{path}/prices"), &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let form =
        json!({ "version": version + 1, "name": "Standing", "price": zone, "capacity": 100 });
    let saved = admin.post_json(&format!("{path}/zones/{}", concert.zone_id), &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
}

async fn order(person: &Person, concert: &Concert, mut order: Value) -> Answer {
    if order.get("request_key").is_none() {
        order["request_key"] = json!(Uuid::now_v7());
    }
    person.post_json(&order_path(concert), &order).await
}

fn refused_at(answer: &Answer) -> (u16, String, i64) {
    (answer.status, answer.code(), answer.json()["total"].as_i64().unwrap_or(-1))
}

async fn n_reservations(db: &PgPool) -> i64 {
    read_one(db, "select count(*) from reservations").await
}

#[sqlx::test]
async fn an_open_map_learns_what_seats_and_places_cost_now(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let map = ada.get(&format!("/schedules/{}", concert.schedule_id)).await.json();
    price(&office, &concert, "Stalls", 90_000, 45_000).await;
    for viewer in [office.moved(&ada, 0), office.moved(&ada, 1)] {
        let since = map["cursor"].as_str().unwrap();
        let path = format!("/schedules/{}/changes?since={since}", concert.schedule_id);
        // The other instance looks after its hint or two seconds.
        let changes = eventually("the new price of the zone", async || {
            let changes = viewer.get(&path).await.json();
            let is_told = changes["zones"].as_array().is_some_and(|zones| !zones.is_empty());
            if is_told { Ok(changes) } else { Err(changes) }
        })
        .await;
        let seats = changes["seats"].as_array().unwrap();
        assert_eq!(seats.len(), 20, "{changes}");
        assert!(seats.iter().all(|seat| seat["price"] == 90_000), "{changes}");
        assert_eq!(changes["zones"][0]["price"], 45_000, "{changes}");
    }
    office.close().await;
}

#[sqlx::test]
async fn an_order_is_refused_unless_it_showed_what_it_costs(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(4, "ada").await;
    admit(&db, &concert, &people).await;
    price(&office, &concert, "Stalls", 90_000, 45_000).await;
    let seats = &concert.seat_ids;
    let zone = concert.zone_id;
    let cases = [
        (json!({ "seat_ids": &seats[..2], "total": 100_000 }), 180_000),
        (json!({ "seat_ids": &seats[..2], "total": "1000" }), 180_000),
        (json!({ "seat_ids": &seats[..2], "price_version": 0 }), 180_000),
        (json!({ "zone_id": zone, "quantity": 3, "total": 90_000 }), 135_000),
        (json!({ "zone_id": zone, "quantity": 3, "unit_price": 30_000 }), 135_000),
        (json!({ "zone_id": zone, "best": 3, "total": 135_001 }), 135_000),
        (json!({ "best": 2, "total": 100_000 }), 180_000),
        (json!({ "best": 2, "price_version": 0 }), 180_000),
        (json!({ "best": 2, "price": 50_000, "total": 100_000 }), 180_000),
        (json!({ "best": 2, "price": 50_000, "price_version": 0 }), 180_000),
    ];
    for (shown, total) in cases {
        let refused = order(&people[0], &concert, shown.clone()).await;
        assert_eq!(refused_at(&refused), (409, "price-changed".to_owned(), total), "{shown}");
    }
    assert_eq!(n_reservations(&db).await, 0);
    for broken in ["-1", "1.5", "much"] {
        for field in ["total", "price_version"] {
            let mut form = json!({ "seat_ids": &seats[..1] });
            form[field] = json!(broken);
            let refused = order(&people[0], &concert, form).await;
            assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
            assert!(refused.json()["fields"][field].is_string(), "{}", refused.body);
        }
    }
    let fits = [
        json!({ "seat_ids": &seats[..2], "total": 180_000 }),
        json!({ "zone_id": zone, "quantity": 3, "total": 135_000 }),
        json!({ "best": 2, "total": 180_000 }),
        json!({ "seat_ids": &seats[18..20] }),
    ];
    for (person, shown) in people.iter().zip(&fits) {
        let held = order(person, &concert, shown.clone()).await;
        assert_eq!(held.status, 201, "{shown}: {}", held.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_key_stands_for_the_price_that_was_shown_with_it(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let key = Uuid::now_v7();
    let form = |total: i64| json!({ "seat_ids": &concert.seat_ids[..1], "total": total, "request_key": key });
    assert_eq!(order(&ada, &concert, form(1_000)).await.code(), "price-changed");
    let held = order(&ada, &concert, form(50_000)).await;
    assert_eq!(held.status, 201, "{}", held.body);
    price(&office, &concert, "Stalls", 90_000, 45_000).await;
    // What was carried out is answered as it was then.
    assert_eq!(order(&ada, &concert, form(50_000)).await.json(), held.json());
    assert_eq!(order(&ada, &concert, form(90_000)).await.code(), "key-reused");
    assert_eq!(n_reservations(&db).await, 1);
    office.close().await;
}

/// The value of a hidden field in a page.
fn hidden<'a>(page: &'a str, form: &str, name: &str) -> &'a str {
    let form = page.split(form).nth(1).unwrap().split("</form>").next().unwrap();
    let field = form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
    field.split('"').next().unwrap()
}

/// Every hidden field of the form that goes on at the new price.
fn fields_to_go_on(page: &str) -> Vec<(String, String)> {
    let notice = page.split("notice--refusal").nth(1).unwrap().split("</form>").next().unwrap();
    let fields = notice.split("<input type=\"hidden\" name=\"").skip(1);
    fields
        .map(|field| {
            let (name, rest) = field.split_once("\" value=\"").unwrap();
            (name.to_owned(), rest.split('"').next().unwrap().to_owned())
        })
        .collect()
}

#[sqlx::test]
async fn a_form_without_scripts_sends_what_it_showed_and_goes_on_in_one_click(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update seats set section = 'Balcony' where row_label = 'B'").await;
    let people = office.crowd(3, "ada").await;
    admit(&db, &concert, &people).await;
    let map = format!("/schedules/{}", concert.schedule_id);
    let page = people[0].visit(&map).await.body;
    let version = hidden(&page, "id=\"seats\"", "price_version");
    let unit_price = hidden(&page, "class=\"zone__form\"", "unit_price");
    assert_eq!(version, hidden(&page, "class=\"best\"", "price_version"));
    price(&office, &concert, "Stalls", 90_000, 45_000).await;

    let seats = |from: usize| {
        let id = |idx: usize| ("seat_ids".to_owned(), concert.seat_ids[idx].to_string());
        let version = ("price_version".to_owned(), version.to_owned());
        vec![id(from), id(from + 1), version, ("total".to_owned(), String::new())]
    };
    // What was not priced anew is held as it was shown.
    let path = order_path(&concert);
    let ordered = async |person: &Person, form: &Vec<(String, String)>| {
        let request = person.asks(reqwest::Method::POST, &path, "text/html");
        person.send_form(request, form).await
    };
    assert_eq!(ordered(&people[0], &seats(10)).await.status, 303);
    let places = [
        ("zone_id", concert.zone_id.to_string()),
        ("quantity", "2".to_owned()),
        ("unit_price", unit_price.to_owned()),
    ];
    let places = places.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let wish =
        [("best", "2"), ("section", "Stalls"), ("price", "50000"), ("price_version", version)];
    let wish = wish.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    for (person, form, words) in [
        (&people[0], seats(0), "Continue for 180,000 points"),
        (&people[1], places, "Continue for 90,000 points"),
        (&people[2], wish, "Continue for 180,000 points"),
    ] {
        let refused = ordered(person, &form).await;
        assert_eq!(refused.status, 409, "{}", refused.body);
        assert!(refused.body.contains("The price has changed"), "{}", refused.body);
        assert!(refused.body.contains(words), "{words}: {}", refused.body);
        let on = ordered(person, &fields_to_go_on(&refused.body)).await;
        assert_eq!(on.status, 303, "{}", on.body);
    }
    let totals: Vec<i64> = read_all(&db, "select total from reservations order by id").await;
    assert_eq!(totals, [100_000, 180_000, 90_000, 180_000]);
    office.close().await;
}

#[sqlx::test]
async fn the_best_seats_are_found_where_only_holds_past_their_end_stand(db: PgPool) {
    let settings = [("TEST_EXPIRY_PERIOD_MS", "3600000")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(3, "ada").await;
    admit(&db, &concert, &people).await;
    // Row A is held by people who may still pay, row B by some who may not any more.
    for (idx, seat) in concert.seat_ids.iter().enumerate() {
        let ends_in_secs = if idx < 10 { 300 } else { -1 };
        let seat_ids = std::slice::from_ref(seat);
        let hold = Hold { seat_ids, ends_in_secs, ..Hold::default() };
        hold.write(&db, &concert, people[0].account_id).await;
    }
    let none = order(&people[1], &concert, json!({ "best": 2, "price": 1 })).await;
    assert_eq!((none.status, none.code().as_str()), (409, "sold-out"), "{}", none.body);
    let three = order(&people[1], &concert, json!({ "best": 3 })).await;
    assert_eq!(three.status, 201, "{}", three.body);
    let held: Vec<i64> = three.json()["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["seat_id"].as_i64().unwrap())
        .collect();
    assert!(held.iter().all(|id| concert.seat_ids[10..].contains(id)), "{held:?}");
    let form = json!({ "best": 2, "section": "Stalls", "total": 100_000 });
    let two = order(&people[2], &concert, form).await;
    assert_eq!(two.status, 201, "{}", two.body);
    let many = order(&people[2], &concert, json!({ "best": 6 })).await;
    assert_eq!((many.status, many.code().as_str()), (409, "sold-out"), "{}", many.body);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn places_are_judged_by_the_clock_after_the_wait_for_their_zone(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let mut zone = db.begin().await.unwrap();
    run_sql(&mut *zone, "select id from zones for no key update").await;
    let ordered = {
        let (ada, concert) = (ada.clone(), concert.clone());
        tokio::spawn(async move { super::hold_places(&ada, &concert, 2).await })
    };
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    assert!(!ordered.is_finished(), "the order did not wait for the zone");
    // The sale closes while the order waits.
    run_sql(&db, "update programs set off_sale_at = clock_timestamp()").await;
    zone.rollback().await.unwrap();
    let refused = ordered.await.unwrap();
    assert_eq!((refused.status, refused.code().as_str()), (410, "sale-closed"), "{}", refused.body);
    assert_eq!(n_reservations(&db).await, 0);
    office.close().await;
}
