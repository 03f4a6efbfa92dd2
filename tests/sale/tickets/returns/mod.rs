//! A ticket back on sale: its seller's until its place is paid for, and then the buyer's.

mod buyers;
mod counts;
mod endings;
mod numbers;
mod orders;
mod own;
mod people;
mod prices;
mod races;
mod refusals;
mod taken;
mod waits;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, Purchase, admit, hold, hold_places,
    ledger::balance, read_all, read_one, read_one_with, run_sql, run_sql_with,
};

const CHARGED: i64 = 1_000_000;
const PRICE: i64 = 50_000;

/// A seller with tickets of a concert, and a buyer who is inside and has points.
pub(super) struct Market {
    office: Office,
    concert: Concert,
    ada: Person,
    bob: Person,
    bought: Purchase,
}

impl Market {
    async fn with(db: &PgPool, options: ConcertOptions, seats: usize, places: i32) -> Self {
        let office = Office::open(db.clone()).await;
        let concert = Concert::with(db, options).await;
        let ada = office.sign_in("ada").await;
        let hold = Hold { seat_ids: &concert.seat_ids[..seats], places, ..Hold::default() };
        let bought = Purchase::make(db, &concert, &ada, hold).await;
        let bob = office.sign_in("bob").await;
        let market = Self { office, concert, ada, bob, bought };
        market.let_in(std::slice::from_ref(&market.bob)).await;
        market
    }

    /// A seller with two seats, the program keeping `percent` of what is sold on.
    async fn open(db: &PgPool, percent: i32) -> Self {
        let market = Self::with(db, ConcertOptions::default(), 2, 0).await;
        let set = "update programs set return_fee_percent = $1";
        run_sql_with(db, set, percent).await;
        market
    }

    /// Lets people in, with points.
    async fn let_in(&self, people: &[Person]) {
        for person in people {
            let charged = person.post("/wallet/charges", &[("amount", CHARGED)]).await;
            assert_eq!(charged.status, 201, "{}", charged.body);
        }
        admit(&self.office.db, &self.concert, people).await;
    }

    /// Puts the `nth` ticket on sale, and returns the return.
    async fn put_on_sale(&self, nth: usize) -> Uuid {
        let made = put_on_sale(&self.ada, &self.bought.codes[nth]).await;
        assert_eq!(made.status, 201, "{}", made.body);
        id_of(&made.json(), "return_id")
    }

    async fn scan(&self, door: &Person, code: &str) -> Answer {
        let path = format!("/door/{}/check-ins", self.concert.schedule_id);
        door.post(&path, &[("code", code)]).await
    }

    /// Opens an instance whose door opens weeks before the start and that ends no returns, and
    /// returns it with a steward at it: what a scan meets while tickets are still sold.
    async fn early_door(&self) -> (Office, Person) {
        let settings = [("DOOR_OPENS_BEFORE_MINS", "100000"), ("TEST_EXPIRY_PERIOD_MS", "3600000")];
        let early = Office::open_with(self.office.db.clone(), 1, &settings).await;
        let door = early.employ("door", "STAFF").await;
        (early, door)
    }

    /// Returns the state of the `nth` seat.
    async fn seat(&self, nth: usize) -> String {
        let status = "select status from schedule_seats where id = $1";
        read_one_with(&self.office.db, status, self.concert.seat_ids[nth]).await
    }

    /// Holds a seat for a person who may have bought before, and returns the reservation.
    async fn held(&self, buyer: &Person, seat_id: i64) -> Uuid {
        self.held_all(buyer, &[seat_id]).await
    }

    /// Holds seats likewise.
    async fn held_all(&self, buyer: &Person, seat_ids: &[i64]) -> Uuid {
        let buyer = self.enter(buyer).await;
        let held = hold(&buyer, &self.concert, seat_ids).await;
        assert_eq!(held.status, 201, "{}", held.body);
        id_of(&held.json(), "reservation_id")
    }

    /// Admits a buyer again whose stay is over, and returns them without the pass of that stay.
    async fn enter(&self, buyer: &Person) -> Person {
        let inside =
            "select count(*) from queue_tokens where account_id = $1 and status = 'ACTIVE'";
        if read_one_with::<i64>(&self.office.db, inside, buyer.account_id).await == 0 {
            admit(&self.office.db, &self.concert, std::slice::from_ref(buyer)).await;
        }
        self.office.log_in(buyer, 0).await
    }
}

async fn put_on_sale(seller: &Person, code: &str) -> Answer {
    let form = json!({ "request_key": Uuid::now_v7() });
    seller.post_json(&format!("/tickets/{code}/returns"), &form).await
}

async fn take_back(seller: &Person, id: Uuid) -> Answer {
    seller.post(&format!("/returns/{id}/cancellation"), &()).await
}

