//! Holds that end: by the clock, once, and everything they kept is free again.

use sqlx::PgPool;
use stagedoor::reservation;

use super::{admit, hold, hold_places};
use crate::support::{
    Concert, ConcertOptions, Office, count, read_all, read_one, run_sql, run_sql_with, storm, until,
};

/// Instances whose worker does not come by during a test.
const NO_WORKER: [(&str, &str); 1] = [("TEST_EXPIRY_PERIOD_MS", "3600000")];

/// Moves every hold into the past, as if its time had gone by.
async fn let_time_pass(db: &PgPool, secs: i32) {
    run_sql_with(
        db,
        "update reservations set created_at = created_at - make_interval(secs => $1),
         expires_at = expires_at - make_interval(secs => $1)",
        secs,
    )
    .await;
    // The holder was inside then.
    run_sql_with(
        db,
        "update queue_tokens set admitted_at = admitted_at - make_interval(secs => $1)
         where admitted_at is not null",
        secs,
    )
    .await;
}

/// Waits until no seat and no place is held any more.
async fn until_freed(db: &PgPool) {
    until("nothing is held", async || {
        let (live, remaining): (i64, i32) = sqlx::query_as(
            "select (select count(*) from reservation_items where live), remaining from zones",
        )
        .fetch_one(db)
        .await
        .unwrap();
        (live, remaining) == (0, 100)
    })
    .await;
}

#[sqlx::test]
async fn a_hold_that_is_not_paid_ends_and_frees_its_seats(db: PgPool) {
    let office = Office::open_with(db, 2, &[("TEST_EXPIRY_PERIOD_MS", "100")]).await;
    let options = ConcertOptions { hold_ttl_secs: 1, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let held = hold(&ada, &concert, &concert.seat_ids[..3]).await.json();
    assert_eq!(hold_places(&ada, &concert, 2).await.status, 201);
    assert_eq!(held["items"].as_array().unwrap().len(), 3);
    until_freed(&office.db).await;
    let path = format!("/reservations/{}", held["reservation_id"].as_str().unwrap());
    assert_eq!(ada.get(&path).await.json()["status"], "EXPIRED");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_hold_past_its_end_is_shown_as_over_and_reading_changes_nothing(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let held = hold(&ada, &concert, &concert.seat_ids[..1]).await.json();
    let_time_pass(&office.db, 300).await;
    let path = format!("/reservations/{}", held["reservation_id"].as_str().unwrap());
    assert_eq!(ada.get(&path).await.json()["status"], "EXPIRED");
    assert_eq!(ada.get("/reservations").await.json()["reservations"][0]["status"], "EXPIRED");
    let renewal = ada.post(&format!("{path}/renewal"), &()).await;
    assert_eq!((renewal.status, renewal.code().as_str()), (410, "hold-expired"));
    let status: String = read_one(&office.db, "select status from reservations").await;
    assert_eq!(status, "HELD");
    office.close().await;
}

#[sqlx::test]
async fn a_seat_of_a_hold_that_is_over_can_be_had_before_any_worker_came(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let options = ConcertOptions { zone_capacity: 2, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    assert_eq!(hold(&people[0], &concert, &concert.seat_ids[..2]).await.status, 201);
    assert_eq!(hold_places(&people[0], &concert, 2).await.status, 201);
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..1]).await.status, 409);
    let_time_pass(&office.db, 300).await;
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..1]).await.status, 201);
    assert_eq!(hold_places(&people[1], &concert, 1).await.status, 201);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_hold_is_renewed_once_and_only_while_nobody_waits(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people[..1]).await;
    let held = hold(&people[0], &concert, &concert.seat_ids[..1]).await.json();
    let path = format!("/reservations/{}/renewal", held["reservation_id"].as_str().unwrap());
    sqlx::query(
        "insert into queue_tokens (id, program_id, account_id, queue_number)
         values (gen_random_uuid(), $1, $2, 77)",
    )
    .bind(concert.program_id)
    .bind(people[1].account_id)
    .execute(&office.db)
    .await
    .unwrap();
    // A capacity of one, so that no other account is let in meanwhile.
    run_sql(&office.db, "update programs set queue_capacity = 1").await;
    let early = people[0].post(&path, &()).await;
    assert_eq!((early.status, early.code().as_str()), (409, "not-renewable"));
    run_sql(&office.db, "delete from queue_tokens where queue_number = 77").await;
    let renewed = people[0].post(&path, &()).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    assert_ne!(renewed.json()["expires_at"], held["expires_at"]);
    let again = people[0].post(&path, &()).await;
    assert_eq!((again.status, again.code().as_str()), (409, "not-renewable"));
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn whoever_was_told_an_end_keeps_it_whatever_the_program_says_later(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let held = hold(&ada, &concert, &concert.seat_ids[..1]).await.json();
    run_sql(&office.db, "update programs set hold_ttl_secs = 60").await;
    let path = format!("/reservations/{}", held["reservation_id"].as_str().unwrap());
    assert_eq!(ada.get(&path).await.json()["expires_at"], held["expires_at"]);
    hold(&ada, &concert, &concert.seat_ids[1..2]).await;
    let secs: Vec<i32> = read_all(
        &office.db,
        "select extract(epoch from expires_at - created_at)::integer from reservations
         order by created_at",
    )
    .await;
    assert_eq!(secs, [300, 60]);
    office.close().await;
}

