//! Refunds of orders that go on to the cards: of one payer, of friends who paid together, and of a cancelled show.

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{concert, make_payouts_due, returned, states, until_all};
use crate::{
    payment::checkout::reversals::{Bought, buy},
    support::{
        Concert, ConcertOptions, Hold, Office, Person, Purchase, StripeStandIn, agree_on, email_of,
        ledger::{balance, entries},
        read_all, read_one, run_sql_with, until,
    },
};

async fn pay(person: &Person, id: Uuid) {
    let paid = person.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
}

async fn give_back(person: &Person, id: Uuid, refunds: &str) -> Value {
    let form = json!({ "refunds": refunds, "request_key": Uuid::now_v7() });
    let path = format!("/reservations/{id}/cancellation");
    let answer = person.post_json(&path, &form).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

#[sqlx::test]
async fn an_order_is_refunded_to_the_card_or_to_the_wallet_as_the_person_chooses(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let (ada, concert) = (&bought.ada, concert(&db).await);
    let mut ids = Vec::new();
    for seat in &concert.seat_ids[..2] {
        let hold =
            Hold { seat_ids: std::slice::from_ref(seat), refund_percent: 70, ..Hold::default() };
        ids.push(hold.write(&db, &concert, ada.account_id).await);
        pay(ada, ids[ids.len() - 1]).await;
    }
    let page = ada.visit(&format!("/reservations/{}", ids[0])).await;
    assert!(page.body.contains("<strong>\u{20a9}70</strong>"), "{}", page.body);
    assert!(page.has("[name='refunds'][value='wallet'][checked]"), "{}", page.body);
    let given = give_back(ada, ids[0], "card").await;
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(70), &json!(70)));
    assert_eq!(bought.balance().await, 300);
    until_all(&db, "SETTLED").await;
    let of: Vec<Uuid> = read_all(&db, "select reservation_id from payouts").await;
    assert_eq!(of, [ids[0]]);
    let page = ada.visit(&format!("/reservations/{}", ids[0])).await;
    assert!(page.body.contains(">Sent<"), "{}", page.body);
    let given = give_back(ada, ids[1], "wallet").await;
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(70), &json!(0)));
    assert_eq!((bought.balance().await, returned(&bought.stripe).await), (370, 70));
    let wrong = json!({ "refunds": "cash" });
    let path = format!("/reservations/{}/cancellation", ids[1]);
    assert_eq!(ada.post_json(&path, &wrong).await.status, 422);
    bought.office.close().await;
}

#[sqlx::test]
async fn a_step_goes_to_the_card_less_its_fee(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let (ada, concert) = (&bought.ada, concert(&db).await);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    pay(ada, id).await;
    agree_on(&db, id, 90, 15).await;
    let page = ada.visit(&format!("/reservations/{id}")).await;
    assert!(page.body.contains("<strong>\u{20a9}75</strong>"), "{}", page.body);
    let given = give_back(ada, id, "card").await;
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(75), &json!(75)));
    until_all(&db, "SETTLED").await;
    assert_eq!(returned(&bought.stripe).await, 75);
    bought.office.close().await;
}

/// Bob has spent what he bought, and pays for the next seat with 60 points of a friend and 40 of a second purchase:
/// only those 40 go to his card, though two purchases have 140 left.
#[sqlx::test]
async fn what_was_not_bought_comes_back_as_points(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let (concert, bob) = (concert(&db).await, bought.office.sign_in("bob").await);
    buy(&bought.stripe, &bob, 100).await;
    let order = async |nth: usize| {
        let hold = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        let id = hold.write(&db, &concert, bob.account_id).await;
        pay(&bob, id).await;
        id
    };
    order(0).await;
    let his = email_of(&db, bob.account_id).await;
    let offered =
        bought.ada.post_json("/wallet/transfers", &json!({ "to": his, "amount": 60 })).await;
    let id = offered.json()["transfer_id"].as_str().unwrap().to_owned();
    assert_eq!(bob.post(&format!("/wallet/transfers/{id}/acceptance"), &()).await.status, 200);
    let payment = buy(&bought.stripe, &bob, 40).await;
    let id = order(1).await;
    let page = bob.visit(&format!("/reservations/{id}")).await;
    assert!(page.body.contains("The other \u{20a9}60"), "{}", page.body);
    let given = give_back(&bob, id, "card").await;
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(100), &json!(40)));
    until_all(&db, "SETTLED").await;
    let refunds = bought.stripe.refunds().await;
    assert_eq!((refunds.len(), &refunds[0]["payment_intent"]), (1, &payment));
    assert_eq!(balance(&db, bob.account_id).await, 60);
    // An order that a friend's points paid alone goes to no card.
    assert_eq!(
        bought.ada.post_json("/wallet/transfers", &json!({ "to": his, "amount": 40 })).await.status,
        201
    );
    let id: Uuid = read_one(&db, "select id from transfers where status = 'PENDING'").await;
    assert_eq!(bob.post(&format!("/wallet/transfers/{id}/acceptance"), &()).await.status, 200);
    let id = order(2).await;
    let given = give_back(&bob, id, "card").await;
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(100), &json!(0)));
    assert_eq!(balance(&db, bob.account_id).await, 100);
    bought.office.close().await;
}