async fn pay(buyer: &Person, reservation_id: Uuid) -> Answer {
    let key = [("request_key", Uuid::now_v7())];
    buyer.post(&format!("/reservations/{reservation_id}/payment"), &key).await
}

fn id_of(document: &Value, name: &str) -> Uuid {
    document[name].as_str().unwrap_or_else(|| panic!("{document}")).parse().unwrap()
}

async fn kinds(db: &PgPool) -> Vec<String> {
    let kinds =
        "select kind from outbox where kind in ('ticket-sold', 'return-gone') order by position";
    read_all(db, kinds).await
}

#[sqlx::test]
async fn a_ticket_is_the_sellers_until_somebody_has_paid_for_it(db: PgPool) {
    let market = Market::open(&db, 10).await;
    let Market { office, concert, ada, bob, bought } = &market;
    let old = &bought.codes[0];
    assert_eq!(market.seat(0).await, "RESERVED");
    let made = put_on_sale(ada, old).await.json();
    assert_eq!(
        (&made["price"], &made["fee_percent"], &made["payout"]),
        (&json!(PRICE), &json!(10), &json!(45_000))
    );
    let ticket = ada.get(&format!("/tickets/{old}")).await.json();
    assert_eq!((&ticket["status"], &ticket["is_on_return"]), (&json!("VALID"), &json!(true)));
    assert_eq!(
        (ticket["return"]["status"].as_str(), market.seat(0).await),
        (Some("OPEN"), "AVAILABLE".to_owned())
    );

    let reservation = market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(market.seat(0).await, "HELD");
    let live = "select live from reservation_items where return_id is not null";
    assert!(!read_one::<bool>(&db, live).await, "the seat is the seller's");
    office.verify().await;
    assert_eq!(ada.get(&format!("/tickets/{old}")).await.json()["status"], "VALID");
    let page = bob.visit(&format!("/reservations/{reservation}")).await;
    assert!(page.body.contains("comes from another guest"), "{}", page.body);

    let paid = pay(bob, reservation).await;
    assert_eq!(
        (paid.status, &paid.json()["balance"]),
        (201, &json!(CHARGED - PRICE)),
        "{}",
        paid.body
    );
    let new = paid.json()["tickets"][0].as_str().unwrap().to_owned();
    assert_ne!(&new, old);
    assert_eq!(ada.get(&format!("/tickets/{old}")).await.json()["status"], "VOID");
    assert_eq!(bob.get(&format!("/tickets/{new}")).await.json()["status"], "VALID");
    assert_eq!(balance(&db, ada.account_id).await, CHARGED - 2 * PRICE + 45_000);
    assert_eq!(
        (market.seat(0).await, kinds(&db).await),
        ("RESERVED".to_owned(), vec!["ticket-sold".to_owned()])
    );
    let statement = ada.visit("/wallet").await;
    assert!(statement.body.contains("Ticket sold on"), "{}", statement.body);
    let sold = ada.visit(&format!("/tickets/{old}")).await;
    assert!(sold.body.contains("Somebody bought this ticket"), "{}", sold.body);
    let of_both = ada.visit(&format!("/reservations/{}", bought.reservation_id)).await;
    assert!(of_both.body.contains("One place of this reservation was sold on"), "{}", of_both.body);
    market.office.close().await;
}

#[sqlx::test]
async fn the_seller_sees_what_comes_back_before_and_another_share_is_refused(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { ada, bought, .. } = &market;
    let path = format!("/tickets/{}", bought.codes[0]);
    let page = ada.visit(&path).await;
    assert!(
        page.has(&format!("form[action='{path}/returns']"))
            && !page.body.contains("organiser keeps")
    );
    // Three hours before the start.
    let start = "update schedules set starts_at = '2031-05-02T10:30:00Z'";
    run_sql(&db, start).await;
    run_sql(&db, "update venues set time_zone = 'Asia/Seoul', address = 'Seoul, Yeouido'").await;
    let page = ada.visit(&path).await;
    let until = "until the doors open at the latest: Fri 2 May 2031, 16:30 KST";
    assert!(page.body.contains(until) && page.body.contains("Seoul, Yeouido"), "{}", page.body);
    run_sql(&db, "update programs set return_fee_percent = 25").await;
    let page = ada.visit(&path).await;
    assert!(
        page.body.contains("25%") && page.has("[name='payout'][value='37500']"),
        "{}",
        page.body
    );
    let stale = ada.submit(&format!("{path}/returns"), &[("payout", PRICE)]).await;
    assert_eq!(stale.status, 409);
    assert!(stale.body.contains("37,500") || stale.body.contains("37500"), "{}", stale.body);
    let made = ada.submit(&format!("{path}/returns"), &[("payout", 37_500)]).await;
    assert_eq!((made.status, made.header("location")), (303, path.as_str()));
    // What was agreed stays.
    run_sql(&db, "update programs set return_fee_percent = 90").await;
    let open = ada.visit(&path).await;
    assert!(
        open.has("form[action$='/cancellation']")
            && open.body.contains("37,500")
            && open.body.contains(until),
        "{}",
        open.body
    );
    assert!(ada.visit("/tickets").await.body.contains("On sale"));
    let id: Uuid = read_one(&db, "select id from ticket_returns").await;
    let led = ada.visit(&format!("/returns/{id}")).await;
    assert_eq!((led.status, led.header("location")), (303, path.as_str()));
    assert_eq!(take_back(ada, id).await.status, 200);
    let back = ada.get(&path).await.json();
    assert_eq!((&back["status"], &back["is_on_return"]), (&json!("VALID"), &json!(false)));
    assert_eq!(market.seat(0).await, "RESERVED");
    market.office.close().await;
}