#[sqlx::test]
async fn of_twenty_renewals_at_once_one_adds_two_minutes(db: PgPool) {
    let office = Office::open_with(db, 2, &NO_WORKER).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let held = hold(&ada, &concert, &concert.seat_ids[..2]).await.json();
    let path = format!("/reservations/{}/renewal", held["reservation_id"].as_str().unwrap());
    let answers = storm((0..20).map(|idx| {
        let (ada, path) = (office.moved(&ada, idx), path.clone());
        async move { ada.post(&path, &()).await }
    }))
    .await;
    assert_eq!(count(&answers, 200, ""), 1);
    assert_eq!(count(&answers, 409, "not-renewable"), 19);
    let secs: i32 = read_one(
        &office.db,
        "select extract(epoch from expires_at - created_at)::integer from reservations",
    )
    .await;
    assert_eq!(secs, 300 + 120);
    office.close().await;
}

#[sqlx::test]
async fn a_hold_keeps_its_owners_place_to_its_own_end_but_starts_no_other(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(
        &office.db,
        "update queue_tokens set stay_ends_at = now() + interval '1 second',
         expires_at = now() + interval '1 second'",
    )
    .await;
    let held = hold(&ada, &concert, &concert.seat_ids[..1]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let kept: bool = read_one(
        &office.db,
        "select t.expires_at = r.expires_at from queue_tokens t, reservations r",
    )
    .await;
    assert!(kept);
    until("the stay ends", async || {
        let is_over = "select stay_ends_at < clock_timestamp() from queue_tokens";
        read_one(&office.db, is_over).await
    })
    .await;
    let late = hold(&ada, &concert, &concert.seat_ids[1..2]).await;
    assert_eq!(late.code(), "not-admitted", "{}", late.body);
    office.close().await;
}

/// The clock is compared after the last lock, whichever of them was waited for.
#[sqlx::test]
async fn a_hold_that_waits_past_the_end_of_its_stay_is_refused(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    for locked in [
        "select from queue_tokens for no key update",
        "select from schedule_seats for no key update",
    ] {
        run_sql(
            &office.db,
            "update queue_tokens
             set stay_ends_at = clock_timestamp() + interval '300 milliseconds',
             expires_at = clock_timestamp() + interval '1 hour'",
        )
        .await;
        let mut in_the_way = office.db.begin().await.unwrap();
        run_sql(&mut *in_the_way, locked).await;
        let (person, wanted) = (ada.clone(), concert.clone());
        let waits =
            tokio::spawn(async move { hold(&person, &wanted, &wanted.seat_ids[..1]).await });
        run_sql(&mut *in_the_way, "select pg_sleep(0.4)").await;
        in_the_way.rollback().await.unwrap();
        assert_eq!(waits.await.unwrap().code(), "not-admitted", "{locked}");
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn instances_share_the_work_of_ending_many_holds(db: PgPool) {
    let office = Office::open_with(db, 1, &NO_WORKER).await;
    let options = ConcertOptions { seats: 2_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let ada = office.sign_in("ada").await;
    sqlx::query(
        "with numbered as (select unnest($3::bigint[]) as seat, gen_random_uuid() as id),
         line as (
             insert into queue_numbers (program_id, next_number) values ($4, 2)
             on conflict (program_id) do update set next_number = 2
         ), stay as (
             insert into queue_tokens (id, program_id, account_id, queue_number, status,
                 admitted_at, stay_ends_at, expires_at, ended_at)
             values (gen_random_uuid(), $4, $1, 1, 'EXPIRED', now() - interval '302 seconds', now(),
                 now(), now())
         ), held as (
             insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                 hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
             select id, $1, $2, $4, 50000, now() - interval '1 second', 300, now(), 100, 2000,
                 now() - interval '301 seconds' from numbered
         ), items as (
             insert into reservation_items
                 (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
             select gen_random_uuid(), id, $2, seat, 50000 from numbered
         )
         update schedule_seats set status = 'HELD' where id = any($3)",
    )
    .bind(ada.account_id)
    .bind(concert.schedule_id)
    .bind(&concert.seat_ids)
    .bind(concert.program_id)
    .execute(&office.db)
    .await
    .unwrap();
    let ticks = (0..4).map(|_| reservation::expire_lapsed(&office.app));
    for ended in futures_util::future::join_all(ticks).await {
        ended.unwrap();
    }
    let left: i64 =
        read_one(&office.db, "select count(*) from reservations where status = 'HELD'").await;
    assert_eq!(left, 0);
    office.verify().await;
    office.close().await;
}
