//! Time that people get back: by staff, and after the office was away.

use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::reservation;
use uuid::Uuid;

use super::{assert_sound, cancel, charge, held, pay, status_of};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, admit, admit_projected, app, count,
    hold, ledger::violations, read_one, read_one_with, run_sql, run_sql_with, storm, until,
};

/// Instances whose workers end nothing during a test.
pub(super) const NO_SWEEP: [(&str, &str); 1] = [("TEST_EXPIRY_PERIOD_MS", "3600000")];
/// Another second's part of an end: times are compared in the database.
pub(super) const LEFT: &str =
    "select extract(epoch from expires_at - created_at)::bigint from reservations
    where id = $1";

/// Signs in a person who is inside, has points and holds two seats; returns the reservation's id.
pub(super) async fn inside(office: &Office, concert: &Concert) -> (Person, Uuid) {
    let ada = office.sign_in("ada").await;
    charge(&ada, 1_000_000).await;
    admit_projected(office, concert, std::slice::from_ref(&ada)).await;
    let held = hold(&ada, concert, &concert.seat_ids[..2]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let id = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();
    (ada, id)
}

async fn give(admin: &Person, db: &PgPool, body: Value) -> Answer {
    let program: Uuid = read_one(db, "select id from programs limit 1").await;
    admin.post_json(&format!("/admin/programs/{program}/queue/given-time"), &body).await
}

/// Lets a hold end `secs` seconds ago, as if it had been made earlier, by an account that was inside then.
async fn let_end(db: &PgPool, id: Uuid, secs: i32) {
    sqlx::query(
        "with moved as (
             update reservations
             set created_at = clock_timestamp() - make_interval(secs => hold_ttl_secs + $2),
                 expires_at = clock_timestamp() - make_interval(secs => $2)
             where id = $1 returning account_id)
         update queue_tokens set admitted_at = admitted_at - interval '1 day'
         where account_id = (select account_id from moved)",
    )
    .bind(id)
    .bind(secs)
    .execute(db)
    .await
    .unwrap();
    // The end that was agreed, to the microsecond.
    run_sql_with(
        db,
        "update reservations set expires_at = created_at + make_interval(secs => hold_ttl_secs)
         where id = $1",
        id,
    )
    .await;
}

