//! Receipts of payments and refunds, and settlements that add up to the ledger.

mod deaths;
mod names;
mod reconciliation;
mod settlement;
mod sums;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Pdf, Person, Purchase, StripeStandIn, agree_on,
    ledger::violations, read_all, read_one, read_one_with, run_sql, run_sql_with, storm,
    stripe::order_points, until,
};

/// Waits until so many entries are booked.
async fn booked(db: &PgPool, n_entries: i64) {
    until("the entries", async || {
        let n: i64 = read_one(db, "select count(*) from sale_entries").await;
        assert!(n <= n_entries, "{n} entries");
        n == n_entries
    })
    .await;
}

/// Sums of the ledger's house entries of sales, and of the sale entries.
async fn sums(db: &PgPool) -> (i64, i64) {
    let ledger = "select coalesce(-sum(amount), 0)::bigint from point_transactions
        where kind in ('PAYMENT', 'REFUND', 'RESALE')";
    let entries = "select coalesce(sum(points), 0)::bigint from sale_entries";
    (read_one(db, ledger).await, read_one(db, entries).await)
}

/// Numbers of all receipts, in their order.
async fn numbers(db: &PgPool) -> Vec<i64> {
    read_all(db, "select number from receipts order by number").await
}

async fn pay(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/payment"), &()).await
}

async fn cancel(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/cancellation"), &()).await
}

async fn give_back(person: &Person, code: &str) {
    let form = json!({ "request_key": Uuid::now_v7() });
    let given = person.post_json(&format!("/tickets/{code}/refund"), &form).await;
    assert_eq!(given.status, 201, "{}", given.body);
}

/// Says who sells, and at which tax.
async fn say_seller(db: &PgPool, rate_bp: i32) {
    let sql = "update office_settings set version = version + 1, seller = 'Globe & Söhne <GmbH>',
        seller_address = 'Bankside 1, London', tax_number = 'GB 123', tax_rate_bp = $1";
    run_sql_with(db, sql, rate_bp).await;
}

/// An office that sells points for `currency` at `minor` of its units each, and buys ada 200,000 of them.
async fn for_money(db: &PgPool, currency: &str, minor: &str) -> (StripeStandIn, Office, Person) {
    let stripe = StripeStandIn::start().await;
    let mut settings = stripe.settings();
    settings.extend([("CURRENCY", currency.to_owned()), ("POINT_PRICE_MINOR", minor.to_owned())]);
    let settings: Vec<(&str, &str)> = settings.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let ada = office.sign_in("ada").await;
    let (_, session) = order_points(&ada, 200_000).await;
    let event = stripe.completed(&stripe.change(&session, "paid").await).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    (stripe, office, ada)
}

/// Ada's order of two seats and a place, paid.
async fn bought(db: &PgPool, ada: &Person) -> (Concert, Uuid, Vec<String>) {
    let concert = Concert::usual(db).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 1, ..Hold::default() };
    let id = hold.write(db, &concert, ada.account_id).await;
    let paid = pay(ada, id).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let codes = paid.json()["tickets"].as_array().unwrap().clone();
    (concert, id, codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect())
}

#[sqlx::test]
async fn a_payment_and_what_comes_back_of_it_have_receipts_whose_tax_adds_up(db: PgPool) {
    let (_stripe, office, ada) = for_money(&db, "EUR", "1").await;
    say_seller(&db, 1_900).await;
    let (_, id, codes) = bought(&db, &ada).await;
    booked(&db, 1).await;
    agree_on(&db, id, 90, 0).await;
    // Another rate of today says nothing about yesterday.
    run_sql(
        &db,
        "update office_settings set version = version + 1, tax_rate_bp = 700, seller = 'New'",
    )
    .await;
    give_back(&ada, &codes[0]).await;
    assert_eq!(cancel(&ada, id).await.status, 200);
    booked(&db, 3).await;

    let list = ada.get("/receipts").await.json();
    let of = |nth: usize, name: &str| list["receipts"][nth][name].clone();
    let told = |name: &str| [2, 1, 0].map(|nth| of(nth, name));
    assert_eq!(told("number"), [json!(1), json!(2), json!(3)]);
    assert_eq!(told("kind"), [json!("PAYMENT"), json!("TICKET_REFUND"), json!("REFUND")]);
    assert_eq!(told("tax_rate_bp"), [json!(1_900), json!(1_900), json!(1_900)]);
    let sum = |name: &str| told(name).iter().map(|value| value.as_i64().unwrap()).sum::<i64>();
    assert_eq!(of(2, "amount_minor"), json!(130_000));
    // A tenth of each place stays, and its tax is that of each place's tenth.
    assert_eq!((sum("amount_minor"), sum("tax_minor")), (13_000, 798 + 798 + 479));
    let first = ada.get("/receipts/1").await.json();
    assert_eq!(first["seller"], "Globe & Söhne <GmbH>");
    assert_eq!(ada.get("/receipts/2").await.json()["seller"], "New");
    assert_eq!(ada.get("/receipts/3").await.json()["refund_of"], json!(1));
    let of_order = ada.get(&format!("/receipts?reservation_id={id}")).await.json();
    assert_eq!(of_order["receipts"], list["receipts"]);
    let (ledger, entries) = sums(&db).await;
    assert_eq!((ledger, entries), (13_000, 13_000));

    let page = ada.visit("/receipts/2").await;
    assert!(page.body.contains("Refund receipt 2") && page.body.contains("€450"), "{}", page.body);
    let order = ada.visit(&format!("/reservations/{id}")).await;
    assert!(order.has(&format!("a[href='/receipts?reservation_id={id}']")), "{}", order.body);
    let pdf = file_of(&ada, "/receipts/1.pdf").await.words();
    for said in
        ["Receipt 1", "Globe & Söhne <GmbH>", "GB 123", "€1,300.00", "19% tax included: €207.56"]
    {
        assert!(pdf.contains(said), "{said}: {pdf}");
    }
    assert_eq!(violations(&office).await, Vec::<String>::new());
    office.close().await;
}

