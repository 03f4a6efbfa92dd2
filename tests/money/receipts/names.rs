//! Names and companies on receipts: as typed, by a new receipt that replaces the one before.

use serde_json::json;
use sqlx::PgPool;

use super::{booked, cancel, file_of, give_back, numbers, pay};
use crate::support::{Concert, Hold, Office, Person, Purchase, read_one, read_one_with, storm};

#[sqlx::test]
async fn another_name_is_a_new_receipt_and_the_one_before_stays_as_it_was(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let own = Purchase::make(&db, &concert, &ada, hold).await;
    booked(&db, 1).await;
    let path = |number: i64| format!("/receipts/{number}/replacements");
    assert_eq!(bob.post(&path(1), &[("buyer", "Bob")]).await.status, 404);
    assert_eq!(bob.get("/receipts/1").await.status, 404);
    assert_eq!(bob.get("/receipts/1.pdf").await.status, 404);
    assert_eq!(ada.get("/receipts/2").await.status, 404);

    // A click that comes twenty times is one receipt.
    let markup = "<script>alert(1)</script> & Co. \u{5d7}\u{5d1}\u{5e8}\u{5d4}";
    let answers = storm((0..20).map(|idx| {
        let ada = office.moved(&ada, idx);
        async move { ada.post(&path(1), &[("buyer", markup)]).await }
    }))
    .await;
    assert!(answers.iter().all(|a| a.status == 201 && a.json()["number"] == 2), "{answers:?}");
    assert_eq!(numbers(&db).await, [1, 2]);
    let first = ada.get("/receipts/1").await.json();
    assert_eq!((&first["buyer"], &first["replaced_by"]), (&json!(""), &json!(2)));
    let second = ada.get("/receipts/2").await.json();
    assert_eq!((&second["buyer"], &second["replaces"]), (&json!(markup), &json!(1)));
    let page = ada.visit("/receipts/2").await;
    assert_eq!(page.texts(".receipt__buyer"), [markup]);
    assert!(!page.body.contains("<script>alert"), "{}", page.body);
    assert!(ada.visit("/receipts/1").await.body.contains("No longer valid: receipt 2 replaces it"));
    let pdf = file_of(&ada, "/receipts/2.pdf").await.words();
    assert!(pdf.contains("<script>alert(1)</script> & Co."), "{pdf}");

    // The one that is void is not replaced again, and says which is valid.
    let void = ada.post(&path(1), &[("buyer", "Other")]).await;
    assert_eq!((void.status, void.code().as_str()), (409, "receipt-replaced"));
    assert_eq!(void.json()["replaced_by"], 2);
    // What comes back later has the name too.
    assert_eq!(cancel(&ada, own.reservation_id).await.status, 200);
    booked(&db, 2).await;
    let refund = ada.get("/receipts/3").await.json();
    assert_eq!((&refund["buyer"], &refund["refund_of"]), (&json!(markup), &json!(2)));
    office.close().await;
}