/// Ada pays three seats with 160 points of the office and 140 that she bought: what she gives back goes to her card as
/// far as these 140 do, however many tickets she gives back at once.
#[sqlx::test]
async fn tickets_that_are_given_back_alone_go_to_the_card_no_further_than_their_order_was_bought(
    db: PgPool,
) {
    let bought = Bought::points(&db, 140).await;
    let (ada, concert) = (&bought.ada, concert(&db).await);
    let admin = bought.office.employ("admin", "ADMIN").await;
    let path = format!("/admin/people/{}/adjustments", ada.account_id);
    let form = json!({ "amount": 160, "reason": "a present", "request_key": Uuid::now_v7() });
    let adjusted = admin.post_json(&path, &form).await;
    assert!([200, 201].contains(&adjusted.status), "{}", adjusted.body);
    let hold = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    pay(ada, id).await;
    // What she buys later is none of what the order was paid with.
    buy(&bought.stripe, ada, 100).await;
    let codes: Vec<String> = read_all(&db, "select code from tickets order by id").await;
    let path = format!("/tickets/{}/refund", codes[0]);
    let page = ada.visit(&path).await;
    assert!(page.has("[name='refunds'][value='card']"), "{}", page.body);
    assert_eq!(page.body.matches("name=\"with\"").count(), 2, "{}", page.body);
    let form = json!({ "refunds": "card", "with": [codes[1]], "request_key": Uuid::now_v7() });
    let given = ada.post_json(&path, &form).await.json();
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(200), &json!(140)), "{given}");
    until_all(&db, "SETTLED").await;
    assert_eq!((bought.balance().await, returned(&bought.stripe).await), (160, 140));
    let mails: Vec<Uuid> =
        read_all(&db, "select id from outbox where kind = 'ticket-refunded'").await;
    assert_eq!(mails.len(), 1, "one mail about both");
    let letter = admin.get(&format!("/admin/mails/{}", mails[0])).await.body;
    for word in ["goes back to your card", "\u{20a9}200", "\u{20a9}140"] {
        assert!(letter.contains(word), "{word}: {letter}");
    }
    // The last one was paid with what the office gave.
    let path = format!("/tickets/{}/refund", codes[2]);
    assert!(!ada.visit(&path).await.has("[name='refunds']"));
    let form = json!({ "refunds": "card", "request_key": Uuid::now_v7() });
    let given = ada.post_json(&path, &form).await.json();
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(100), &json!(0)), "{given}");
    assert_eq!((bought.balance().await, returned(&bought.stripe).await), (260, 140));
    let wrong = ada.post_json(&path, &json!({ "refunds": "cash" })).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (422, "invalid"), "{}", wrong.body);
    bought.office.close().await;
}