#[sqlx::test]
async fn what_is_paid_after_postgres_clock_was_set_back_has_its_receipt_and_nothing_has_two(
    db: PgPool,
) {
    let (_stripe, office, ada) = for_money(&db, "EUR", "1").await;
    let (concert, id, codes) = bought(&db, &ada).await;
    booked(&db, 1).await;
    // As if the clock had been an hour ahead until now.
    let ahead = "update receipt_progress set booked_until = now() + interval '1 hour'";
    run_sql(&db, ahead).await;
    let more = Hold { places: 1, ..Hold::default() }.write(&db, &concert, ada.account_id).await;
    assert_eq!(pay(&ada, more).await.status, 201);
    booked(&db, 2).await;
    run_sql(&db, ahead).await;
    give_back(&ada, &codes[0]).await;
    booked(&db, 3).await;
    run_sql(&db, ahead).await;
    assert_eq!(cancel(&ada, id).await.status, 200);
    booked(&db, 4).await;
    assert_eq!(numbers(&db).await, [1, 2, 3, 4]);
    let (ledger, entries) = sums(&db).await;
    assert_eq!(ledger, entries);
    office.close().await;
}

/// Downloads a receipt.
async fn file_of(person: &Person, path: &str) -> Pdf {
    let answer = person.asks(reqwest::Method::GET, path, "text/html").send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    assert_eq!(answer.headers()["content-type"], "application/pdf");
    Pdf::new(answer.bytes().await.unwrap().to_vec())
}

#[sqlx::test]
async fn what_people_know_of_a_currency_is_what_its_tax_is_rounded_to(db: PgPool) {
    let (_stripe, office, ada) = for_money(&db, "ISK", "100").await;
    say_seller(&db, 1_100).await;
    bought(&db, &ada).await;
    booked(&db, 1).await;
    let receipt = ada.get("/receipts/1").await.json();
    assert_eq!(
        (&receipt["amount_minor"], &receipt["currency"]),
        (&json!(13_000_000), &json!("ISK"))
    );
    // 9,910 of two seats one by one, and 2,973 of the place.
    let taxes = receipt["lines"].as_array().unwrap().iter().map(|line| line["tax_minor"].clone());
    let taxes: Vec<Value> = taxes.collect();
    assert!(taxes.iter().all(|tax| tax.as_i64().unwrap() % 100 == 0), "{taxes:?}");
    let sum: i64 = taxes.iter().map(|tax| tax.as_i64().unwrap()).sum();
    assert_eq!(receipt["tax_minor"], json!(sum));
    office.close().await;
}

