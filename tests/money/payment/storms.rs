//! A hundred payments of one reservation at the same moment.

use sqlx::PgPool;
use uuid::Uuid;

use super::{PRICE, assert_sound, charge, held, status_of};
use crate::support::{
    Concert, Hold, Office, count,
    ledger::{balance, entries, violations},
    run_sql, storm,
};

const PAYMENTS: usize = 100;

#[sqlx::test]
async fn of_a_hundred_payments_at_once_one_succeeds(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, 1_000_000, 2).await;
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
    run_sql(&db, "drop index payments_live_key").await;
    // All look before one pays: what a storm does to statements without a lock, made certain.
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
                "update reservations set status = 'CONFIRMED', confirmed_at = now() where id = $1 and $2::uuid is not null",
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
