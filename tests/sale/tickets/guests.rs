//! The door finds a guest by name: the seat, and whether the guest is in.

use serde_json::Value;
use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Person, Purchase, acts, read_one, run_sql};

async fn search(staff: &Person, concert: &Concert, q: &str) -> Value {
    let path = format!("/door/{}/guests", concert.schedule_id);
    let answer = staff.post(&path, &[("q", q)]).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn holders(found: &Value) -> Vec<&str> {
    let guests = found["guests"].as_array().unwrap().iter();
    guests.map(|guest| guest["holder"].as_str().unwrap()).collect()
}

#[sqlx::test]
async fn a_guest_is_found_by_a_part_of_the_name_and_the_search_is_noted(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let (ada, bob) = (office.sign_in("Ada Kim").await, office.sign_in("bob").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let hold = Hold { places: 1, ..Hold::default() };
    Purchase::make(&db, &concert, &bob, hold).await;
    let door = office.employ("door", "STAFF").await;
    let scanned = format!("/door/{}/check-ins", concert.schedule_id);
    assert_eq!(door.post(&scanned, &[("code", &bought.codes[0])]).await.status, 201);

    let found = search(&door, &concert, " aDA k ").await;
    assert_eq!(holders(&found), ["Ada Kim", "Ada Kim"]);
    let guests = found["guests"].as_array().unwrap().iter();
    let mut states: Vec<&str> = guests.map(|guest| guest["status"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["USED", "VALID"]);
    assert!(!found.to_string().contains(&bought.codes[0]), "a name lets nobody in: {found}");

    let path = format!("/door/{}/guests", concert.schedule_id);
    let page = door.submit(&path, &[("q", "kim")]).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.count(".guests__item"), 2, "{}", page.body);
    assert!(page.body.contains("Stalls, row A, seat 1"), "{}", page.body);
    assert_eq!(page.count(".guests__item .badge--good"), 1, "{}", page.body);
    assert!(page.body.contains("Not in yet"), "{}", page.body);
    let linked = format!("a[href='{path}']");
    assert!(door.visit(&format!("/door/{}", concert.schedule_id)).await.has(&linked));

    // Wildcards are letters, and an unknown name finds no guest.
    for nobody in ["%", "_", "zoe", "' or true"] {
        assert_eq!(search(&door, &concert, nobody).await["guests"], serde_json::json!([]));
    }
    let none = door.submit(&path, &[("q", "zoe")]).await;
    assert!(none.body.contains("Nobody found"), "{}", none.body);
    // The log says who looked for whom; an empty form looks for no guest.
    let before = acts(&db).await.len();
    assert_eq!(door.submit(&path, &[("q", "  ")]).await.status, 200);
    assert_eq!(acts(&db).await.len(), before);
    let noted: Value = read_one(
        &db,
        "select after from audit_log where act = 'guests-searched' order by id limit 1",
    )
    .await;
    assert_eq!(noted, serde_json::json!({ "search": "aDA k", "found": 2 }));
    office.close().await;
}

#[sqlx::test]
async fn a_reservation_number_finds_its_guests_as_it_is_read_out(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;
    let tickets = ada.get(&format!("/reservations/{}/tickets", bought.reservation_id)).await;
    let number = tickets.json()["number"].as_str().unwrap().to_owned();
    let heard = number.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l");
    for typed in [number.as_str(), &heard] {
        assert_eq!(holders(&search(&door, &concert, typed).await), ["ada"], "{typed}");
    }
    // At another performance the number finds no guest.
    let other = Concert::tonight(&db).await;
    assert!(holders(&search(&door, &other, &number).await).is_empty());
    office.close().await;
}

#[sqlx::test]
async fn many_guests_of_one_name_come_page_by_page(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    run_sql(&db, "update zones set price = 1000").await;
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    let hold = Hold { places: 60, ..Hold::default() };
    Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;
    let path = format!("/door/{}/guests", concert.schedule_id);
    let first = search(&door, &concert, "ada").await;
    assert_eq!(first["guests"].as_array().unwrap().len(), 50);
    let next = first["next"].as_str().unwrap();
    let rest = door.post(&path, &[("q", "ada"), ("after", next)]).await.json();
    assert_eq!(rest["guests"].as_array().unwrap().len(), 10);
    assert!(rest["next"].is_null(), "{rest}");
    let page = door.submit(&path, &[("q", "ada")]).await;
    assert!(page.has(&format!("[name='after'][value='{next}']")), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn only_the_door_of_a_performance_that_exists_is_searched(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    let path = format!("/door/{}/guests", concert.schedule_id);
    assert_eq!(ada.post(&path, &[("q", "a")]).await.status, 403);
    assert_eq!(office.stranger().post(&path, &[("q", "a")]).await.status, 401);
    let door = office.employ("door", "STAFF").await;
    let missing = "/door/00000000-0000-0000-0000-000000000000/guests";
    assert_eq!(door.post(missing, &[("q", "a")]).await.status, 404);
    let long = "a".repeat(10_000);
    assert_eq!(door.post(&path, &[("q", &long)]).await.status, 200);
    assert_eq!(door.post(&path, &[("q", "a\u{0}b")]).await.status, 200);
    let noted: String =
        read_one(&db, "select after->>'search' from audit_log order by id desc limit 1").await;
    assert_eq!(noted, "ab");
    let manifest = door.visit(&path).await.attribute("link[rel='manifest']", "href");
    let manifest = door.get(&manifest).await;
    assert_eq!(manifest.json()["start_url"], "/door");
    office.close().await;
}