#[sqlx::test]
async fn an_office_that_sells_no_points_states_points_and_no_tax(db: PgPool) {
    let office = Office::open(db.clone()).await;
    say_seller(&db, 1_000).await;
    let ada = office.sign_in("ada").await;
    let concert = Concert::usual(&db).await;
    let free = ConcertOptions { seat_price: 0, ..ConcertOptions::default() };
    let free = Concert::with(&db, free).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    Purchase::make(&db, &concert, &ada, hold).await;
    let hold = Hold { seat_ids: &free.seat_ids[..1], ..Hold::default() };
    Purchase::make(&db, &free, &ada, hold).await;
    booked(&db, 2).await;
    let list = ada.get("/receipts").await.json();
    assert_eq!(list["receipts"].as_array().unwrap().len(), 1, "a free ticket has none: {list}");
    let receipt = ada.get("/receipts/1").await.json();
    assert_eq!((&receipt["points"], &receipt["amount_minor"]), (&json!(50_000), &Value::Null));
    assert_eq!((&receipt["tax_rate_bp"], &receipt["tax_minor"]), (&Value::Null, &Value::Null));
    let page = ada.visit("/receipts/1").await;
    assert!(page.body.contains("states points and no tax"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn of_many_payments_and_refunds_at_once_no_number_is_missing_or_given_twice(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(8, "buyer").await;
    let mut held = Vec::new();
    for (person, seat) in people.iter().zip(&concert.seat_ids) {
        let charged = person.post("/wallet/charges", &[("amount", 100_000)]).await;
        assert_eq!(charged.status, 201);
        let hold = Hold { seat_ids: std::slice::from_ref(seat), places: 1, ..Hold::default() };
        held.push(hold.write(&db, &concert, person.account_id).await);
    }
    let answers = storm(people.iter().zip(&held).enumerate().map(|(idx, (person, id))| {
        let (person, id) = (office.moved(person, idx), *id);
        async move { pay(&person, id).await }
    }))
    .await;
    assert!(answers.iter().all(|answer| answer.status == 201), "{answers:?}");
    // Two refunds of one order at once, on two instances.
    let twice = people.iter().zip(&held).take(4).flat_map(|one| [(0, one), (1, one)]);
    let answers = storm(twice.map(|(idx, (person, id))| {
        let (person, id) = (office.moved(person, idx), *id);
        async move { cancel(&person, id).await }
    }))
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 4, "{answers:?}");
    booked(&db, 12).await;
    assert_eq!(numbers(&db).await, (1..=12).collect::<Vec<i64>>());
    let (ledger, entries) = sums(&db).await;
    assert_eq!((ledger, entries), (4 * 80_000, 4 * 80_000));
    office.close().await;
}

#[sqlx::test]
async fn a_place_that_is_sold_on_gives_its_seller_a_receipt_and_its_buyer_another(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let own = Purchase::make(&db, &concert, &ada, hold).await;
    run_sql(&db, "update programs set return_fee_percent = 10").await;
    let path = format!("/tickets/{}/returns", own.codes[0]);
    let put = ada.post_json(&path, &json!({ "request_key": Uuid::now_v7() })).await;
    assert_eq!(put.status, 201, "{}", put.body);
    let seat: i64 = read_one(&db, "select schedule_seat_id from ticket_returns").await;
    crate::support::admit(&db, &concert, std::slice::from_ref(&bob)).await;
    let held = crate::support::hold(&bob, &concert, &[seat]).await;
    let charged = bob.post("/wallet/charges", &[("amount", 100_000)]).await;
    assert_eq!(charged.status, 201);
    let id: Uuid = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(pay(&bob, id).await.status, 201);
    booked(&db, 3).await;
    let of_ada = ada.get("/receipts").await.json();
    let points = |list: &Value, nth: usize| list["receipts"][nth]["points"].as_i64().unwrap();
    assert_eq!(
        (points(&of_ada, 0), of_ada["receipts"][0]["kind"].as_str()),
        (-45_000, Some("RESALE"))
    );
    let of_bob = bob.get("/receipts").await.json();
    assert_eq!(points(&of_bob, 0), 50_000);
    let channel: String =
        read_one_with(&db, "select channel from sale_entries where reservation_id = $1", id).await;
    assert_eq!(channel, "RESALE");
    let (ledger, entries) = sums(&db).await;
    assert_eq!((ledger, entries), (105_000, 105_000), "the fee stays with the house");
    office.close().await;
}

#[sqlx::test]
async fn what_was_paid_before_receipts_began_is_booked_without_a_number(db: PgPool) {
    let office = Office::open(db.clone()).await;
    run_sql(&db, "update receipt_progress set numbered_from = now() + interval '1 hour'").await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let own = Purchase::make(&db, &concert, &ada, hold).await;
    booked(&db, 1).await;
    assert_eq!(numbers(&db).await, Vec::<i64>::new());
    let page = ada.visit(&format!("/receipts?reservation_id={}", own.reservation_id)).await;
    assert!(page.body.contains("There is no receipt yet"), "{}", page.body);
    run_sql(&db, "update receipt_progress set numbered_from = clock_timestamp()").await;
    assert_eq!(cancel(&ada, own.reservation_id).await.status, 200);
    booked(&db, 2).await;
    assert_eq!(numbers(&db).await, [1], "the refund has one");
    let refund = ada.get("/receipts/1").await.json();
    assert_eq!((&refund["kind"], &refund["refund_of"]), (&json!("REFUND"), &Value::Null));
    office.close().await;
}
