//! A reservation that has another version when it is written than when it was locked.

use sqlx::{AssertSqlSafe, PgPool, raw_sql};

use super::{PRICE, assert_sound, cancel, held, pay, status_of};
use crate::support::{Office, ledger::balance};

/// Raises a reservation's version whenever a row of its payment is written: after the reservation
/// was locked and before it is written. Only the first `times` times, rolled back ones included.
async fn disturb(db: &PgPool, times: u32) {
    let sql = format!(
        "create sequence if not exists disturbances;
         alter sequence disturbances restart;
         create or replace function disturb() returns trigger language plpgsql as $$ begin
             if nextval('disturbances') <= {times} then
                 update reservations set version = version + 1 where id = new.reservation_id;
             end if;
             return null;
         end $$;
         create or replace trigger disturb after insert or update on payments
             for each row execute function disturb()"
    );
    raw_sql(AssertSqlSafe(sql)).execute(db).await.unwrap();
}

#[sqlx::test]
async fn a_payment_and_a_refund_that_lose_a_race_are_tried_again(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, PRICE, 1).await;
    disturb(&db, 3).await;
    let paid = pay(&ada, id).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    disturb(&db, 3).await;
    let cancelled = cancel(&ada, id).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    assert_eq!(balance(&db, ada.account_id).await, PRICE);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_payment_that_loses_every_race_writes_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, id) = held(&office, PRICE, 1).await;
    disturb(&db, 1_000).await;
    let refused = pay(&ada, id).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "contended"));
    assert_eq!(balance(&db, ada.account_id).await, PRICE);
    assert_eq!(status_of(&db, id).await, "HELD");
    assert_sound(&office).await;
    office.close().await;
}
