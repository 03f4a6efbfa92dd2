//! Tickets given for other places of the same show: what they are worth, what is paid, and what both sides have then.

mod by_staff;
mod deaths;
mod races;
mod refusals;
mod terms;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{assert_sound, cancel, pay, status_of};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, Purchase, admit, email_of, hold,
    hold_places, ledger::balance, order_path, read_all, read_one, read_one_with, run_sql, until,
};

/// Fee of each ticket.
const FEE: i64 = 1_000;
/// Price of a seat.
const SEAT: i64 = 50_000;

/// Ada's order of the first two seats, 50,000 points each, in a show whose tickets are exchanged for a fee of 1,000
/// points; she is inside, and has 900,000 points left.
struct Swap {
    office: Office,
    concert: Concert,
    ada: Person,
    bought: Purchase,
}

impl Swap {
    async fn usual(db: &PgPool) -> Self {
        Self::with(db, ConcertOptions::default()).await
    }

    async fn with(db: &PgPool, options: ConcertOptions) -> Self {
        let office = Office::open(db.clone()).await;
        let concert = Concert::with(db, options).await;
        run_sql(db, "update programs set exchange_fee = 1000").await;
        let ada = office.sign_in("ada").await;
        let two = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
        let bought = Purchase::make(db, &concert, &ada, two).await;
        admit(db, &concert, std::slice::from_ref(&ada)).await;
        Self { office, concert, ada, bought }
    }

    /// The code of the ticket for the seat with this index.
    async fn code(&self, nth: usize) -> String {
        code_of(&self.office.db, self.concert.seat_ids[nth]).await
    }

    fn path(&self) -> String {
        format!("/reservations/{}/exchange", self.bought.reservation_id)
    }

    /// Begins an exchange of the tickets for the seats with these indexes.
    async fn begin(&self, seats: &[usize]) -> Answer {
        let mut codes = Vec::new();
        for nth in seats {
            codes.push(self.code(*nth).await);
        }
        begin(&self.ada, self.bought.reservation_id, &codes).await
    }

    /// Begins one, and holds the seat with the index `seat`.
    async fn begun(&self, given: &[usize], seat: usize) -> Uuid {
        let begun = self.begin(given).await;
        assert_eq!(begun.status, 201, "{}", begun.body);
        held(&hold(&self.ada, &self.concert, &[self.concert.seat_ids[seat]]).await)
    }

    async fn balance(&self) -> i64 {
        balance(&self.office.db, self.ada.account_id).await
    }

    async fn seat(&self, nth: usize) -> String {
        let status = "select status from schedule_seats where id = $1";
        read_one_with(&self.office.db, status, self.concert.seat_ids[nth]).await
    }
}

async fn code_of(db: &PgPool, seat_id: i64) -> String {
    let sql =
        "select t.code from tickets t join reservation_items i on i.id = t.reservation_item_id
        where i.schedule_seat_id = $1 order by t.id desc limit 1";
    read_one_with(db, sql, seat_id).await
}

async fn begin(person: &Person, reservation_id: Uuid, codes: &[String]) -> Answer {
    let form = json!({ "codes": codes, "request_key": Uuid::now_v7() });
    person.post_json(&format!("/reservations/{reservation_id}/exchange"), &form).await
}

/// Goes through the line again: the payment of the last hold has ended the stay, and its pass with it.
async fn come_in_again(person: &Person, concert: &Concert) {
    let queue = format!("/programs/{}/queue", concert.slug);
    until("another stay", async || {
        let joined = person.post(&queue, &()).await;
        assert!([200, 201].contains(&joined.status), "{}", joined.body);
        joined.json()["status"] == "ACTIVE"
    })
    .await;
}

#[track_caller]
fn held(answer: &Answer) -> Uuid {
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()["reservation_id"].as_str().unwrap().parse().unwrap()
}

#[track_caller]
fn expect_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.body);
}