#[sqlx::test]
async fn each_of_two_who_paid_together_has_the_own_money_back_on_the_own_card(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let (concert, bob) = (concert(&db).await, bought.office.sign_in("bob").await);
    let his = buy(&bought.stripe, &bob, 100).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &concert, bought.ada.account_id).await;
    let shares = format!("/reservations/{id}/shares");
    let left = bought.ada.get(&shares).await.json();
    let form = json!({ "places": [left["left"][0]["place"]] });
    let made = bought.ada.post_json(&shares, &form).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let path = &url[url.find("/shares/").unwrap()..];
    let paid = bob.post(&format!("{path}/payment"), &()).await;
    assert!([200, 201].contains(&paid.status), "{}", paid.body);
    let rest = bought.ada.post(&format!("/reservations/{id}/rest/payment"), &()).await;
    assert!([200, 201].contains(&rest.status), "{}", rest.body);
    // Bob has a ticket of it, so only staff give all of it back: to the cards, unless they say otherwise.
    let boss = bought.office.employ("boss", "ADMIN").await;
    let form = json!({ "share": "all", "reason": "the hall is under water" });
    let given = boss.post_json(&format!("/admin/reservations/{id}/refund"), &form).await;
    assert_eq!(given.status, 200, "{}", given.body);
    let given = given.json();
    assert_eq!((&given["refunded"], &given["to_cards"]), (&json!(200), &json!(200)));
    until_all(&db, "SETTLED").await;
    let refunds = bought.stripe.refunds().await;
    let of = |payment: &Value| {
        let own = refunds.iter().find(|refund| refund["payment_intent"] == *payment);
        own.map(|refund| refund["amount"].as_i64().unwrap())
    };
    assert_eq!((of(&his), of(&bought.payment)), (Some(100), Some(100)));
    assert_eq!((balance(&db, bob.account_id).await, bought.balance().await), (0, 400));
    bought.office.close().await;
}

/// Sells `n_orders` orders of `n_seats` seats each, cancels the show while one answer of the provider in ten is lost,
/// and fails unless every order is refunded once, to its own card, and staff see how far it is.
async fn cancel_show(db: &PgPool, n_orders: usize, n_seats: usize) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(db, 1).await;
    let seats = i32::try_from(n_orders * n_seats).unwrap();
    let concert = Concert::with(db, ConcertOptions { seats, ..ConcertOptions::default() }).await;
    run_sql_with(db, "update schedule_seats set price = $1", 100_i64).await;
    let points = i64::try_from(n_seats).unwrap() * 100;
    let people = office.crowd(n_orders, "buyer").await;
    let bought =
        people.iter().zip(concert.seat_ids.chunks(n_seats)).map(async |(person, seat_ids)| {
            let payment = buy(&stripe, person, points).await;
            let hold = Hold { seat_ids, ..Hold::default() };
            let id = hold.write(db, &concert, person.account_id).await;
            pay(person, id).await;
            payment.as_str().unwrap().to_owned()
        });
    let mut payments: Vec<String> = stream::iter(bought).buffer_unordered(8).collect().await;
    stripe.answer("refund", "lost").await;
    let boss = office.employ("boss", "ADMIN").await;
    let version: i64 = read_one(db, "select version from schedules").await;
    let path = format!("/admin/schedules/{}/cancellation", concert.schedule_id);
    let form = json!({ "version": version, "reason": "the tenor has lost his voice" });
    let cancelled = boss.post_json(&path, &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    until("payouts", async || states(db).await.len() == n_orders).await;
    let unsure = "select count(*) from payouts where n_checks > 1";
    until("an end", async || {
        make_payouts_due(db).await;
        states(db).await.iter().all(|state| state == "SETTLED")
    })
    .await;
    assert!(read_one::<i64>(db, unsure).await > 0, "no answer was lost");
    let refunds = stripe.refunds().await;
    let mut paid_back: Vec<String> = refunds
        .iter()
        .map(|refund| refund["payment_intent"].as_str().unwrap().to_owned())
        .collect();
    payments.sort_unstable();
    paid_back.sort_unstable();
    assert_eq!(paid_back, payments);
    let n = i64::try_from(n_orders).unwrap();
    assert_eq!(returned(&stripe).await, points * n);
    let list = format!("/admin/payouts?schedule_id={}", concert.schedule_id);
    let listed = boss.get(&list).await.json();
    let settled = json!({
        "status": "SETTLED", "currency": "KRW", "count": n, "points": points * n, "amount_minor": points * n,
    });
    assert_eq!(listed["sums"], json!([settled]));
    assert_eq!(balance(db, people[0].account_id).await, 0);
    assert_eq!(entries(db, people[0].account_id, "PAYOUT").await, 1);
    office.close().await;
}

#[sqlx::test]
async fn of_a_cancelled_show_every_order_goes_back_to_its_card_once(db: PgPool) {
    cancel_show(&db, 40, 1).await;
}

