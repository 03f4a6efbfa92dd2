//! Who comes to a performance: on a page, on a sheet and in a file.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Person, Purchase, acts, email_of, read_one};

/// Names of the attendees that a page of the list tells, in their order.
async fn names(admin: &Person, path: &str) -> Vec<String> {
    let told = admin.get(path).await;
    assert_eq!(told.status, 200, "{}", told.body);
    let attendees = told.json()["attendees"].as_array().unwrap().clone();
    attendees.iter().map(|attendee| attendee["name"].as_str().unwrap().to_owned()).collect()
}

fn path_of(concert: &Concert) -> String {
    format!("/admin/schedules/{}/attendees", concert.schedule_id)
}

#[sqlx::test]
async fn attendees_are_found_by_name_address_code_and_number(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let other = Concert::tonight(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let (ada, bob) = (office.sign_in("Ada Kim").await, office.sign_in("Bob").await);
    let seats = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let of_ada = Purchase::make(&db, &concert, &ada, seats).await;
    let of_bob = Purchase::make(&db, &concert, &bob, Hold { places: 2, ..Hold::default() }).await;
    let elsewhere = Purchase::make(&db, &other, &bob, Hold { places: 1, ..Hold::default() }).await;
    let held = Hold { seat_ids: &concert.seat_ids[4..5], ..Hold::default() };
    held.write(&db, &concert, ada.account_id).await;
    let scan = format!("/door/{}/check-ins", concert.schedule_id);
    assert_eq!(door.post(&scan, &[("code", &of_bob.codes[0])]).await.status, 201);

    let path = path_of(&concert);
    assert_eq!(names(&admin, &path).await, ["Ada Kim", "Bob", "Bob"], "a hold is nobody's ticket");
    let first: Value = admin.get(&path).await.json()["attendees"][0].clone();
    let place = (&first["section"], &first["row"], &first["number"], &first["status"]);
    assert_eq!(place, (&json!("Stalls"), &json!("A"), &json!(1), &json!("VALID")), "{first}");
    assert_eq!(first["code_end"], json!(of_ada.codes[0][20..]), "not the whole code");

    let search = async |q: &str| {
        let query = serde_html_form::to_string([("q", q)]).unwrap();
        names(&admin, &format!("{path}?{query}")).await
    };
    assert_eq!(search("kim").await, ["Ada Kim"], "a part of a name");
    assert_eq!(search(&email_of(&db, ada.account_id).await).await, ["Ada Kim"]);
    assert_eq!(search(&of_bob.codes[1].to_lowercase()).await, ["Bob"], "a code of one ticket");
    assert_eq!(search(&of_ada.codes[0][20..]).await, ["Ada Kim"], "the end of a code");
    assert_eq!(search(&elsewhere.codes[0]).await, Vec::<String>::new(), "of another performance");
    assert_eq!(search("%").await, Vec::<String>::new(), "no pattern");
    let page = admin.visit(&path).await;
    assert!(!page.body.contains(&of_ada.codes[0]), "a list opens no door");
    let number = page.texts(&format!("[href=\"/admin/reservations/{}\"]", of_bob.reservation_id));
    assert_eq!(search(&number[0]).await, ["Bob", "Bob"], "the number of a reservation");
    assert!(page.body.contains("Let in") && page.body.contains("Not in yet"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn a_ticket_is_its_holders_until_it_is_refunded(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let seats = Hold { seat_ids: &concert.seat_ids[..1], refund_percent: 100, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, seats).await;
    let places = Purchase::make(&db, &concert, &ada, Hold { places: 1, ..Hold::default() }).await;
    let to = json!({ "to": email_of(&db, bob.account_id).await });
    let path = format!("/tickets/{}/hand-overs", bought.codes[0]);
    let offered = ada.post_json(&path, &to).await.json()["hand_over_id"].clone();
    assert_eq!(names(&admin, &path_of(&concert)).await, ["ada", "ada"], "it is only offered");
    let accepted = format!("/hand-overs/{}/acceptance", offered.as_str().unwrap());
    assert_eq!(bob.post(&accepted, &()).await.status, 200);
    assert_eq!(names(&admin, &path_of(&concert)).await, ["bob", "ada"]);

    let cancel = format!("/reservations/{}/cancellation", places.reservation_id);
    assert_eq!(ada.post(&cancel, &()).await.status, 200);
    assert_eq!(names(&admin, &path_of(&concert)).await, ["bob"], "what was refunded admits nobody");
    office.close().await;
}

#[sqlx::test]
async fn a_long_list_has_pages_a_sheet_and_a_file_that_the_log_knows(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    // More than a page and less than a sheet.
    for eve in office.crowd(8, "=HYPERLINK").await {
        Purchase::make(&db, &concert, &eve, Hold { places: 8, ..Hold::default() }).await;
    }
    let path = path_of(&concert);
    let page = admin.get(&path).await.json();
    let next = page["next"].as_str().unwrap().to_owned();
    let rest = admin.get(&format!("{path}?after={next}")).await.json();
    let ids = [&page, &rest].map(|page| page["attendees"].as_array().unwrap().clone()).concat();
    let ids: std::collections::BTreeSet<String> =
        ids.iter().map(|one| one["ticket_id"].to_string()).collect();
    assert_eq!((ids.len(), &rest["next"]), (64, &Value::Null), "every ticket once");
    assert!(acts(&db).await.is_empty(), "a page is looked at");

    let sheet = admin.visit(&format!("{path}/sheet")).await;
    assert_eq!((sheet.status, sheet.count("tbody tr")), (200, 64));
    let file = admin.visit(&format!("{path}.csv")).await;
    let records = file.records();
    assert_eq!(records[0][..3], ["name", "email", "section"]);
    assert_eq!(records.len(), 65);
    let is_guarded = |record: &Vec<String>| {
        record[0].starts_with("'=HYPERLINK") && record[1].starts_with("'=hyperlink")
    };
    assert!(records.iter().skip(1).all(is_guarded), "{:?}", records[1]);
    assert_eq!(acts(&db).await, ["attendees-taken", "attendees-taken"]);
    let taken: String =
        read_one(&db, "select string_agg(after ->> 'as', ' ' order by id) from audit_log").await;
    assert_eq!(taken, "sheet file");
    office.close().await;
}