#[sqlx::test]
async fn another_seat_costs_the_fee_and_its_ticket_has_another_code(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let listen = "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at)
        values (gen_random_uuid(), 'https://hooks.example/', 'Accounting',
            '{reservation.exchanged,ticket.refunded}', sha256('a') || substr(sha256('b'), 1, 28), now())";
    run_sql(&db, listen).await;
    let (ada, before, given) = (&swap.ada, swap.balance().await, swap.code(0).await);
    let begun = swap.begin(&[0]).await.json();
    assert_eq!(
        (&begun["tickets"], &begun["price"], &begun["worth"]),
        (&json!(1), &json!(SEAT), &json!(49_000))
    );
    let order = held(&hold(ada, &swap.concert, &swap.concert.seat_ids[5..6]).await);
    let shown = ada.get(&format!("/reservations/{order}/payment")).await.json();
    assert_eq!((&shown["total"], &shown["lacking"]), (&json!(SEAT), &json!(0)));
    assert_eq!(shown["exchange"]["worth"], 49_000);
    let paid = pay(ada, order).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(paid.json()["balance"], before - FEE);
    assert_eq!(swap.balance().await, before - FEE);
    assert_eq!((swap.seat(0).await, swap.seat(5).await), ("AVAILABLE".into(), "RESERVED".into()));
    assert_ne!(paid.json()["tickets"][0], json!(given));
    let void = ada.get(&format!("/tickets/{given}")).await.json();
    assert_eq!((&void["status"], &void["return"]["is_exchanged"]), (&json!("VOID"), &json!(true)));
    let valid = "select count(*) from tickets where status = 'VALID'";
    assert_eq!(read_one::<i64>(&db, valid).await, 2);
    let kinds: Vec<String> = read_all(
        &db,
        "select kind from outbox where kind ~ 'exchanged|paid|refunded' order by position",
    )
    .await;
    assert_eq!(kinds, ["reservation-paid", "reservation-paid", "tickets-exchanged"]);
    let told: Vec<Value> = read_all(&db, "select payload from domain_events").await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["price"], &told[0]["worth"]), (&json!(SEAT), &json!(49_000)));
    assert_eq!(told[0]["reservation_id"], json!(order));
    assert_eq!(told[0]["from_reservation_id"], json!(swap.bought.reservation_id));
    // The rest of the old order stays, and comes back by its terms.
    assert_eq!(cancel(ada, swap.bought.reservation_id).await.json()["refunded"], SEAT);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn the_pages_lead_from_the_order_to_the_places_and_say_what_is_due(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let (ada, id) = (&swap.ada, swap.bought.reservation_id);
    let link = format!("a[href='{}']", swap.path());
    let order = ada.visit(&format!("/reservations/{id}")).await;
    assert!(order.has(&link), "{}", order.body);
    let ticket = ada.visit(&format!("/tickets/{}", swap.code(0).await)).await;
    assert!(ticket.has(&link), "{}", ticket.body);
    let page = ada.visit(&swap.path()).await;
    assert!(
        page.body.contains("49,000 points") && page.body.contains("1,000 points"),
        "{}",
        page.body
    );
    let none = ada.submit(&swap.path(), &()).await;
    assert_eq!(none.status, 422);
    assert!(none.body.contains("at least one ticket"), "{}", none.body);
    let form = [
        ("codes", page.attribute("[name='codes']", "value")),
        ("request_key", page.attribute("[name='request_key']", "value")),
    ];
    for _ in 0..2 {
        let begun = ada.submit(&swap.path(), &form).await;
        assert_eq!(begun.status, 303, "{}", begun.body);
        assert_eq!(begun.location(), format!("/programs/{}", swap.concert.program_id));
    }
    let shown = ada.visit(&swap.path()).await;
    assert!(shown.has("form[action^='/exchanges/']"), "{}", shown.body);
    let map = ada.visit(&format!("/schedules/{}", swap.concert.schedule_id)).await;
    assert!(map.has(&format!(".notice {link}")), "{}", map.body);
    let dear = held(&hold(ada, &swap.concert, &swap.concert.seat_ids[4..6]).await);
    let payment = ada.visit(&format!("/reservations/{dear}")).await;
    assert!(payment.body.contains("Exchange and pay 51,000 points"), "{}", payment.body);
    assert!(!payment.has("#together") && payment.has(&link), "{}", payment.body);
    assert_eq!(cancel(ada, dear).await.status, 200);
    let cheap = held(&hold_places(ada, &swap.concert, 1).await);
    let payment = ada.visit(&format!("/reservations/{cheap}")).await;
    assert!(payment.body.contains("Exchange my tickets"), "{}", payment.body);
    assert!(payment.body.contains("19,000 points"), "{}", payment.body);
    assert_eq!(pay(ada, cheap).await.status, 201);
    let ended = ada.visit(&swap.path()).await;
    assert!(!ended.has("form[action^='/exchanges/']"), "{}", ended.body);
    swap.office.close().await;
}

