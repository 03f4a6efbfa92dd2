//! Paying a reservation, once.

mod batches;
mod checkout;
mod crashes;
mod exchanges;
mod given_time;
mod journeys;
mod lost_commit;
mod page;
mod refund_terms;
mod refunds;
mod shares;
mod stopped_clock;
mod storms;
mod ticket_refunds;
mod versions;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person,
    ledger::{balance, entries, violations},
    read_one, read_one_with, run_sql, run_sql_with, until, until_locks_wait,
};

const PRICE: i64 = 50_000;

async fn charge(person: &Person, amount: i64) {
    let answer = person.post("/wallet/charges", &[("amount", amount)]).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

/// Signs in a person who has so many points and holds the first seats; returns the reservation's
/// id.
async fn held(office: &Office, points: i64, n_seats: usize) -> (Person, Uuid) {
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, points).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..n_seats], ..Hold::default() };
    let id = hold.write(&office.db, &concert, ada.account_id).await;
    (ada, id)
}

async fn pay(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/payment"), &()).await
}

async fn cancel(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/cancellation"), &()).await
}

async fn status_of(db: &PgPool, reservation_id: Uuid) -> String {
    read_one_with(db, "select status from reservations where id = $1", reservation_id).await
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
    let late = cancel(&ada, lapsed).await;
    assert_eq!((late.status, late.code().as_str()), (409, "invalid-state"));
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
async fn what_is_held_is_paid_after_the_sale_closed(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, PRICE, 1).await;
    run_sql(&db, "update programs set off_sale_at = now()").await;
    assert_eq!(pay(&ada, id).await.status, 201);
    assert_eq!(status_of(&db, id).await, "CONFIRMED");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn nothing_of_a_cancelled_program_can_be_paid(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 100_000, 1).await;
    run_sql(&db, "update programs set status = 'CANCELLED', cancelled_at = now()").await;
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
    run_sql_with(&mut *other, "select 1 from reservations where id = $1 for update", id).await;
    let paying = tokio::spawn({
        let ada = ada.clone();
        // A request that waited for as long as one may is repeated.
        async move {
            loop {
                let answer = pay(&ada, id).await;
                if answer.status != 503 {
                    return answer;
                }
            }
        }
    });
    // The wait and the hold's end are real: the clock is read after the lock.
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    until("the hold ends", async || {
        let is_over = "select expires_at < clock_timestamp() from reservations";
        read_one(&db, is_over).await
    })
    .await;
    other.rollback().await.unwrap();
    let late = paying.await.unwrap();
    assert_eq!((late.status, late.code().as_str()), (410, "hold-expired"));
    assert_eq!(balance(&db, ada.account_id).await, 100_000);
    office.close().await;
}

#[sqlx::test]
async fn whoever_pays_with_a_key_while_the_first_attempt_runs_is_told_so(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, id) = held(&office, PRICE, 1).await;
    let path = format!("/reservations/{id}/payment");
    let key = [("request_key", Uuid::now_v7().to_string())];
    let mut first = db.begin().await.unwrap();
    run_sql_with(&mut *first, "select from reservations where id = $1 for no key update", id).await;
    let second = ada.post(&path, &key).await;
    assert_eq!((second.status, second.code().as_str()), (409, "already-processing"));
    assert!(second.headers.contains_key("retry-after"), "{second:?}");
    first.rollback().await.unwrap();
    assert_eq!(ada.post(&path, &key).await.status, 201);
    assert_eq!(balance(&db, ada.account_id).await, 0);
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
    let token_status =
        async || -> String { read_one(&db, "select status from queue_tokens").await };
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
    let (ada, id) = held(&office, 20_000, 1).await;
    let page = format!("/reservations/{id}");
    let short = ada.submit(&format!("{page}/payment"), &()).await;
    assert_eq!(short.status, 402);
    for text in [
        "You have 20,000 points to use; this needs 50,000 points.",
        "action=\"/wallet/charges\"",
        "name=\"amount\" value=\"30000\"",
        "data-countdown",
        &format!("name=\"next\" value=\"{page}/payment\""),
    ] {
        assert!(short.body.contains(text), "{text}: {}", short.body);
    }
    // At zero nothing that a hold offers is left to see.
    let hidden = short.body.split("data-at-zero-hide=\"").nth(1).unwrap();
    let hidden: Vec<&str> = hidden.split('"').next().unwrap().split(' ').collect();
    for id in ["held-until", "policy", "pay", "together", "more"] {
        let is_there = short.body.contains(&format!("id=\"{id}\""));
        assert!(hidden.contains(&id) && is_there, "{id}");
    }
    let charged = ada.submit("/wallet/charges", &[("amount", "30000"), ("next", &page)]).await;
    assert_eq!((charged.status, charged.location()), (303, page.as_str()));
    let paid = ada.submit(&format!("{page}/payment"), &()).await;
    let tickets = format!("{page}/tickets");
    assert_eq!((paid.status, paid.location()), (303, tickets.as_str()), "{}", paid.body);
    assert!(ada.visit(&tickets).await.body.contains("Paid. Your tickets are here."));

    let again = ada.submit(&format!("{page}/payment"), &()).await;
    assert_eq!(again.status, 409);
    assert!(again.body.contains("You were charged once."), "{}", again.body);
    let refunded = ada.submit(&format!("{page}/cancellation"), &()).await;
    assert_eq!((refunded.status, refunded.location()), (303, page.as_str()));
    assert!(ada.visit(&page).await.body.contains("the refund is in your wallet"));
    assert_eq!(ada.submit(&format!("{page}/cancellation"), &()).await.status, 409);
    assert_eq!(
        office.sign_in("bob").await.submit(&format!("{page}/payment"), &()).await.status,
        404
    );
    office.close().await;
}