#[sqlx::test]
async fn staff_give_everybody_inside_time_once_and_what_had_ended_stays_ended(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (ada, id) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    let slug = concert.slug.clone();
    let bob = office.sign_in("bob").await;
    let concert = Concert::usual(&db).await;
    let gone = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let gone = gone.write(&db, &concert, bob.account_id).await;
    let_end(&db, gone, 1).await;
    let program = "select program_id from reservations where id = $1";
    let (own, other): (Uuid, Uuid) =
        (read_one_with(&db, program, id).await, read_one_with(&db, program, gone).await);

    for (body, field) in [
        (json!({ "minutes": 0, "reason": "a fire drill" }), "minutes"),
        (json!({ "minutes": 61, "reason": "a fire drill" }), "minutes"),
        (json!({ "minutes": "some", "reason": "a fire drill" }), "minutes"),
        (json!({ "minutes": 5 }), "reason"),
    ] {
        let refused = give(&admin, &db, body).await;
        assert!(refused.json()["fields"][field].is_string(), "{field}: {}", refused.body);
    }
    let before: i64 = read_one_with(&db, LEFT, id).await;
    let path = |program: Uuid| format!("/admin/programs/{program}/queue/given-time");
    let key = Uuid::now_v7();
    let body = json!({ "minutes": 5, "reason": "a fire drill", "request_key": key });
    let given = storm((0..10).map(|_| {
        let (admin, path, body) = (admin.clone(), path(own), body.clone());
        async move { admin.post_json(&path, &body).await }
    }))
    .await;
    for answer in &given {
        assert_eq!(answer.json(), json!({ "minutes": 5, "stays": 1, "holds": 1 }));
    }
    assert_eq!(read_one_with::<i64>(&db, LEFT, id).await, before + 300);
    let body = json!({ "minutes": 5, "reason": "a fire drill" });
    let nothing = admin.post_json(&path(other), &body).await.json();
    assert_eq!(nothing["holds"], 0, "an ended hold is not revived");
    let nobody = admin.post_json(&path(Uuid::nil()), &body).await;
    assert_eq!((nobody.status, nobody.code().as_str()), (404, "not-found"));

    until("the note", async || {
        let page = ada.visit(&format!("/reservations/{id}")).await.body;
        page.contains("5 minutes more") && page.contains("a fire drill")
    })
    .await;
    let log = format!("/programs/{slug}/log");
    until("the log", async || {
        let moves = office.stranger().get(&log).await.json()["moves"]["newest"].clone();
        moves[0]["kind"] == "time-given" && moves[0]["detail"].as_str().unwrap().contains("300.000")
    })
    .await;
    reservation::expire_lapsed(&office.app).await.unwrap();
    assert_eq!(status_of(&db, gone).await, "EXPIRED");
    assert_eq!(status_of(&db, id).await, "HELD");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_hold_that_was_given_time_is_paid_after_its_first_end(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let (ada, id) = held(&office, 1_000_000, 2).await;
    let admin = office.employ("admin", "ADMIN").await;
    let body = json!({ "minutes": 10, "reason": "a fire drill" });
    assert_eq!(give(&admin, &db, body).await.status, 200);
    // Its first end passes.
    run_sql(
        &db,
        "update reservations set created_at = created_at - interval '6 minutes',
         expires_at = expires_at - interval '6 minutes'",
    )
    .await;
    run_sql(&db, "update queue_tokens set admitted_at = admitted_at - interval '1 day'").await;
    reservation::expire_lapsed(&office.app).await.unwrap();
    assert_eq!(pay(&ada, id).await.status, 201);
    assert_eq!(status_of(&db, id).await, "CONFIRMED");
    // What is given once it is paid moves nothing, and a refund later does not change that.
    let body = json!({ "minutes": 1, "reason": "a slow provider" });
    assert_eq!(give(&admin, &db, body).await.json()["holds"], 0);
    assert_eq!(cancel(&ada, id).await.status, 200);
    assert_sound(&office).await;
    run_sql(
        &db,
        "update reservations set given_time = given_time - interval '1 second',
         expires_at = expires_at - interval '1 second'",
    )
    .await;
    let missing = violations(&office).await;
    assert!(
        matches!(missing.as_slice(), [one] if one.contains("S3") && one.contains("00:09:59 more")),
        "verify sees a second that is missing: {missing:?}"
    );
    office.close_as_it_is().await;
}

/// Makes a hold of the last seat, by an account of its own; returns its id.
async fn hold_of_carol(db: &PgPool, concert: &Concert) -> Uuid {
    let account: Uuid = read_one(
        db,
        "insert into accounts (id, email, name, password_hash)
         values (gen_random_uuid(), 'carol@example.org', 'carol', 'none') returning id",
    )
    .await;
    let seat = concert.seat_ids.last().copied().unwrap();
    Hold { seat_ids: &[seat], ..Hold::default() }.write(db, concert, account).await
}

#[sqlx::test]
async fn the_time_in_which_the_office_was_away_comes_back_before_anything_ends(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (ada, id) = inside(&office, &concert).await;
    let [bob, dora] = [office.sign_in("bob").await, office.sign_in("dora").await];
    admit_projected(&office, &concert, std::slice::from_ref(&dora)).await;
    let concert = Concert::usual(&db).await;
    let lost = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let lost = lost.write(&db, &concert, bob.account_id).await;
    office.close().await;

    // Nobody was there for ten minutes. Ada's hold ended in the third of them, bob's a minute before the first.
    let app = app(&db).await;
    let_end(&db, id, 7 * 60).await;
    let_end(&db, lost, 11 * 60).await;
    let ends = "update queue_tokens set expires_at = now() - interval '7 minutes',
         stay_ends_at = now() - interval '7 minutes'";
    run_sql(&db, ends).await;
    // The last admission came after the last beat, as in every sale with many people.
    let admitted = "update queue_tokens set admitted_at = now() - interval '598 seconds'
        where account_id = $1";
    run_sql_with(&db, admitted, dora.account_id).await;
    let away = "insert into office_pulse (beat_at) values (now() - interval '10 minutes')
        on conflict (is_only) do update set beat_at = excluded.beat_at";
    run_sql(&db, away).await;
    reservation::expire_lapsed(&app).await.unwrap();
    stagedoor::entry_queue::expire_stays(&app).await.unwrap();
    let ended = "select count(*) from reservations where status <> 'HELD'";
    assert_eq!(read_one::<i64>(&db, ended).await, 0, "nothing ends while that is not known");

    // Carol held something as soon as the office was back, before it had noticed: the time of the others is not less.
    let carol = hold_of_carol(&db, &concert).await;
    let beats = (0..8).map(|_| reservation::beat(&app));
    for beat in futures_util::future::join_all(beats).await {
        beat.unwrap();
    }
    let given: (i64, i64) = sqlx::query_as(
        "select count(*), extract(epoch from sum(length))::bigint from given_times
         where program_id = (select program_id from reservations where id = $1)",
    )
    .bind(id)
    .fetch_one(&db)
    .await
    .unwrap();
    assert!(given.0 == 1 && (598..660).contains(&given.1), "{given:?}: once, and all of it");
    let given_to = "select extract(epoch from given_time)::bigint from reservations where id = $1";
    assert_eq!(read_one_with::<i64>(&db, given_to, carol).await, 0, "she lost nothing");
    reservation::expire_lapsed(&app).await.unwrap();
    stagedoor::entry_queue::expire_stays(&app).await.unwrap();
    assert_eq!(status_of(&db, lost).await, "EXPIRED", "what had ended before is not revived");
    assert_eq!(status_of(&db, id).await, "HELD");
    let stay = "select status from queue_tokens where account_id = $1";
    assert_eq!(read_one_with::<String>(&db, stay, ada.account_id).await, "ACTIVE");

    let office = Office::open(db.clone()).await;
    let ada = office.log_in(&ada, 0).await;
    assert_eq!(pay(&ada, id).await.status, 201);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_hold_of_a_performance_that_has_begun_gets_no_time(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (_, id) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    run_sql(&db, "update schedules set starts_at = now() - interval '1 minute'").await;
    let before: i64 = read_one_with(&db, LEFT, id).await;
    let path = format!("/admin/programs/{}/queue/given-time", concert.program_id);
    let given = admin.post_json(&path, &json!({ "minutes": 5, "reason": "the doors jam" })).await;
    assert_eq!(given.status, 200, "{}", given.body);
    let after: i64 = read_one_with(&db, LEFT, id).await;
    assert!(after <= before, "{before} s before, {after} s after");
    assert!(violations(&office).await.is_empty());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn an_office_that_sold_without_a_pulse_was_not_away(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (_, id) = inside(&office, &concert).await;
    office.close().await;
    // Instances of a version before the pulse made the hold; one that has it comes back.
    let app = app(&db).await;
    run_sql(&db, "update office_pulse set beat_at = now() - interval '5 hours'").await;
    let before: i64 = read_one_with(&db, LEFT, id).await;
    reservation::beat(&app).await.unwrap();
    assert_eq!(read_one::<i64>(&db, "select count(*) from given_times").await, 0);
    assert_eq!(read_one_with::<i64>(&db, LEFT, id).await, before);
    assert!(read_one::<bool>(&db, "select is_office_awake()").await);
}

/// Has the office take for unknown whether it was away, or know that it was not.
async fn set_awake(db: &PgPool, is_awake: bool) {
    let function = format!(
        "create or replace function is_office_awake() returns boolean language sql stable
         as 'select {is_awake}'"
    );
    run_sql(db, sqlx::AssertSqlSafe(function)).await;
}

#[sqlx::test]
async fn what_ran_out_counts_as_live_until_it_is_known_whether_the_office_was_away(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let options = ConcertOptions { places_per_account_max: 2, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let (ada, id) = inside(&office, &concert).await;
    let bob = office.sign_in("bob").await;
    admit_projected(&office, &concert, std::slice::from_ref(&bob)).await;
    let_end(&db, id, 1).await;
    let ends = "update queue_tokens
        set stay_ends_at = now() - interval '1 second', expires_at = now() - interval '1 second'
        where account_id = $1";
    run_sql_with(&db, ends, bob.account_id).await;
    let tokens = "select count(*) from queue_tokens where account_id = $1";

    set_awake(&db, false).await;
    let more = hold(&ada, &concert, &concert.seat_ids[4..5]).await;
    assert_eq!((more.status, more.code().as_str()), (409, "account-limit"), "{}", more.body);
    let queue = format!("/programs/{}/queue", concert.slug);
    bob.post(&queue, &()).await;
    assert_eq!(read_one_with::<i64>(&db, tokens, bob.account_id).await, 1, "bob keeps the place");
    reservation::expire_lapsed(&office.app).await.unwrap();
    stagedoor::entry_queue::expire_stays(&office.app).await.unwrap();
    assert_eq!(status_of(&db, id).await, "HELD");
    let stay = "select status from queue_tokens where account_id = $1";
    assert_eq!(read_one_with::<String>(&db, stay, bob.account_id).await, "ACTIVE");

    set_awake(&db, true).await;
    assert_eq!(hold(&ada, &concert, &concert.seat_ids[4..5]).await.status, 201);
    assert_eq!(bob.post(&queue, &()).await.status, 201);
    assert_eq!(read_one_with::<i64>(&db, tokens, bob.account_id).await, 2);
    reservation::expire_lapsed(&office.app).await.unwrap();
    assert_eq!(status_of(&db, id).await, "EXPIRED");
    assert_sound(&office).await;
    office.close().await;
}

/// The database and the program have one length of a silence from which on the office was away.
#[sqlx::test]
async fn a_silence_of_five_seconds_is_an_outage_and_a_shorter_one_is_none(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (_, id) = inside(&office, &concert).await;
    office.close().await;
    let app = app(&db).await;
    let aged = "update reservations set created_at = created_at - interval '1 minute',
        expires_at = expires_at - interval '1 minute' where id = $1";
    run_sql_with(&db, aged, id).await;
    run_sql(&db, "update queue_tokens set admitted_at = admitted_at - interval '1 day'").await;
    for (secs, n_given) in [(2, 0), (5, 1)] {
        let silent = "update office_pulse set beat_at = now() - make_interval(secs => $1)";
        run_sql_with(&db, silent, secs).await;
        assert_eq!(read_one::<bool>(&db, "select is_office_awake()").await, n_given == 0, "{secs}");
        reservation::beat(&app).await.unwrap();
        let given: i64 = read_one(&db, "select count(*) from given_times").await;
        assert_eq!(given, n_given, "{secs} s");
        assert!(read_one::<bool>(&db, "select is_office_awake()").await, "{secs}");
    }
}

#[sqlx::test]
async fn nobody_loses_a_second_of_time_that_is_given_in_the_middle_of_a_sale(db: PgPool) {
    give_in_a_sale(db, 60, 5, 1).await;
}

#[sqlx::test]
async fn nobody_of_five_hundred_loses_a_second_of_five_minutes(db: PgPool) {
    give_in_a_sale(db, 500, 1, 5).await;
}

/// Requests of a sale at once.
const AT_ONCE: usize = 65;

/// Gives so many minutes so many times, in the middle of a storm of so many people, all in all five minutes.
async fn give_in_a_sale(db: PgPool, n_people: usize, n_gifts: usize, minutes: i64) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(n_people, "Person").await;
    admit(&db, &concert, &people).await;
    for person in &people {
        charge(person, 100_000).await;
    }
    let path = format!("/admin/programs/{}/queue/given-time", concert.program_id);
    let gifts = (0..n_gifts).map(|_| {
        let (admin, path) = (admin.clone(), path.clone());
        let body = json!({ "minutes": minutes, "reason": "a slow provider" });
        async move { admin.post_json(&path, &body).await }
    });
    let sales = people.iter().enumerate().map(|(number, person)| {
        let (person, concert) = (office.moved(person, number), concert.clone());
        async move {
            let seats = &concert.seat_ids[number % concert.seat_ids.len()..][..1];
            let held = hold(&person, &concert, seats).await;
            if held.status != 201 {
                return held;
            }
            let id = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();
            match number % 3 {
                0 => pay(&person, id).await,
                1 => cancel(&person, id).await,
                _ => held,
            }
        }
    });
    let mut all: Vec<_> = sales.map(FutureExt::boxed).collect();
    let middle = all.len() / 2;
    all.splice(middle..middle, gifts.map(FutureExt::boxed));
    let answers: Vec<Answer> = stream::iter(all).buffer_unordered(AT_ONCE).collect().await;
    let n_given = count(&answers, 200, "");
    assert!(n_given >= n_gifts, "{n_given} gifts and releases were answered");
    assert!(answers.iter().all(|answer| answer.status < 500), "{answers:?}");
    let gifts: i64 = read_one(&db, "select count(*) from given_times").await;
    assert_eq!(gifts, i64::try_from(n_gifts).unwrap());
    let late = "select count(*) from queue_tokens where status = 'ACTIVE'
        and stay_ends_at < admitted_at + interval '15 minutes'";
    assert_eq!(read_one::<i64>(&db, late).await, 0, "every stay got five minutes beside its ten");
    assert_sound(&office).await;
    office.close().await;
}
