//! One ticket of an order given back by itself: what comes back, what stays, and what is refused.

mod by_staff;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{assert_sound, cancel, status_of};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, Purchase, admit, admit_projected,
    agree_on, count, email_of, hold, ledger::balance, order_path, read_all, read_one,
    read_one_with, run_sql, storm, until,
};

/// Ada's order of two seats and two places, with 1,000,000 points bought before it.
struct Four {
    office: Office,
    concert: Concert,
    ada: Person,
    bought: Purchase,
}

impl Four {
    /// Sells them for 160,000 points in all, of which `percent` comes back, less `fee`.
    async fn sold(db: &PgPool, percent: i32, fee: i32) -> Self {
        let office = Office::open(db.clone()).await;
        let concert = Concert::usual(db).await;
        let ada = office.sign_in("ada").await;
        let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 2, ..Hold::default() };
        let bought = Purchase::make(db, &concert, &ada, hold).await;
        agree_on(db, bought.reservation_id, percent, fee).await;
        Self { office, concert, ada, bought }
    }

    /// The code of a ticket for the seat, or for a place, with this index.
    async fn code(&self, is_seat: bool, nth: usize) -> String {
        let sql =
            "select t.code from tickets t join reservation_items i on i.id = t.reservation_item_id
                   where (i.schedule_seat_id is not null) = $1 order by t.id";
        let codes = sqlx::query_scalar::<_, String>(sql).bind(is_seat);
        codes.fetch_all(&self.office.db).await.unwrap().swap_remove(nth)
    }

    async fn expect_kept(&self, n_valid: i64) {
        let valid = "select count(*) from tickets where status = 'VALID'";
        assert_eq!(read_one::<i64>(&self.office.db, valid).await, n_valid);
        assert_sound(&self.office).await;
    }
}

fn path_of(code: &str) -> String {
    format!("/tickets/{code}/refund")
}

async fn give_back(person: &Person, code: &str) -> Answer {
    let form = json!({ "request_key": Uuid::now_v7() });
    person.post_json(&path_of(code), &form).await
}

#[track_caller]
fn expect_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert_eq!(answer.code(), code, "{}", answer.body);
}

async fn listen(db: &PgPool) {
    let sql =
        "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at)
        values (gen_random_uuid(), 'https://hooks.example/', 'Accounting',
            '{ticket.refunded,ticket.resold}', sha256('a') || substr(sha256('b'), 1, 28), now())";
    run_sql(db, sql).await;
}

#[sqlx::test]
async fn one_ticket_of_four_comes_back_by_the_terms_and_the_rest_stays(db: PgPool) {
    let four = Four::sold(&db, 90, 1_600).await;
    listen(&db).await;
    let (ada, id) = (&four.ada, four.bought.reservation_id);
    let (seat, place) = (four.code(true, 0).await, four.code(false, 0).await);
    // 90 percent of 50,000, less its part of the fee.
    let shown = ada.get(&path_of(&seat)).await.json();
    assert_eq!((&shown["price"], &shown["refunded"]), (&json!(50_000), &json!(44_500)));
    let others: Vec<&Value> =
        shown["others"].as_array().unwrap().iter().map(|other| &other["refunded"]).collect();
    assert_eq!(others, [&json!(44_500), &json!(26_700), &json!(26_700)]);
    let ticket = ada.visit(&format!("/tickets/{seat}")).await;
    assert!(ticket.has(&format!("a[href='{}']", path_of(&seat))), "{}", ticket.body);
    let page = ada.visit(&path_of(&seat)).await;
    assert!(page.body.contains("44,500 points") && page.body.contains("90%"), "{}", page.body);
    assert!(page.body.contains("this ticket bears its part"), "{}", page.body);
    let before = balance(&db, ada.account_id).await;
    let form = [
        ("refunded", page.attribute("[name='refunded']", "value")),
        ("request_key", page.attribute("[name='request_key']", "value")),
    ];
    for _ in 0..2 {
        let given = ada.submit(&path_of(&seat), &form).await;
        assert_eq!((given.status, given.location()), (303, format!("/tickets/{seat}").as_str()));
    }
    assert_eq!(balance(&db, ada.account_id).await, before + 44_500);
    let sold = "select status from schedule_seats where id = $1";
    let seat_id = four.concert.seat_ids[0];
    assert_eq!(read_one_with::<String>(&db, sold, seat_id).await, "AVAILABLE");
    let void = ada.visit(&format!("/tickets/{seat}")).await;
    assert!(void.body.contains("You gave this ticket back"), "{}", void.body);
    four.expect_kept(3).await;

    let given = give_back(ada, &place).await;
    assert_eq!((given.status, &given.json()["refunded"]), (201, &json!(26_700)));
    four.expect_kept(2).await;
    assert_eq!(status_of(&db, id).await, "CONFIRMED");
    let reservation = ada.visit(&format!("/reservations/{id}")).await;
    assert!(reservation.body.contains("71,200"), "the rest: {}", reservation.body);
    // What all of it gives together is what one refund of all of it gives: the fee is paid once.
    assert_eq!(cancel(ada, id).await.json()["refunded"], 71_200);
    assert_eq!(balance(&db, ada.account_id).await, before + 160_000 * 9 / 10 - 1_600);
    four.expect_kept(0).await;
    let kinds: Vec<String> =
        read_all(&db, "select kind from outbox where kind like 'ticket%' order by position").await;
    assert_eq!(kinds, ["ticket-refunded", "ticket-refunded"]);
    let told: Vec<Value> =
        read_all(&db, "select payload from domain_events where kind = 'ticket.refunded'").await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!((&told[0]["price"], &told[0]["refunded"]), (&json!(50_000), &json!(44_500)));
    four.office.close().await;
}