#[sqlx::test]
async fn of_a_cancelled_show_of_two_thousand_tickets_every_order_goes_back_to_its_card_once(
    db: PgPool,
) {
    cancel_show(&db, 500, 4).await;
}

/// The provider has no money for any of it: staff see why, and try again once it has.
#[sqlx::test]
async fn staff_see_what_failed_and_why_and_try_it_again_once(db: PgPool) {
    let bought = Bought::points(&db, 300).await;
    let (ada, boss) = (&bought.ada, bought.office.employ("boss", "ADMIN").await);
    bought.stripe.answer("refund", "balance").await;
    for _ in 0..2 {
        assert_eq!(super::pay_out(ada, 100).await.status, 201);
    }
    until_all(&db, "FAILED").await;
    let page = boss.visit("/admin/payouts?status=FAILED").await;
    assert!(page.body.contains("balance_insufficient"), "{}", page.body);
    let failed = boss.get("/admin/payouts?status=FAILED").await.json();
    assert_eq!(failed["payouts"].as_array().unwrap().len(), 2, "{failed}");
    assert_eq!(boss.get("/admin/payouts?status=LOST").await.status, 422);
    assert_eq!(ada.get("/admin/payouts").await.status, 403);
    bought.stripe.answer("refund", "ok").await;
    let id = failed["payouts"][0]["id"].as_str().unwrap();
    let path = format!("/admin/payouts/{id}/attempts");
    assert_eq!(ada.post_json(&path, &json!({})).await.status, 403);
    assert_eq!(boss.post_json(&path, &json!({})).await.status, 200);
    assert_eq!(boss.post_json(&path, &json!({})).await.code(), "payout-not-failed");
    let all = boss.post_json("/admin/payouts/attempts", &json!({})).await;
    assert_eq!(all.json(), json!({ "tried": 1, "tried_to": null }));
    until("an end", async || {
        states(&db).await.iter().filter(|state| *state == "SETTLED").count() == 2
    })
    .await;
    assert_eq!((returned(&bought.stripe).await, bought.balance().await), (200, 100));
    let acts = "select count(*) from audit_log where act = 'payout-tried-again'";
    assert_eq!(read_one::<i64>(&db, acts).await, 2);
    bought.office.close().await;
}

#[sqlx::test]
async fn where_points_are_not_sold_no_refund_speaks_of_cards(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, boss) = (office.sign_in("ada").await, office.employ("boss", "ADMIN").await);
    let concert = concert(&db).await;
    let bought = Purchase::make(
        &db,
        &concert,
        &ada,
        Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() },
    );
    let id = bought.await.reservation_id;
    for (person, path) in [
        (&ada, format!("/reservations/{id}")),
        (&boss, format!("/admin/reservations/{id}")),
        (&boss, format!("/admin/schedules/{}/cancellation", concert.schedule_id)),
        (&boss, format!("/admin/programs/{}/cancellation", concert.program_id)),
    ] {
        let page = person.visit(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(!page.has("[name='refunds']"), "{path}: {}", page.body);
    }
    office.close().await;
}

/// Bought points that paid for a ticket are bought points again once it is given back, and no more than were taken.
#[sqlx::test]
async fn a_ticket_that_is_given_back_by_itself_gives_bought_points_back(db: PgPool) {
    let bought = Bought::points(&db, 150).await;
    let (ada, concert) = (&bought.ada, concert(&db).await);
    run_sql_with(&db, "update schedule_seats set price = $1", 75_i64).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], refund_percent: 100, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    pay(ada, id).await;
    assert_eq!(ada.get("/wallet").await.json()["payable"], json!([]));
    let codes: Vec<String> = read_all(&db, "select code from tickets order by id").await;
    let given = ada.post_json(&format!("/tickets/{}/refund", codes[0]), &json!({})).await;
    assert_eq!(given.status, 201, "{}", given.body);
    assert_eq!(ada.get("/wallet").await.json()["payable"][0]["points"], 75);
    give_back(ada, id, "card").await;
    until_all(&db, "SETTLED").await;
    assert_eq!(returned(&bought.stripe).await, 75);
    assert_eq!(ada.get("/wallet").await.json()["payable"][0]["points"], 75);
    bought.office.close().await;
}