#[sqlx::test]
async fn a_place_costs_what_was_paid_for_it_whatever_the_others_cost_by_now(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 2).await;
    let Market { office, concert, bob, bought, .. } = &market;
    // A seat and a place of the zone, which is sold out otherwise.
    let raised = "update schedule_seats set price = 80000, price_version = 1;
                  update zones set price = 60000, remaining = 0, capacity = 2;
                  update schedules set price_version = 1";
    sqlx::raw_sql(raised).execute(&db).await.unwrap();
    market.put_on_sale(0).await;
    let order = json!({ "seat_ids": [concert.seat_ids[0]], "total": 80_000 });
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let dear = bob.post_json(&path, &order).await;
    assert_eq!((dear.code().as_str(), &dear.json()["total"]), ("price-changed", &json!(PRICE)));
    let seat = market.held(bob, concert.seat_ids[0]).await;
    assert_eq!(pay(bob, seat).await.json()["amount"], PRICE);
    let price = "select price from schedule_seats where id = $1";
    let after: i64 =
        sqlx::query_scalar(price).bind(concert.seat_ids[0]).fetch_one(&db).await.unwrap();
    assert_eq!(after, 80_000, "whoever gives it back gives it back at the price of today");

    let places = bought.codes.len() - 2;
    assert_eq!(places, 2);
    market.put_on_sale(2).await;
    let bob = &market.enter(bob).await;
    let sold_out = hold_places(bob, concert, 2).await;
    assert_eq!(sold_out.code(), "sold-out", "one of two is on sale: {}", sold_out.body);
    let standing = hold_places(bob, concert, 1).await;
    assert_eq!(standing.json()["total"], 30_000, "{}", standing.body);
    // A buyer that a statement of the test let in is in no line in Redis.
    office.verify_database().await;
    assert_eq!(pay(bob, id_of(&standing.json(), "reservation_id")).await.status, 201);
    let left = "select quantity - returned from reservation_items where zone_id is not null and returned > 0";
    assert_eq!(read_one::<i32>(&db, left).await, 1, "the other place is the seller's");
    market.office.close().await;
}

#[sqlx::test]
async fn a_hold_of_what_is_free_and_what_is_on_return_is_paid_as_one(db: PgPool) {
    let market = Market::open(&db, 50).await;
    let Market { office, concert, ada, bob, .. } = &market;
    market.put_on_sale(0).await;
    market.put_on_sale(1).await;
    let seats = &concert.seat_ids[..4];
    let both = hold(bob, concert, seats).await;
    assert_eq!((both.status, &both.json()["total"]), (201, &json!(4 * PRICE)), "{}", both.body);
    let reservation = id_of(&both.json(), "reservation_id");
    let shares = format!("/reservations/{reservation}/shares");
    let left = bob.get(&shares).await.json()["left"].clone();
    let shared = bob.post_json(&shares, &json!({ "places": [left[0]["place"]] })).await;
    assert_eq!((shared.status, shared.code().as_str()), (409, "return-not-shared"));
    office.verify().await;
    assert_eq!(pay(bob, reservation).await.status, 201);
    assert_eq!(balance(&db, bob.account_id).await, CHARGED - 4 * PRICE);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED - 2 * PRICE + PRICE);
    // Nothing is left of it to be refunded, and its owner may go.
    let refund = format!("/reservations/{}/cancellation", market.bought.reservation_id);
    assert_eq!(ada.post(&refund, &()).await.code(), "return-all-sold");
    // The buyer sells it on, too.
    let code: String =
        read_one(&db, "select code from tickets where status = 'VALID' limit 1").await;
    assert_eq!(put_on_sale(bob, &code).await.status, 201);
    market.office.close().await;
}