#[sqlx::test]
async fn of_refunds_of_a_ticket_and_of_its_order_at_once_each_point_comes_back_once(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    let before = balance(&db, four.ada.account_id).await;
    let (seat, id) = (four.code(true, 0).await, four.bought.reservation_id);
    let answers = storm((0..20).map(|nth| {
        let (ada, seat) = (four.ada.clone(), seat.clone());
        async move {
            match nth {
                7 => cancel(&ada, id).await,
                _ => give_back(&ada, &seat).await,
            }
        }
    }))
    .await;
    // A slow machine ends some at their deadline: what came of those is unknown until it is asked.
    let n_unknown = count(&answers, 503, "unavailable");
    let (n_orders, n_alone) = (count(&answers, 200, ""), count(&answers, 201, ""));
    let n_late = count(&answers, 409, "ticket-refund-not-valid");
    assert!(n_orders <= 1 && n_alone <= 1, "{answers:?}");
    assert_eq!(n_orders + n_alone + n_late + n_unknown, 20, "{answers:?}");
    assert!(n_orders == 1 || n_unknown > 0, "{answers:?}");
    until("the order is given back", async || cancel(&four.ada, id).await.status == 409).await;
    assert_eq!(balance(&db, four.ada.account_id).await, before + 160_000);
    four.expect_kept(0).await;
    four.office.close().await;
}

#[sqlx::test]
async fn the_place_is_sold_again_at_its_own_price(db: PgPool) {
    let four = Four::sold(&db, 50, 0).await;
    run_sql(&db, "update schedule_seats set price = 70000").await;
    assert_eq!(give_back(&four.ada, &four.code(true, 0).await).await.status, 201);
    let bob = four.office.sign_in("bob").await;
    admit(&db, &four.concert, std::slice::from_ref(&bob)).await;
    let held = hold(&bob, &four.concert, &four.concert.seat_ids[..1]).await;
    assert_eq!((held.status, &held.json()["total"]), (201, &json!(70_000)), "{}", held.body);
    four.expect_kept(3).await;
    let admin = four.office.employ("admin", "ADMIN").await;
    let sales = format!("/admin/programs/{}/sales.csv", four.concert.program_id);
    let rows = admin.get(&sales).await.records();
    let of_ada = rows.iter().find(|row| row[2] == "CONFIRMED").unwrap();
    assert_eq!([&of_ada[5], &of_ada[10], &of_ada[12]], ["3", "0", "1"], "{rows:?}");
    // The sale pays no seller.
    let resold = "select count(*) from outbox where kind = 'ticket-sold'";
    assert_eq!(read_one::<i64>(&db, resold).await, 0);
    four.office.close().await;
}

