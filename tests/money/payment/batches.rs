//! Payments that arrive together are paid together.

use futures_util::future::join_all;
use sqlx::PgPool;
use stagedoor::{
    accounts::AccountId,
    app::App,
    infra::{idempotency::RequestKey, postgres::Pool},
    payment::{Paid, PaymentError, Payments},
    reservation::{ReservationError, ReservationId},
    wallet::WalletError,
    web::error::HttpError,
};
use uuid::Uuid;

use super::{PRICE, assert_sound, charge, status_of};
use crate::support::{
    Concert, ConcertOptions, CutWire, Hold, Office, Person, admit_logged, ledger::balance,
    read_one, run_sql, run_sql_with, until_locks_wait,
};

/// Hold of one seat of each of `people`, who are inside and have as many points as it costs.
async fn holds(office: &Office, concert: &Concert, people: &[Person]) -> Vec<ReservationId> {
    admit_logged(office, concert, people).await;
    let mut ids = Vec::new();
    for (nth, person) in people.iter().enumerate() {
        charge(person, PRICE).await;
        let hold = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        ids.push(ReservationId(hold.write(&office.db, concert, person.account_id).await));
    }
    ids
}

/// Payments over a wire that will lose the answer to the next commit.
async fn over_a_wire(office: &Office) -> (CutWire, App, Payments) {
    let db = &office.db;
    let wire = CutWire::to(db).await;
    let through = db.connect_options().as_ref().clone().host("127.0.0.1").port(wire.port);
    let app = App::with_database((*office.app.config).clone(), Pool::new(through, 4).unwrap())
        .await
        .unwrap();
    let payments = Payments::new(&app);
    wire.cut(1);
    (wire, app, payments)
}

/// Pays all at once. The test has one thread, so all are there before the first batch begins.
async fn pay_all(
    payments: &Payments,
    people: &[Person],
    ids: &[ReservationId],
) -> Vec<Result<Paid, PaymentError>> {
    let paying = people
        .iter()
        .zip(ids)
        .map(|(person, id)| payments.pay(AccountId(person.account_id), *id, None));
    join_all(paying).await
}

async fn n_transactions(db: &PgPool) -> i64 {
    read_one(db, "select count(distinct xmin::text) from payments").await
}

async fn twenty(db: &PgPool) -> (Office, Concert, Vec<Person>) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 40, ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    let people = office.crowd(20, "ada").await;
    (office, concert, people)
}