#[sqlx::test]
async fn of_dearer_places_the_wallet_pays_the_difference_alone(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let (ada, before) = (&swap.ada, swap.balance().await);
    assert_eq!(swap.begin(&[0, 1]).await.status, 201);
    let three = held(&hold(ada, &swap.concert, &swap.concert.seat_ids[3..6]).await);
    let other = swap.office.sign_in("bob").await;
    let to = json!({ "to": email_of(&db, other.account_id).await, "amount": before - 51_999, "request_key": Uuid::now_v7() });
    let sent = ada.post_json("/wallet/transfers", &to).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    let shown = ada.get(&format!("/reservations/{three}/payment")).await.json();
    assert_eq!((&shown["usable"], &shown["lacking"]), (&json!(51_999), &json!(1)));
    let short = pay(ada, three).await;
    assert_eq!((short.status, short.code().as_str()), (402, "insufficient-points"));
    assert_eq!((swap.seat(0).await, swap.seat(3).await), ("RESERVED".into(), "HELD".into()));
    assert_eq!(ada.post("/wallet/charges", &[("amount", 1)]).await.status, 201);
    let paid = pay(ada, three).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(swap.balance().await, before + 1 - 3 * SEAT + 2 * (SEAT - FEE));
    assert_eq!(status_of(&db, swap.bought.reservation_id).await, "CONFIRMED");
    let gone = ada.visit(&format!("/reservations/{}", swap.bought.reservation_id)).await;
    assert!(!gone.has(&format!("a[href='{}']", swap.path())), "{}", gone.body);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn what_is_left_over_of_a_cheaper_date_comes_to_the_wallet(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let later = swap.concert.another_date(&db, 3).await;
    let before = swap.balance().await;
    assert_eq!(swap.begin(&[1]).await.status, 201);
    let order = held(&hold_places(&swap.ada, &later, 1).await);
    let shown = swap.ada.get(&format!("/reservations/{order}/payment")).await.json();
    assert_eq!(shown["lacking"], 0);
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    assert_eq!(swap.balance().await, before - 30_000 + SEAT - FEE);
    // What is paid and given back is booked as it is for any other order.
    let kinds = "select string_agg(kind || ' ' || amount, ', ' order by wallet_version) from (
        select * from point_transactions order by wallet_version desc limit 2) last";
    assert_eq!(read_one::<String>(&db, kinds).await, "RESALE 49000, PAYMENT -30000");
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// Three places for 80,000 points: no place costs a whole number of them.
#[sqlx::test]
async fn of_prices_that_do_not_divide_every_point_counts_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set exchange_fee = 7").await;
    let code = "insert into sale_codes (id, program_id, word, amount, uses)
        select gen_random_uuid(), id, 'GIFT', 10000, 0 from programs";
    run_sql(&db, code).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(ada.post("/wallet/charges", &[("amount", 80_000)]).await.status, 201);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let order = json!({
        "zone_id": concert.zone_id, "quantity": 3, "code": "GIFT", "request_key": Uuid::now_v7(),
    });
    let first = held(&ada.post_json(&order_path(&concert), &order).await);
    assert_eq!(pay(&ada, first).await.status, 201);
    come_in_again(&ada, &concert).await;
    let codes: Vec<String> = read_all(&db, "select code from tickets order by id").await;
    let two = begin(&ada, first, &codes[1..]).await.json();
    assert!([53_333, 53_334].contains(&two["price"].as_i64().unwrap()), "{two}");
    let all = begin(&ada, first, &codes).await.json();
    assert_eq!((&all["price"], &all["worth"]), (&json!(80_000), &json!(79_979)));
    let free = held(&hold_places(&ada, &concert, 2).await);
    assert_eq!(pay(&ada, free).await.status, 201);
    assert_eq!(balance(&db, ada.account_id).await, 79_979 - 60_000);
    let left =
        "select sum(quantity - returned)::bigint from reservation_items where reservation_id = $1";
    assert_eq!(read_one_with::<i64>(&db, left, first).await, 0);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn what_an_order_paid_with_tickets_gives_back_is_no_greater_share_than_theirs(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update reservations set refund_percent = 40").await;
    let order = swap.begun(&[0], 6).await;
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    let before = swap.balance().await;
    assert_eq!(cancel(&swap.ada, order).await.json()["refunded"], SEAT * 4 / 10);
    assert_eq!(swap.balance().await, before + SEAT * 4 / 10);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn a_place_on_return_is_bought_with_a_ticket_and_its_seller_is_paid(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update programs set return_fee_percent = 10").await;
    let bob = swap.office.sign_in("bob").await;
    let one = Hold { seat_ids: &swap.concert.seat_ids[9..10], ..Hold::default() };
    let theirs = Purchase::make(&db, &swap.concert, &bob, one).await;
    let put = json!({ "request_key": Uuid::now_v7() });
    let put = bob.post_json(&format!("/tickets/{}/returns", theirs.codes[0]), &put).await;
    assert_eq!(put.status, 201, "{}", put.body);
    let (of_ada, of_bob) = (swap.balance().await, balance(&db, bob.account_id).await);
    let order = swap.begun(&[0], 9).await;
    let paid = pay(&swap.ada, order).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(swap.balance().await, of_ada - FEE);
    assert_eq!(balance(&db, bob.account_id).await, of_bob + SEAT * 9 / 10);
    assert_eq!(swap.seat(0).await, "AVAILABLE");
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn what_becomes_free_is_held_for_the_waiting_list_when_it_is_paid(db: PgPool) {
    let options = ConcertOptions { seats: 3, zone_capacity: 1, ..ConcertOptions::default() };
    let swap = Swap::with(&db, options).await;
    let (bob, cas) = (swap.office.sign_in("bob").await, swap.office.sign_in("cas").await);
    let last = Hold { places: 1, ..Hold::default() };
    Purchase::make(&db, &swap.concert, &cas, last).await;
    let order = swap.begun(&[0, 1], 2).await;
    let list = format!("/schedules/{}/waiting-list", swap.concert.schedule_id);
    let wished = bob.post_json(&list, &json!({ "places": 2 })).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    let paid = pay(&swap.ada, order).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let wish = bob.get(&list).await.json()["wish"].clone();
    assert_eq!(wish["status"], "OFFERED", "{wish}");
    assert_eq!((swap.seat(0).await, swap.seat(1).await), ("HELD".into(), "HELD".into()));
    swap.office.close().await;
}