#[sqlx::test]
async fn a_ticket_that_is_somewhere_else_is_not_refunded_by_itself(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    let Four { office, ada, .. } = &four;
    let (bob, seat, other) =
        (office.sign_in("bob").await, four.code(true, 0).await, four.code(true, 1).await);
    expect_refused(&give_back(&bob, &seat).await, 404, "not-found");
    expect_refused(&bob.get(&path_of(&seat)).await, 404, "not-found");

    let returned = ada.post_json(&format!("/tickets/{seat}/returns"), &json!({})).await.json();
    expect_refused(&give_back(ada, &seat).await, 409, "ticket-refund-on-sale");
    let page = ada.visit(&path_of(&seat)).await;
    assert!(page.body.contains("Take it off sale first"), "{}", page.body);
    let taken = format!("/returns/{}/cancellation", returned["return_id"].as_str().unwrap());
    assert_eq!(ada.post(&taken, &()).await.status, 200);

    let to = json!({ "to": email_of(&db, bob.account_id).await });
    let offer = ada.post_json(&format!("/tickets/{other}/hand-overs"), &to).await.json();
    expect_refused(&give_back(ada, &other).await, 409, "ticket-refund-offered");
    let path = format!("/hand-overs/{}/acceptance", offer["hand_over_id"].as_str().unwrap());
    let accepted = bob.post(&path, &()).await.json();
    let theirs = accepted["code"].as_str().unwrap();
    expect_refused(&give_back(&bob, theirs).await, 403, "ticket-refund-not-payer");
    expect_refused(&give_back(ada, &other).await, 404, "not-found");

    let form = json!({ "refunded": 49_999 });
    let changed = ada.post_json(&path_of(&seat), &form).await;
    expect_refused(&changed, 409, "ticket-refund-changed");
    assert_eq!(changed.json()["refunded"], 50_000);
    four.expect_kept(4).await;
    // The whole order waits for the ticket that is away; this one does not.
    expect_refused(&cancel(ada, four.bought.reservation_id).await, 409, "ticket-handed-over");
    assert_eq!(give_back(ada, &seat).await.status, 201);
    four.expect_kept(3).await;
    four.office.close().await;
}

#[sqlx::test]
async fn what_was_agreed_for_the_whole_order_is_kept(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    let (ada, seat) = (&four.ada, four.code(true, 0).await);
    run_sql(&db, "update reservations set places_min = 4").await;
    let few = give_back(ada, &seat).await;
    expect_refused(&few, 409, "leaves-too-few");
    run_sql(&db, "update reservations set places_min = 1").await;

    run_sql(&db, "update reservations set refund_steps = '[]'").await;
    expect_refused(&give_back(ada, &seat).await, 409, "refund-over");
    let page = ada.visit(&path_of(&seat)).await;
    assert_eq!(page.status, 200);
    assert!(!page.has("form[action$='/refund']"), "{}", page.body);

    let used = "update tickets set status = 'USED', used_at = now() where code = $1";
    sqlx::query(used).bind(&seat).execute(&db).await.unwrap();
    let late = give_back(ada, &seat).await;
    expect_refused(&late, 409, "ticket-refund-not-valid");
    assert_eq!(late.json()["ticket_status"], "USED");
    four.expect_kept(3).await;
    four.office.close().await;
}

#[sqlx::test]
async fn tickets_of_an_order_with_a_discount_give_one_by_one_what_they_give_together(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(ada.post("/wallet/charges", &[("amount", 200_000)]).await.status, 201);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    listen(&db).await;
    let code = "insert into sale_codes (id, program_id, word, amount, uses)
        select gen_random_uuid(), id, 'GIFT', 10001, 0 from programs";
    run_sql(&db, code).await;
    let order = json!({
        "seat_ids": &concert.seat_ids[..3], "code": "GIFT", "request_key": Uuid::now_v7(),
    });
    let held = ada.post_json(&order_path(&concert), &order).await;
    assert_eq!((held.status, &held.json()["total"]), (201, &json!(139_999)), "{}", held.body);
    let id: Uuid = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();
    let paid = ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    agree_on(&db, id, 90, 999).await;
    let codes: Vec<String> = read_all(&db, "select code from tickets order by id").await;
    let mut prices = Vec::new();
    for code in &codes {
        prices.push(ada.get(&path_of(code)).await.json()["price"].as_i64().unwrap());
    }
    assert_eq!(prices.iter().sum::<i64>(), 139_999, "{prices:?}");
    assert!(prices.iter().all(|price| (46_666..=46_667).contains(price)), "{prices:?}");
    let before = balance(&db, ada.account_id).await;
    for code in &codes[..2] {
        let given = give_back(&ada, code).await;
        assert_eq!(given.status, 201, "{}", given.body);
        assert_sound(&office).await;
    }
    // What is left is what was paid for the last: in the sales, in their file, and for who listens.
    let admin = office.employ("admin", "ADMIN").await;
    let sales = format!("/admin/programs/{}/sales", concert.program_id);
    let shown = admin.get(&sales).await.json();
    let schedule = concert.schedule_id.to_string();
    assert_eq!(shown["discounts"][&schedule], 50_000 - prices[2], "{shown}");
    let file = admin.get(&format!("{sales}.csv")).await;
    let row = &file.records()[1];
    for points in [prices[2], 50_000 - prices[2]] {
        assert!(row.contains(&points.to_string()), "{points}: {row:?}");
    }
    run_sql(&db, "update webhook_endpoints set kinds = '{reservation.refunded}'").await;
    assert_eq!(cancel(&ada, id).await.status, 200);
    let told = "select (payload ->> 'total')::bigint from domain_events where kind = 'reservation.refunded'";
    assert_eq!(read_one::<i64>(&db, told).await, prices[2]);
    let back = balance(&db, ada.account_id).await - before;
    assert!((125_000 - 3..=125_000).contains(&back), "90 percent less the fee, once: {back}");
    assert_sound(&office).await;
    office.close().await;
}