#[sqlx::test]
async fn payments_that_arrive_together_are_one_transaction(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let ids = holds(&office, &concert, &people).await;
    // One of them has a second hold to pay, and stays inside.
    charge(&people[0], PRICE).await;
    let second = Hold { seat_ids: &concert.seat_ids[30..31], ..Hold::default() };
    second.write(&db, &concert, people[0].account_id).await;

    let paid = pay_all(&Payments::new(&office.app), &people, &ids).await;
    for (paid, person) in paid.into_iter().zip(&people) {
        let paid = paid.unwrap();
        assert_eq!(paid.amount.get(), PRICE);
        assert_eq!(paid.balance.get(), balance(&db, person.account_id).await);
        assert_eq!(paid.tickets.len(), 1);
    }
    assert_eq!(n_transactions(&db).await, 1);
    let inside = "select count(*) from queue_tokens where status = 'ACTIVE'";
    assert_eq!(read_one::<i64>(&db, inside).await, 1, "whose last hold is paid has left");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn two_holds_of_one_account_are_paid_one_after_the_other(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let ada = &people[..1];
    let first = holds(&office, &concert, ada).await[0];
    let hold = Hold { seat_ids: &concert.seat_ids[30..31], ..Hold::default() };
    let second = ReservationId(hold.write(&db, &concert, ada[0].account_id).await);
    let payments = Payments::new(&office.app);
    // The points are enough for one of the two.
    let both = [ada[0].clone(), ada[0].clone()];
    let paid = pay_all(&payments, &both, &[first, second]).await;
    assert!(paid[0].is_ok(), "{paid:?}");
    let is_short =
        matches!(&paid[1], Err(PaymentError::Wallet(WalletError::InsufficientPoints { .. })));
    assert!(is_short, "{paid:?}");
    assert_eq!(balance(&db, ada[0].account_id).await, 0);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn each_refusal_is_its_own_and_the_others_are_paid_together(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let mut ids = holds(&office, &concert, &people).await;
    let payments = Payments::new(&office.app);
    pay_all(&payments, &people[..1], &ids[..1]).await.remove(0).unwrap();
    let lapsed = Hold { seat_ids: &concert.seat_ids[30..31], ends_in_secs: -10, ..Hold::default() };
    ids[1] = ReservationId(lapsed.write(&db, &concert, people[1].account_id).await);
    // A reservation of another person, who pays it in the same batch.
    ids[2] = ids[19];

    let mut paid = pay_all(&payments, &people, &ids).await;
    let others = paid.split_off(3);
    let [before, lapsed, foreign] = paid.try_into().unwrap();
    let refusal = |paid: Result<Paid, PaymentError>| match paid {
        Err(PaymentError::Reservation(refusal)) => refusal,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refusal(before), ReservationError::AlreadyPaid));
    assert!(matches!(refusal(lapsed), ReservationError::HoldExpired));
    assert!(matches!(refusal(foreign), ReservationError::NotFound));
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    assert_eq!(n_transactions(&db).await, 2);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn one_who_is_held_up_delays_nobody_else(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let ids = holds(&office, &concert, &people).await;
    for (nth, what) in [
        "select from wallets where account_id = $1 for no key update",
        "select from queue_tokens where account_id = $1 for no key update",
        "select from reservations where account_id = $1 for no key update",
    ]
    .into_iter()
    .enumerate()
    {
        let mut holder = db.begin().await.unwrap();
        let (person, id) = (people[nth].clone(), ids[nth]);
        run_sql_with(&mut *holder, what, person.account_id).await;
        let (payments, n_before) = (Payments::new(&office.app), n_transactions(&db).await);
        let held_up = tokio::spawn({
            let payments = payments.clone();
            async move { payments.pay(AccountId(person.account_id), id, None).await }
        });
        let others = 5 * (nth + 1)..5 * (nth + 2);
        let paid = pay_all(&payments, &people[others.clone()], &ids[others]).await;
        assert!(paid.iter().all(Result::is_ok), "{paid:?}");
        assert!(n_transactions(&db).await <= n_before + 1, "nothing was taken apart");
        assert_eq!(status_of(&db, id.0).await, "HELD");
        holder.rollback().await.unwrap();
        // On a slow machine it may have waited for as long as it may, and is asked for again.
        if held_up.await.unwrap().is_err() {
            payments.pay(AccountId(people[nth].account_id), id, None).await.unwrap();
        }
    }
    assert_sound(&office).await;
    office.close().await;
}

/// A batch of another instance writes its request keys last, while it holds what it pays. With the
/// key of a payment that waits for that, each would wait for the other.
#[sqlx::test]
async fn a_payment_that_waits_for_its_hold_keeps_its_request_key_from_nobody(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let ids = holds(&office, &concert, &people[..2]).await;
    let payments = Payments::new(&office.app);
    for ((person, id), what) in people.iter().zip(ids).zip([
        "select from queue_tokens where account_id = $1 for no key update",
        "select from reservations where account_id = $1 for no key update",
    ]) {
        let (account_id, key_id) = (person.account_id, Uuid::now_v7());
        let mut batch = db.begin().await.unwrap();
        run_sql_with(&mut *batch, what, account_id).await;
        let key = RequestKey::new(account_id, key_id, "pay", &id);
        let payments = payments.clone();
        // A request that waited for as long as one may is repeated.
        let waiting = tokio::spawn(async move {
            loop {
                let paid = payments.pay(AccountId(account_id), id, Some(&key)).await;
                let is_told = |error: &PaymentError| error.problem().code == "already-processing";
                if !paid.as_ref().is_err_and(is_told) {
                    return paid;
                }
            }
        });
        until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
        run_sql(&mut *batch, "set local lock_timeout = '100ms'").await;
        sqlx::query(
            "insert into idempotency_keys (account_id, key, fingerprint) values ($1, $2, '')",
        )
        .bind(account_id)
        .bind(key_id)
        .execute(&mut *batch)
        .await
        .unwrap();
        batch.rollback().await.unwrap();
        waiting.await.unwrap().unwrap();
    }
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_batch_whose_commit_lost_its_answer_is_paid_once(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let ids = holds(&office, &concert, &people).await;
    let (wire, app, payments) = over_a_wire(&office).await;
    let keys: Vec<RequestKey> = ids
        .iter()
        .zip(&people)
        .map(|(id, person)| RequestKey::new(person.account_id, Uuid::now_v7(), "pay", id))
        .collect();
    let pay = async || {
        let orders = people.iter().zip(&ids).zip(&keys);
        let paying = orders
            .map(|((person, id), key)| payments.pay(AccountId(person.account_id), *id, Some(key)));
        join_all(paying).await.into_iter().map(Result::unwrap).collect::<Vec<Paid>>()
    };
    let first = pay().await;
    assert_eq!(wire.cuts_left(), 0, "the commit lost its answer");
    assert_eq!(pay().await, first, "the same orders again");
    assert_eq!(n_transactions(&db).await, 1);
    assert_sound(&office).await;
    app.db.close();
    office.close().await;
}

#[sqlx::test]
async fn without_request_keys_a_lost_answer_is_found_by_the_ids_of_the_payments(db: PgPool) {
    let (office, concert, people) = twenty(&db).await;
    let ids = holds(&office, &concert, &people).await;
    let (wire, app, payments) = over_a_wire(&office).await;
    let paid = pay_all(&payments, &people, &ids).await;
    assert_eq!(wire.cuts_left(), 0, "the commit lost its answer");
    assert!(paid.iter().all(Result::is_ok), "{paid:?}");
    assert_eq!(n_transactions(&db).await, 1);
    assert_sound(&office).await;
    app.db.close();
    office.close().await;
}
