//! Paying and expiring at the same instant: exactly one of them wins, ten thousand times.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sqlx::PgPool;
use stagedoor::{
    accounts::AccountId,
    infra::postgres::Pool,
    reservation::{self, ReservationError, ReservationId},
};
use tokio::{sync::Semaphore, task::JoinSet};
use uuid::Uuid;

use crate::support::{Concert, ConcertOptions, Office, run_sql};

const ROUNDS: usize = 100;
const SEATS: i32 = 100;
/// Payments at the database at once: fewer than the pool has connections, so that none waits
/// for one for longer than the pool allows, however slow the machine is.
const PAYING_MAX: usize = 6;
/// For how long the first round's seats are held. Later rounds hold them for longer or
/// shorter, until about half of the payments come in time.
const HELD_MS_FIRST: f64 = 40.0;

/// Holds every seat for `held_ms`; says which reservations these are.
async fn hold_all(db: &PgPool, concert: &Concert, account_id: Uuid, held_ms: f64) -> Vec<Uuid> {
    sqlx::query_scalar(
        "with numbered as (
             select id as seat, gen_random_uuid() as id, clock_timestamp() as at
             from schedule_seats where schedule_id = $2 and status = 'AVAILABLE'
         ), held as (
             insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                 hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
             select id, $1, $2, $3, 50000, at + $4 * interval '1 millisecond', 60, now(), 100, 1000000,
                 at + $4 * interval '1 millisecond' - interval '60 seconds'
             from numbered
             returning id
         ), items as (
             insert into reservation_items
                 (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
             select gen_random_uuid(), id, $2, seat, 50000 from numbered
         ), taken as (
             update schedule_seats s set status = 'HELD' from numbered where s.id = numbered.seat
         )
         select id from held",
    )
    .bind(account_id)
    .bind(concert.schedule_id)
    .bind(concert.program_id)
    .bind(held_ms)
    .fetch_all(db)
    .await
    .unwrap()
}

/// The steps of a payment that decide; whether it won.
async fn pay(
    db: &Pool,
    account_id: AccountId,
    id: ReservationId,
    at_once: &Semaphore,
    delay: Duration,
) -> bool {
    tokio::time::sleep(delay).await;
    let _permit = at_once.acquire().await.unwrap();
    let mut tx = db.begin().await.unwrap();
    match reservation::lock_held(&mut tx, account_id, id).await {
        Ok(held) => {
            reservation::confirm(&mut tx, &[held]).await.unwrap();
            tx.commit().await.unwrap();
            true
        }
        Err(ReservationError::HoldExpired) => false,
        Err(error) => panic!("{error}"),
    }
}

#[sqlx::test]
async fn of_paying_and_expiring_exactly_one_wins(db: PgPool) {
    let office = Office::open_with(db, 1, &[("TEST_EXPIRY_PERIOD_MS", "3600000")]).await;
    let options = ConcertOptions { seats: SEATS, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let ada = office.sign_in("ada").await;
    // Inside all the time.
    sqlx::query(
        "with line as (
             insert into queue_numbers (program_id, next_number) values ($1, 2)
             on conflict (program_id) do update set next_number = 2
         )
         insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
             stay_ends_at, expires_at)
         values (gen_random_uuid(), $1, $2, 1, 'EXPIRED', now() - interval '2 minutes',
             now() + interval '1 hour', now() + interval '1 hour')",
    )
    .bind(concert.program_id)
    .bind(ada.account_id)
    .execute(&office.db)
    .await
    .unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let expiring = {
        let (app, is_over) = (office.app.clone(), is_over.clone());
        tokio::spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                reservation::expire_lapsed(&app).await.unwrap();
            }
        })
    };
    let at_once = Arc::new(Semaphore::new(PAYING_MAX));
    let (mut n_paid, mut held_ms) = (0, HELD_MS_FIRST);
    for _ in 0..ROUNDS {
        let mut paying = JoinSet::new();
        for id in hold_all(&office.db, &concert, ada.account_id, held_ms).await {
            let (db, at_once) = (office.app.db.clone(), at_once.clone());
            let account_id = AccountId(ada.account_id);
            let delay = Duration::from_secs_f64(rand::random_range(0.0..held_ms * 1.5) / 1e3);
            paying.spawn(async move {
                (id, pay(&db, account_id, ReservationId(id), &at_once, delay).await)
            });
        }
        let paid: BTreeMap<Uuid, bool> = paying.join_all().await.into_iter().collect();
        assert_eq!(paid.len(), 100);
        let n_in_time = paid.values().filter(|won| **won).count();
        n_paid += n_in_time;
        held_ms *= if n_in_time < 50 { 1.2 } else { 0.9 };
        settle(&office.db, &paid).await;
    }
    is_over.store(true, Ordering::Relaxed);
    expiring.await.unwrap();
    let n_tries = ROUNDS * 100;
    assert!((n_tries / 20..n_tries * 19 / 20).contains(&n_paid), "{n_paid} of {n_tries} paid");
    // What was counted was taken back without being refunded.
    for forget in [
        "update daily_sales_progress set counted_from = now(), counted_until = now()",
        "delete from daily_sales",
    ] {
        run_sql(&office.db, forget).await;
    }
    office.close().await;
}

/// Waits until each hold has ended one way, compares it with what its payer was told, and
/// makes the seats free for the next round.
async fn settle(db: &PgPool, paid: &BTreeMap<Uuid, bool>) {
    let ids: Vec<Uuid> = paid.keys().copied().collect();
    let rows: Vec<(Uuid, String, bool, bool, String)> = loop {
        let rows: Vec<(Uuid, String, bool, bool, String)> = sqlx::query_as(
            "select r.id, r.status, r.settled_at < r.expires_at, i.live, s.status
             from reservations r
             join reservation_items i on i.reservation_id = r.id
             join schedule_seats s on s.id = i.schedule_seat_id
             where r.id = any($1) and r.status <> 'HELD'",
        )
        .bind(&ids)
        .fetch_all(db)
        .await
        .unwrap();
        if rows.len() == ids.len() {
            break rows;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    for (id, status, in_time, live, seat) in rows {
        let expected = match paid[&id] {
            true => ("CONFIRMED", true, "RESERVED"),
            false => ("EXPIRED", false, "AVAILABLE"),
        };
        assert_eq!((status.as_str(), live, seat.as_str()), expected);
        assert!(in_time || status == "EXPIRED", "paid after its end");
    }
    run_sql(
        db,
        "with ended as (update reservations set status = 'EXPIRED', confirmed_at = null
         where status = 'CONFIRMED'),
         freed as (update reservation_items set live = false where live)
         update schedule_seats set status = 'AVAILABLE' where status = 'RESERVED'",
    )
    .await;
}
