//! Paying a reservation, once.

mod crashes;
mod lost_commit;
mod refunds;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, count,
    ledger::{balance, entries, violations},
    storm,
};

const PAYMENTS: usize = 100;
const PRICE: i64 = 50_000;

async fn charge(person: &Person, amount: i64) {
    let answer = person.post("/wallet/charges", &[("amount", amount)]).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

async fn pay(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/payment"), &()).await
}

async fn cancel(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/cancellation"), &()).await
}

async fn status_of(db: &PgPool, reservation_id: Uuid) -> String {
    sqlx::query_scalar("select status from reservations where id = $1")
        .bind(reservation_id)
        .fetch_one(db)
        .await
        .unwrap()
}

/// The statuses of seats and tickets of one reservation, in order.
async fn seats_and_tickets(db: &PgPool, reservation_id: Uuid) -> (Vec<String>, Vec<String>) {
    let seats = sqlx::query_scalar(
        "select s.status from schedule_seats s join reservation_items i on i.schedule_seat_id = s.id
         where i.reservation_id = $1 order by s.id",
    );
    let tickets = sqlx::query_scalar(
        "select t.status from tickets t join reservation_items i on i.id = t.reservation_item_id
         where i.reservation_id = $1 order by t.id",
    );
    (
        seats.bind(reservation_id).fetch_all(db).await.unwrap(),
        tickets.bind(reservation_id).fetch_all(db).await.unwrap(),
    )
}

async fn assert_sound(office: &Office) {
    assert_eq!(violations(office).await, Vec::<String>::new());
}

#[sqlx::test]
async fn a_payment_takes_points_sells_the_seats_and_issues_the_tickets(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 200_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 2, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;

    let answer = pay(&ada, id).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let paid = answer.json();
    assert_eq!((&paid["amount"], &paid["balance"]), (&json!(160_000), &json!(40_000)));
    assert_eq!(paid["tickets"].as_array().unwrap().len(), 4);
    assert_eq!(status_of(&db, id).await, "CONFIRMED");
    let (seats, tickets) = seats_and_tickets(&db, id).await;
    assert_eq!(seats, ["RESERVED"; 2]);
    assert_eq!(tickets, ["VALID"; 4]);
    assert_sound(&office).await;

    let again = pay(&ada, id).await;
    assert_eq!((again.status, again.code().as_str()), (409, "already-paid"));
    office.close().await;
}

#[sqlx::test]
async fn of_a_hundred_payments_at_once_one_succeeds(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 1_000_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let answers = storm((0..PAYMENTS).map(|idx| {
        let ada = office.moved(&ada, idx);
        async move {
            let form = [("request_key", Uuid::now_v7().to_string())];
            ada.post(&format!("/reservations/{id}/payment"), &form).await
        }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "already-paid"), PAYMENTS - 1, "{answers:?}");
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000 - 2 * PRICE);
    assert_eq!(entries(&db, ada.account_id, "PAYMENT").await, 1);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_hundred_payments_with_one_key_get_one_answer(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    // Exactly enough: a second half of a double click would find the wallet empty.
    charge(&ada, PRICE).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let key = Uuid::now_v7().to_string();
    let answers =
        storm((0..PAYMENTS).map(|idx| {
            let (ada, key) = (office.moved(&ada, idx), key.clone());
            async move {
                ada.post(&format!("/reservations/{id}/payment"), &[("request_key", key)]).await
            }
        }))
        .await;
    assert_eq!(count(&answers, 201, ""), PAYMENTS, "{answers:?}");
    let first = answers[0].json();
    assert!(answers.iter().all(|answer| answer.json() == first));
    assert_eq!(balance(&db, ada.account_id).await, 0);
    assert_eq!(entries(&db, ada.account_id, "PAYMENT").await, 1);
    assert_sound(&office).await;

    // The same key on another reservation is another order.
    let hold = Hold { seat_ids: &concert.seat_ids[1..2], ..Hold::default() };
    let other = hold.write(&db, &concert, ada.account_id).await;
    let reused = ada.post(&format!("/reservations/{other}/payment"), &[("request_key", key)]).await;
    assert_eq!((reused.status, reused.code().as_str()), (422, "key-reused"));
    office.close().await;
}

/// The canary of the two storms above: the same payments, with the state read first and
/// then written without a lock, and without the constraint on live payments.
#[sqlx::test]
async fn without_the_lock_the_storm_takes_points_twice(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    for _ in 0..5 {
        charge(&ada, 1_000_000).await;
    }
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    sqlx::query("drop index payments_live_key").execute(&db).await.unwrap();
    // All look before anybody pays: what a storm does to statements without a lock, made
    // certain.
    let looks = futures_util::future::join_all((0..PAYMENTS).map(|_| status_of(&db, id))).await;
    let naive = looks.into_iter().map(|status| {
        let db = db.clone();
        async move {
            if status != "HELD" {
                return false;
            }
            let mut tx = db.begin().await.unwrap();
            let payment_id = Uuid::now_v7();
            for statement in [
                "insert into payments (id, reservation_id, account_id, amount, status)
                 select $2, id, account_id, total, 'COMPLETED' from reservations where id = $1",
                "with paid as (update wallets w set balance = balance - r.total, version = w.version + 1
                     from reservations r where r.id = $1 and w.account_id = r.account_id
                     returning w.id, w.version, w.balance, r.total)
                 insert into point_transactions
                     (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
                 select gen_random_uuid(), id, version, 'PAYMENT', -total, balance, $2 from paid",
                "update reservations set status = 'CONFIRMED' where id = $1 and $2::uuid is not null",
            ] {
                sqlx::query(statement).bind(id).bind(payment_id).execute(&mut *tx).await.unwrap();
            }
            tx.commit().await.unwrap();
            true
        }
    });
    let n_paid =
        futures_util::future::join_all(naive).await.into_iter().filter(|paid| *paid).count();
    assert!(n_paid > 1, "the naive statements happened to run one after the other");
    assert!(balance(&db, ada.account_id).await < 5_000_000 - PRICE);
    assert!(!violations(&office).await.is_empty());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn refusals_say_what_is_wrong_and_leave_everything_as_it_was(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let seat = |idx: usize| Hold { seat_ids: &concert.seat_ids[idx..=idx], ..Hold::default() };
    let id = seat(0).write(&db, &concert, ada.account_id).await;

    let key = [("request_key", Uuid::now_v7().to_string())];
    let path = format!("/reservations/{id}/payment");
    for usable in [0, 10] {
        let short = ada.post(&path, &key).await;
        assert_eq!((short.status, short.code().as_str()), (402, "insufficient-points"));
        let problem = short.json();
        assert_eq!((&problem["balance"], &problem["needed"]), (&json!(usable), &json!(PRICE)));
        charge(&ada, 10).await;
    }
    let foreign = pay(&bob, id).await;
    assert_eq!((foreign.status, foreign.code().as_str()), (404, "not-found"));
    assert_eq!(pay(&ada, Uuid::now_v7()).await.status, 404);
    assert_eq!(ada.post("/reservations/nonsense/payment", &()).await.status, 404);
    assert_eq!(ada.post(&path, &[("request_key", "nonsense")]).await.status, 422);

    let lapsed = Hold { ends_in_secs: -1, ..seat(1) }.write(&db, &concert, ada.account_id).await;
    let late = pay(&ada, lapsed).await;
    assert_eq!((late.status, late.code().as_str()), (410, "hold-expired"));
    let released = seat(2).write(&db, &concert, ada.account_id).await;
    assert_eq!(cancel(&ada, released).await.status, 200);
    let gone = pay(&ada, released).await;
    assert_eq!((gone.status, gone.code().as_str()), (409, "invalid-state"));

    assert_eq!(status_of(&db, id).await, "HELD");
    assert_eq!(entries(&db, ada.account_id, "PAYMENT").await, 0);
    // The same key, refused before, pays after the top-up.
    charge(&ada, PRICE).await;
    assert_eq!(ada.post(&path, &key).await.status, 201);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn nothing_of_a_cancelled_program_can_be_paid(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    sqlx::query("update programs set status = 'CANCELLED'").execute(&db).await.unwrap();
    let answer = pay(&ada, id).await;
    assert_eq!((answer.status, answer.code().as_str()), (409, "invalid-state"));
    assert_eq!(balance(&db, ada.account_id).await, 100_000);
    office.close().await;
}

#[sqlx::test]
async fn a_payment_that_waited_past_the_holds_end_is_refused(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ends_in_secs: 1, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let mut other = db.begin().await.unwrap();
    sqlx::query("select 1 from reservations where id = $1 for update")
        .bind(id)
        .execute(&mut *other)
        .await
        .unwrap();
    let paying = tokio::spawn({
        let ada = ada.clone();
        async move { pay(&ada, id).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(1_300)).await;
    other.rollback().await.unwrap();
    let late = paying.await.unwrap();
    assert_eq!((late.status, late.code().as_str()), (410, "hold-expired"));
    assert_eq!(balance(&db, ada.account_id).await, 100_000);
    office.close().await;
}

#[sqlx::test]
async fn the_stay_ends_with_the_last_hold_that_is_paid(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 200_000).await;
    sqlx::query(
        "with number as (update queue_numbers set next_number = 2 where program_id = $2)
         insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
             stay_ends_at, expires_at)
         values ($1, $2, $3, 1, 'ACTIVE', now(), now() + interval '5 min', now() + interval '5 min')",
    )
    .bind(Uuid::now_v7())
    .bind(concert.program_id)
    .bind(ada.account_id)
    .execute(&db)
    .await
    .unwrap();
    let token_status = async || -> String {
        sqlx::query_scalar("select status from queue_tokens").fetch_one(&db).await.unwrap()
    };
    let mut ids = Vec::new();
    for idx in 0..2 {
        let hold = Hold { seat_ids: &concert.seat_ids[idx..=idx], ..Hold::default() };
        ids.push(hold.write(&db, &concert, ada.account_id).await);
    }
    assert_eq!(pay(&ada, ids[0]).await.status, 201);
    assert_eq!(token_status().await, "ACTIVE");
    assert_eq!(pay(&ada, ids[1]).await.status, 201);
    assert_eq!(token_status().await, "COMPLETED");
    office.close().await;
}

#[sqlx::test]
async fn what_costs_nothing_is_paid_without_a_wallet(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let free = ConcertOptions { seat_price: 0, ..ConcertOptions::default() };
    let concert = Concert::with(&db, free).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let answer = pay(&ada, id).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.json()["balance"], 0);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_browser_that_lacks_points_is_shown_the_charge_form_and_comes_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 20_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let page = format!("/reservations/{id}");
    let short = ada.submit(&format!("{page}/payment"), &()).await;
    assert_eq!(short.status, 402);
    for text in [
        "You can use 20,000 points; this needs 50,000.",
        "action=\"/wallet/charges\"",
        "name=\"amount\" value=\"30000\"",
        "data-countdown",
        &format!("name=\"next\" value=\"{page}\""),
    ] {
        assert!(short.body.contains(text), "{text}: {}", short.body);
    }
    let charged = ada.submit("/wallet/charges", &[("amount", "30000"), ("next", &page)]).await;
    assert_eq!((charged.status, charged.location()), (303, page.as_str()));
    let paid = ada.submit(&format!("{page}/payment"), &()).await;
    assert_eq!((paid.status, paid.location()), (303, "/tickets"), "{}", paid.body);
    assert!(ada.visit("/tickets").await.body.contains("Paid. Your tickets are here."));

    let again = ada.submit(&format!("{page}/payment"), &()).await;
    assert_eq!(again.status, 409);
    assert!(again.body.contains("You were charged once."), "{}", again.body);
    let refunded = ada.submit(&format!("{page}/cancellation"), &()).await;
    assert_eq!((refunded.status, refunded.location()), (303, page.as_str()));
    assert!(ada.visit(&page).await.body.contains("the points are back in your wallet"));
    assert_eq!(ada.submit(&format!("{page}/cancellation"), &()).await.status, 409);
    assert_eq!(
        office.sign_in("bob").await.submit(&format!("{page}/payment"), &()).await.status,
        404
    );
    office.close().await;
}
