//! Orders of one account at the same time: told apart by their keys, or one at a time.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, order_path};
use crate::support::{
    Answer, Concert, Office, Person, count, read_one, run_sql_with, storm, until_locks_wait,
};

/// Sends an order for seats of `concert`, without a key or with one of its own.
async fn order(person: &Person, concert: &Concert, choice: Value, has_key: bool) -> Answer {
    let mut order = choice;
    if has_key {
        order["request_key"] = json!(Uuid::now_v7());
    }
    person.post_json(&order_path(concert), &order).await
}

#[sqlx::test]
async fn a_second_order_for_seats_without_a_key_is_refused_while_the_first_runs(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let tomorrow = concert.another_date(&db, 1).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    let seats = |nth: usize| json!({ "seat_ids": [concert.seat_ids[nth]] });
    let mut keeper = db.begin().await.unwrap();
    let lock = "select from schedule_seats where id = $1 for update";
    run_sql_with(&mut *keeper, lock, concert.seat_ids[0]).await;

    let elsewhere = office.moved(&ada, 1);
    let (first, ()) = tokio::join!(order(&ada, &concert, seats(0), false), async {
        until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
        for (concert, choice) in [
            (&concert, seats(1)),
            (&concert, json!({ "best": 1 })),
            // Whatever it would come to, it is of the same program.
            (&tomorrow, seats(1)),
        ] {
            let second = order(&elsewhere, concert, choice, false).await;
            let told = (second.status, second.code());
            assert_eq!(told, (409, "already-processing".to_owned()), "{}", second.body);
            assert_eq!(second.header("retry-after"), "2");
        }
        let others = order(&bob, &concert, seats(2), false).await;
        assert_eq!(others.status, 201, "{}", others.body);
        // With a key it is an order of its own: it waits for the first, and is carried out.
        let (keyed, ()) = tokio::join!(order(&elsewhere, &concert, seats(3), true), async {
            until_locks_wait(&mut db.acquire().await.unwrap(), 2).await;
            keeper.rollback().await.unwrap();
        });
        assert_eq!(keyed.status, 201, "{}", keyed.body);
    });
    assert_eq!(first.status, 201, "{}", first.body);
    // Neither a hold nor a refusal leaves anything that the next order would meet.
    assert_eq!(order(&ada, &concert, seats(2), false).await.code(), "seat-unavailable");
    assert_eq!(order(&ada, &concert, seats(4), false).await.status, 201);
    office.verify_database().await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn of_a_hundred_orders_without_a_key_each_holds_or_is_told_to_wait(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let answers = storm((0..100).map(|idx| {
        let (ada, concert) = (office.moved(&ada, idx), concert.clone());
        let seat = json!({ "seat_ids": [concert.seat_ids[idx % 20]] });
        async move { order(&ada, &concert, seat, false).await }
    }))
    .await;
    let n_held = count(&answers, 201, "");
    let held: i64 = read_one(&db, "select count(*) from reservations").await;
    // What a deadline ended may have been carried out.
    let n_unknown = count(&answers, 503, "unavailable");
    assert!((n_held..=n_held + n_unknown).contains(&usize::try_from(held).unwrap()));
    assert!(n_held > 0, "one of them came first");
    let n_told = count(&answers, 409, "already-processing");
    assert!(n_told > 0, "none of a hundred at once was told to wait");
    office.verify_database().await;
    office.close_as_it_is().await;
}
