//! Exchanges at the same moment, of one account and in a full house.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{FEE, SEAT, Swap, begin, held};
use crate::{
    payment::{assert_sound, pay},
    support::{
        Concert, ConcertOptions, Hold, Office, Purchase, admit, count, hold,
        ledger::{balance, violations},
        order_until_known, read_all, read_one, run_sql, storm,
    },
};

#[sqlx::test]
async fn of_exchanges_begun_at_once_one_is_open(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let codes = [swap.code(0).await];
    let id = swap.bought.reservation_id;
    let answers = storm((0..20).map(|nth| {
        let (ada, codes) = (swap.office.moved(&swap.ada, nth), codes.clone());
        async move { begin(&ada, id, &codes).await }
    }))
    .await;
    let n_unknown = count(&answers, 503, "unavailable") + count(&answers, 409, "contended");
    assert_eq!(count(&answers, 201, "") + n_unknown, 20, "{answers:?}");
    let open = "select count(*) from exchanges where status = 'OPEN'";
    assert_eq!(read_one::<i64>(&db, open).await, 1);
    swap.office.close().await;
}

/// Two holds of one exchange are paid at once: the tickets pay for one of them.
#[sqlx::test]
async fn of_two_holds_paid_at_once_the_tickets_pay_for_one(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let before = swap.balance().await;
    let first = swap.begun(&[0, 1], 4).await;
    let second = held(&hold(&swap.ada, &swap.concert, &swap.concert.seat_ids[6..7]).await);
    let answers = storm([first, second].into_iter().enumerate().map(|(nth, order)| {
        let ada = swap.office.moved(&swap.ada, nth);
        async move {
            let form = json!({ "request_key": order });
            order_until_known(&ada, &format!("/reservations/{order}/payment"), &form).await
        }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 2, "{answers:?}");
    assert_eq!(swap.balance().await, before - 2 * SEAT + 2 * (SEAT - FEE));
    let done = "select count(*) from exchanges where status = 'DONE'";
    assert_eq!(read_one::<i64>(&db, done).await, 1);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// A check-in, a return and a payment with the same ticket: one of them has it.
#[sqlx::test]
async fn of_a_payment_and_a_refund_of_its_ticket_at_once_one_has_it(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let before = swap.balance().await;
    let (order, code) = (swap.begun(&[0], 4).await, swap.code(0).await);
    let answers = storm((0..10).map(|nth| {
        let (ada, code) = (swap.office.moved(&swap.ada, nth), code.clone());
        async move {
            match nth {
                3 => pay(&ada, order).await,
                _ => ada.post_json(&format!("/tickets/{code}/refund"), &json!({})).await,
            }
        }
    }))
    .await;
    let done = "select count(*) from ticket_returns where status = 'SOLD'";
    assert_eq!(read_one::<i64>(&db, done).await, 1, "{answers:?}");
    let exchanged = "select count(*) from ticket_returns where exchange_id is not null";
    let is_exchanged = read_one::<i64>(&db, exchanged).await == 1;
    assert_eq!(swap.balance().await, before + if is_exchanged { -FEE } else { SEAT });
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// Holders of eleven of twelve seats exchange them for the one that is free, and then for what that frees.
#[sqlx::test]
async fn in_a_full_house_everybody_moves_and_nothing_is_sold_twice(db: PgPool) {
    const PEOPLE: usize = 11;
    let office = Office::open(db.clone()).await;
    let seats = i32::try_from(PEOPLE).unwrap() + 1;
    let options = ConcertOptions { seats, places_per_account_max: 1, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    run_sql(&db, "update programs set exchange_fee = 1000").await;
    let people = office.crowd(PEOPLE, "Holder").await;
    for (nth, person) in people.iter().enumerate() {
        let own = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        let bought = Purchase::make(&db, &concert, person, own).await;
        let begun = begin(person, bought.reservation_id, &bought.codes).await;
        assert_eq!(begun.status, 201, "{}", begun.body);
    }
    admit(&db, &concert, &people).await;
    let answers = storm(people.iter().enumerate().map(|(nth, person)| {
        let (person, concert) = (office.moved(person, nth), concert.clone());
        async move {
            let mut last = None;
            for round in 0..2 * PEOPLE {
                let wanted = concert.seat_ids[(PEOPLE + round + nth) % (PEOPLE + 1)];
                let answer = hold(&person, &concert, &[wanted]).await;
                if answer.status != 201 {
                    last = Some(answer);
                    continue;
                }
                let order = answer.json()["reservation_id"].as_str().unwrap().to_owned();
                let form = json!({ "request_key": Uuid::now_v7() });
                let path = format!("/reservations/{order}/payment");
                return order_until_known(&person, &path, &form).await;
            }
            last.unwrap()
        }
    }))
    .await;
    let n_paid = count(&answers, 201, "");
    assert!(n_paid > 0, "{answers:?}");
    let done = "select count(*) from exchanges where status = 'DONE'";
    assert_eq!(read_one::<i64>(&db, done).await, i64::try_from(n_paid).unwrap(), "{answers:?}");
    let taken = "select count(*) from schedule_seats where status = 'RESERVED'";
    assert_eq!(read_one::<i64>(&db, taken).await, i64::try_from(PEOPLE).unwrap());
    let valid = "select count(*) from tickets where status = 'VALID'";
    assert_eq!(read_one::<i64>(&db, valid).await, i64::try_from(PEOPLE).unwrap());
    let mut all = 0;
    for person in &people {
        all += balance(&db, person.account_id).await;
    }
    let people_points = i64::try_from(PEOPLE).unwrap() * (1_000_000 - SEAT);
    assert_eq!(all, people_points - i64::try_from(n_paid).unwrap() * FEE);
    assert_sound(&office).await;
    office.close().await;
}

/// The canary of the storms above: payments that look first whether the exchange is open, and then write without its
/// lock and without what the database refuses.
#[sqlx::test]
async fn without_the_locks_and_the_guard_one_ticket_pays_twice(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let before = swap.balance().await;
    assert_eq!(swap.begin(&[0]).await.status, 201);
    run_sql(&db, "drop index ticket_returns_live_key").await;
    // All look before one writes: what a storm does to statements without a lock, made certain.
    let looks = (0..4)
        .map(|_| read_all::<Uuid>(&db, "select id from exchanges where status = 'OPEN'"))
        .collect::<Vec<_>>();
    let looks = futures_util::future::join_all(looks).await;
    let naive = looks.into_iter().flatten().map(async |id| {
        let return_id = Uuid::now_v7();
        for statement in [
            "insert into ticket_returns (id, ticket_id, reservation_item_id, reservation_id, schedule_id,
                 schedule_seat_id, seller_id, payment_id, price, fee_percent, payout, to_house, exchange_id,
                 status, settled_at)
             select $2, t.id, i.id, i.reservation_id, i.schedule_id, i.schedule_seat_id,
                 x.account_id, p.id, i.unit_price, 0, i.unit_price - x.fee, true, x.id, 'SOLD', clock_timestamp()
             from exchanges x
             join exchanged_tickets e on e.exchange_id = x.id
             join tickets t on t.id = e.ticket_id
             join reservation_items i on i.id = t.reservation_item_id
             join payments p on p.reservation_id = i.reservation_id
             where x.id = $1",
            "with paid as (update wallets w set balance = balance + r.payout, version = w.version + 1
                 from ticket_returns r where r.exchange_id = $1 and r.id = $2 and w.account_id = r.seller_id
                 returning w.id, w.version, w.balance, r.payout, r.id as return_id)
             insert into point_transactions
                 (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
             select gen_random_uuid(), id, version, 'RESALE', payout, balance, return_id from paid",
        ] {
            sqlx::query(statement).bind(id).bind(return_id).execute(&db).await.unwrap();
        }
    });
    futures_util::future::join_all(naive).await;
    assert!(swap.balance().await > before + SEAT, "the naive statements came one after the other");
    let found = violations(&swap.office).await;
    assert!(found.iter().any(|violation| violation.starts_with("P8 ")), "{found:?}");
    swap.office.close_as_it_is().await;
}