#[sqlx::test]
async fn a_name_is_one_line_of_two_hundred_characters_and_a_payment_has_ten_receipts(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    Purchase::make(&db, &concert, &ada, hold).await;
    booked(&db, 1).await;
    for wrong in ["가".repeat(201), "two\nlines".to_owned(), "nul\u{7}".to_owned()] {
        let refused = ada.post("/receipts/1/replacements", &[("buyer", &wrong)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{wrong:?}");
        let page = ada.submit("/receipts/1/replacements", &[("buyer", &wrong)]).await;
        assert_eq!(page.status, 422);
        assert!(page.body.contains("one line of up to 200 characters"), "{}", page.body);
    }
    assert_eq!(numbers(&db).await, [1]);
    let long = "가".repeat(200);
    let made = ada.submit("/receipts/1/replacements", &[("buyer", &long)]).await;
    assert_eq!((made.status, made.location()), (303, "/receipts/2"));
    file_of(&ada, "/receipts/2.pdf").await;
    // A name that is composed otherwise is the same name.
    for number in 2..10 {
        let buyer = if number == 2 { "Café".to_owned() } else { format!("Buyer {number}") };
        let path = format!("/receipts/{number}/replacements");
        assert_eq!(ada.post(&path, &[("buyer", &buyer)]).await.json()["number"], number + 1);
    }
    let same = ada.post("/receipts/10/replacements", &[("buyer", "Buyer 9")]).await;
    assert_eq!((same.status, &same.json()["number"]), (201, &json!(10)));
    let over = ada.post("/receipts/10/replacements", &[("buyer", "Eleventh")]).await;
    assert_eq!((over.status, over.code().as_str()), (409, "receipt-limit"));
    office.close().await;
}

#[sqlx::test]
async fn each_friend_who_pays_a_share_has_a_receipt_of_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    for person in [&ada, &bob] {
        let charged = person.post("/wallet/charges", &[("amount", 500_000)]).await;
        assert_eq!(charged.status, 201);
    }
    let hold = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let path = format!("/reservations/{id}/shares");
    let place = ada.get(&path).await.json()["left"][0]["place"].clone();
    let shared = ada.post_json(&path, &json!({ "places": [place] })).await.json();
    let link = shared["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    assert_eq!(bob.post(&format!("/shares/{link}/payment"), &()).await.status, 201);
    let rest = ada.post(&format!("/reservations/{id}/rest/payment"), &()).await;
    assert_eq!(rest.status, 201, "{}", rest.body);
    booked(&db, 2).await;
    for (person, points) in [(&ada, 100_000), (&bob, 50_000)] {
        let own = person.get(&format!("/receipts?reservation_id={id}")).await.json();
        assert_eq!(own["receipts"].as_array().unwrap().len(), 1, "{own}");
        assert_eq!(own["receipts"][0]["points"], points);
    }
    let number = bob.get("/receipts").await.json()["receipts"][0]["number"].clone();
    let page = bob.visit(&format!("/receipts/{number}")).await;
    assert!(!page.has(&format!("a[href='/reservations/{id}']")), "the order is ada's");
    assert_eq!(pay(&ada, id).await.status, 409);
    // The friend gives back the own ticket.
    let code = "select code from tickets where account_id = $1";
    give_back(&bob, &read_one_with::<String>(&db, code, bob.account_id).await).await;
    booked(&db, 3).await;
    let own = bob.get("/receipts").await.json();
    assert_eq!(own["receipts"][0]["points"], -50_000, "{own}");
    office.close().await;
}

/// Writes a hold of one seat for `person` and pays it, with `form`.
async fn pay_with(
    db: &PgPool,
    concert: &Concert,
    person: &Person,
    (seat, form): (usize, &[(&str, &str)]),
) -> crate::support::Answer {
    let hold = Hold { seat_ids: &concert.seat_ids[seat..=seat], ..Hold::default() };
    let id = hold.write(db, concert, person.account_id).await;
    person.post(&format!("/reservations/{id}/payment"), &form).await
}

#[sqlx::test]
async fn the_name_that_is_typed_where_one_pays_is_on_that_receipt_and_on_later_ones(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    for person in [&ada, &bob] {
        let charged = person.post("/wallet/charges", &[("amount", 900_000)]).await;
        assert_eq!(charged.status, 201);
    }
    // The worker books nothing meanwhile, so names and payments follow each other and are booked together.
    let mut busy = db.begin().await.unwrap();
    sqlx::query("select from receipt_progress for update").execute(&mut *busy).await.unwrap();
    let paid =
        async |person, seat, form| pay_with(&db, &concert, person, (seat, form)).await.status;
    assert_eq!(paid(&ada, 0, &[]).await, 201);
    assert_eq!(paid(&ada, 1, &[("buyer", " Cafe\u{301} & Co. "), ("buyer_was", "")]).await, 201);
    assert_eq!(paid(&bob, 2, &[]).await, 201);
    assert_eq!(paid(&ada, 3, &[]).await, 201);
    assert_eq!(
        paid(&ada, 4, &[("buyer", "Other <b>"), ("buyer_was", "Caf\u{e9} & Co.")]).await,
        201
    );
    assert_eq!(paid(&ada, 5, &[("buyer", ""), ("buyer_was", "Other <b>")]).await, 201);
    let kept = ada.submit("/receipts/name", &[("buyer", "Last")]).await;
    assert_eq!((kept.status, kept.location()), (303, "/receipts#name"));
    busy.rollback().await.unwrap();
    booked(&db, 6).await;
    let buyers: Vec<String> =
        crate::support::read_all(&db, "select buyer from receipts order by number").await;
    assert_eq!(buyers, ["", "Café & Co.", "", "Café & Co.", "Other <b>", ""]);
    // Only what is needed stays.
    assert_eq!(ada.post("/receipts/name", &[("buyer", "Last")]).await.json()["buyer"], "Last");
    let n_names: i64 = read_one(&db, "select count(*) from receipt_names").await;
    assert!(n_names <= 2, "{n_names} names");
    let data = ada.get("/account/data.json").await.json();
    assert_eq!(data["receipt_names"]["rows"][0]["buyer"], "Last", "{}", data["receipt_names"]);
    office.close().await;
}

#[sqlx::test]
async fn the_page_of_a_payment_shows_the_name_and_a_name_that_is_refused_pays_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(ada.post("/wallet/charges", &[("amount", 900_000)]).await.status, 201);
    assert_eq!(ada.post("/receipts/name", &[("buyer", "A & B \"Ltd\"")]).await.status, 200);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let path = format!("/reservations/{id}/payment");
    let page = ada.visit(&path).await;
    let field = "input[name=buyer][form=pay-form][value='A & B \"Ltd\"']";
    assert!(page.has(field), "{}", page.body);
    assert!(ada.visit("/receipts").await.has("#name input[name=buyer][value='A & B \"Ltd\"']"));
    for wrong in ["가".repeat(201), "two\nlines".to_owned()] {
        let refused = ada.post(&path, &[("buyer", &wrong)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{wrong:?}");
        let page = ada.submit(&path, &[("buyer", &wrong)]).await;
        assert_eq!(page.status, 422);
        assert!(page.body.contains("one line of up to 200 characters"), "{}", page.body);
        let page = ada.submit("/receipts/name", &[("buyer", &wrong)]).await;
        assert_eq!(page.status, 422);
        assert!(page.body.contains("one line of up to 200 characters"), "{}", page.body);
    }
    let status = "select status from reservations where id = $1";
    assert_eq!(read_one_with::<String>(&db, status, id).await, "HELD");
    assert_eq!(ada.post("/receipts/name", &[("buyer", "")]).await.status, 200);
    assert!(ada.visit(&path).await.has("input[name=buyer][form=pay-form][value='']"));
    office.close().await;
}