/// The fee of an order is divided by what others had not bought of it at that moment, not by what they buy later.
#[sqlx::test]
async fn a_ticket_that_is_sold_on_later_does_not_change_what_a_refund_before_it_gave(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let three = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
    let own = Purchase::make(&db, &concert, &ada, three).await;
    agree_on(&db, own.reservation_id, 90, 999).await;
    let given = give_back(&ada, &own.codes[0]).await;
    assert_eq!(given.status, 201, "{}", given.body);
    let put = json!({ "request_key": Uuid::now_v7() });
    let put = ada.post_json(&format!("/tickets/{}/returns", own.codes[1]), &put).await;
    assert_eq!(put.status, 201, "{}", put.body);
    let seat = "select schedule_seat_id from ticket_returns where status = 'OPEN'";
    let seat: i64 = read_one(&db, seat).await;
    admit(&db, &concert, std::slice::from_ref(&bob)).await;
    let held = hold(&bob, &concert, &[seat]).await.json();
    assert_eq!(bob.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    let path = format!("/reservations/{}/payment", held["reservation_id"].as_str().unwrap());
    assert_eq!(bob.post(&path, &()).await.status, 201);
    assert_sound(&office).await;
    assert_eq!(cancel(&ada, own.reservation_id).await.status, 200);
    assert_sound(&office).await;
    office.close().await;
}

/// A friend who paid for one of the places gives it back, and the holder's refund is of the rest.
#[sqlx::test]
async fn who_paid_a_share_gives_the_own_ticket_back_alone(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, ConcertOptions::default()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    for person in [&ada, &bob] {
        let charged = person.post("/wallet/charges", &[("amount", 200_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
    }
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let left = ada.get(&format!("/reservations/{id}/shares")).await.json()["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let share = ada.post_json(&format!("/reservations/{id}/shares"), &form).await.json();
    let url = share["url"].as_str().unwrap();
    let link = &url[url.find("/shares/").unwrap()..];
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    assert_eq!(ada.post(&format!("/reservations/{id}/rest/payment"), &()).await.status, 201);
    agree_on(&db, id, 80, 1_000).await;
    let listed = bob.get("/tickets").await.json();
    let code = listed["tickets"][0]["code"].as_str().unwrap();
    // Half of the order, and half of its fee.
    assert_eq!(give_back(&bob, code).await.json()["refunded"], 39_500);
    assert_eq!(balance(&db, bob.account_id).await, 189_500);
    assert_sound(&office).await;
    assert_eq!(cancel(&ada, id).await.json()["refunded"], 39_500);
    assert_sound(&office).await;
    office.close().await;
}

/// What the constraints refuse, whatever the program did.
#[sqlx::test]
async fn the_database_refuses_a_second_refund_and_one_that_is_none(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    assert_eq!(give_back(&four.ada, &four.code(true, 0).await).await.status, 201);
    let copy = |ticket: &str, status: &str, payout: i64| {
        format!(
            "insert into ticket_returns (id, ticket_id, reservation_item_id, reservation_id, schedule_id,
                 schedule_seat_id, zone_id, seller_id, payment_id, price, fee_percent, payout, status,
                 settled_at, to_house)
             select gen_random_uuid(), {ticket}, reservation_item_id, reservation_id, schedule_id,
                 schedule_seat_id, zone_id, seller_id, payment_id, price, 0, {payout}, '{status}',
                 case '{status}' when 'OPEN' then null else now() end, true
             from ticket_returns"
        )
    };
    let other = "(select id from tickets where status = 'VALID' limit 1)";
    for (sql, constraint) in [
        (copy("ticket_id", "SOLD", 0), "ticket_returns_live_key"),
        (copy(other, "OPEN", 0), "ticket_returns_to_house_is_sold"),
        (copy(other, "SOLD", 50_001), "ticket_returns_payout_is_price_less_fee"),
    ] {
        let refused = sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&db).await.unwrap_err();
        let refused = refused.as_database_error().unwrap().constraint();
        assert_eq!(refused, Some(constraint));
    }
    four.office.close().await;
}

#[sqlx::test]
async fn several_tickets_of_an_order_go_back_together_for_what_was_shown_of_each(db: PgPool) {
    let four = Four::sold(&db, 90, 1_600).await;
    listen(&db).await;
    let ada = &four.ada;
    let hold = Hold { places: 1, ..Hold::default() };
    let other = Purchase::make(&db, &four.concert, ada, hold).await;
    let (seat, next) = (four.code(true, 0).await, four.code(true, 1).await);
    let place = four.code(false, 0).await;
    let path = path_of(&seat);
    for (with, status, code) in [
        (json!([next, next]), 422, "invalid"),
        (json!([seat]), 422, "invalid"),
        (json!(["nobody's"]), 422, "invalid"),
        (json!([other.codes[0]]), 404, "not-found"),
        (json!([format!("{next}:44501")]), 409, "ticket-refund-changed"),
    ] {
        let form = json!({ "with": with, "refunded": 44_500 });
        let refused = ada.post_json(&path, &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{}", refused.body);
    }
    four.expect_kept(5).await;
    let before = balance(&db, ada.account_id).await;
    let page = ada.visit(&path).await;
    assert!(page.has(&format!("[name='with'][value='{next}:44500']")), "{}", page.body);
    let form = [
        ("refunded", page.attribute("[name='refunded']", "value")),
        ("request_key", page.attribute("[name='request_key']", "value")),
        ("with", format!("{next}:44500")),
        ("with", format!("{place}:26700")),
    ];
    let clicks = storm((0..8).map(|_| {
        let (ada, path, form) = (ada.clone(), path.clone(), form.clone());
        async move { ada.submit(&path, &form).await }
    }))
    .await;
    assert!(clicks.iter().any(|click| click.status == 303), "{clicks:?}");
    assert!(clicks.iter().all(|click| [303, 409].contains(&click.status)), "{clicks:?}");
    assert_eq!(balance(&db, ada.account_id).await, before + 2 * 44_500 + 26_700);
    four.expect_kept(2).await;
    let free = "select count(*) from schedule_seats where status = 'AVAILABLE'";
    assert_eq!(read_one::<i64>(&db, free).await, 20);
    let told = "select count(*) from domain_events where kind = 'ticket.refunded'";
    assert_eq!(read_one::<i64>(&db, told).await, 3);
    let mails = "select count(*) from outbox where kind = 'ticket-refunded'";
    assert_eq!(read_one::<i64>(&db, mails).await, 1);
    assert_eq!(cancel(ada, four.bought.reservation_id).await.json()["refunded"], 26_700);
    four.expect_kept(1).await;
    four.office.close().await;
}

#[sqlx::test]
async fn what_may_not_be_alone_goes_back_with_what_it_belongs_to(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    let (ada, seats) = (&four.ada, &four.concert.seat_ids);
    for sql in [
        "update seats set kind = 'WHEELCHAIR' where row_label = 'A' and number = 7",
        "update seats set kind = 'COMPANION', companion_of = 7 where row_label = 'A' and number = 8",
        "update schedule_seats c set kind = s.kind, wheelchair_seat_id = case s.kind
             when 'COMPANION' then (select id from seats where kind = 'WHEELCHAIR') end
         from seats s where s.id = c.seat_id",
    ] {
        run_sql(&db, sql).await;
    }
    admit_projected(&four.office, &four.concert, std::slice::from_ref(ada)).await;
    let order = json!({ "seat_ids": &seats[6..8], "needed": true, "request_key": Uuid::now_v7() });
    let held = ada.post_json(&order_path(&four.concert), &order).await.json();
    let path = format!("/reservations/{}/payment", held["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&path, &()).await.status, 201);
    let of_seat =
        "select t.code from tickets t join reservation_items i on i.id = t.reservation_item_id
         where i.schedule_seat_id = $1";
    let chair: String = read_one_with(&db, of_seat, seats[6]).await;
    let beside: String = read_one_with(&db, of_seat, seats[7]).await;
    let alone = give_back(ada, &chair).await;
    expect_refused(&alone, 409, "leaves-companion-alone");
    let page = ada.visit(&path_of(&chair)).await;
    assert!(page.has("p.notice"), "{}", page.body);
    assert_eq!(page.body.matches(&format!("value=\"{beside}:")).count(), 1, "{}", page.body);
    let form = json!({ "with": [beside], "request_key": Uuid::now_v7() });
    let both = ada.post_json(&path_of(&chair), &form).await;
    assert_eq!((both.status, &both.json()["refunded"]), (201, &json!(100_000)), "{}", both.body);
    four.expect_kept(4).await;
    four.office.close().await;
}
