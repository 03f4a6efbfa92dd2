//! Who pays at the moment in which a performance is cancelled.

use sqlx::PgPool;

use super::schedule_cancellation::{cancel, charge, path_of, pay, two_dates, wind_down};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, ledger::balance, read_one, read_one_with, storm,
    until_locks_wait,
};

#[sqlx::test]
async fn a_payment_that_began_before_the_cancellation_is_refunded(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (tonight, _) = two_dates(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    charge(&ada).await;
    let held = Hold { seat_ids: &tonight.seat_ids[..1], ..Hold::default() };
    let held = held.write(&db, &tonight, ada.account_id).await;
    // The payment has the reservation, and waits for the wallet.
    let mut in_the_way = db.begin().await.unwrap();
    sqlx::query("select from wallets where account_id = $1 for update")
        .bind(ada.account_id)
        .execute(&mut *in_the_way)
        .await
        .unwrap();
    let payer = ada.clone();
    let paying = tokio::spawn(async move { pay(&payer, held).await });
    let mut watch = db.acquire().await.unwrap();
    until_locks_wait(&mut watch, 1).await;
    cancel(&admin, &tonight).await;
    let over = "select wound_down_at is not null from schedules where id = $1";
    assert!(!read_one_with::<bool>(&db, over, tonight.schedule_id).await, "it is not over");
    in_the_way.rollback().await.unwrap();
    let paid = paying.await.unwrap();
    assert!([201, 409, 503].contains(&paid.status), "{}", paid.body);
    wind_down(&office).await;
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000);
    office.close().await;
}

#[sqlx::test]
async fn a_hundred_who_pay_while_it_is_cancelled_have_all_their_points_again(db: PgPool) {
    const PEOPLE: usize = 100;
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 100, starts_in_secs: 3_600, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(PEOPLE, "ada").await;
    let mut held = Vec::new();
    for (nth, person) in people.iter().enumerate() {
        charge(person).await;
        let hold = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        held.push(hold.write(&db, &concert, person.account_id).await);
    }
    let mut attempts: Vec<std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>> = Vec::new();
    for (person, id) in people.iter().cloned().zip(held) {
        attempts.push(Box::pin(async move { pay(&person, id).await }));
    }
    let path = path_of(&concert);
    let by = admin.clone();
    attempts.insert(
        PEOPLE / 2,
        Box::pin(async move {
            by.post(&path, &[("version", "0"), ("reason", "the singer is ill")]).await
        }),
    );
    let answers = storm(attempts).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    let n_paid = answers.iter().filter(|answer| answer.status == 201).count();
    assert!(
        answers.iter().all(|answer| [200, 201, 409, 410].contains(&answer.status)),
        "{answers:?}"
    );
    wind_down(&office).await;
    for person in &people {
        assert_eq!(balance(&db, person.account_id).await, 1_000_000);
    }
    let refunds = "select count(*) from point_transactions where kind = 'REFUND'";
    assert_eq!(read_one::<i64>(&db, refunds).await, i64::try_from(n_paid).unwrap());
    let left = "select count(*) from tickets where status <> 'VOID'";
    assert_eq!(read_one::<i64>(&db, left).await, 0);
    office.close().await;
}
