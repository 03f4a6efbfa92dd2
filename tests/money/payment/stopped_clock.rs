//! The clock of a program, stopped by staff and let run again.

use futures_util::{StreamExt, stream};
use serde_json::json;
use sqlx::PgPool;
use stagedoor::reservation;
use uuid::Uuid;

use super::{
    assert_sound, charge,
    crashes::die,
    given_time::{LEFT, NO_SWEEP, inside},
    pay, status_of,
};
use crate::support::{
    Answer, Concert, ConcertOptions, Death, Office, Person, acts, admit, count, hold, lapse_holds,
    ledger::violations, read_one, read_one_with, run_sql, storm, until,
};

const GIVEN: &str = "select count(*) from given_times";

async fn turn(admin: &Person, concert: &Concert, how: &str) -> Answer {
    let path = format!("/admin/programs/{}/queue/clock/{how}", concert.program_id);
    match how {
        "stop" => admin.post_json(&path, &json!({ "reason": "the power is out" })).await,
        _ => admin.post(&path, &()).await,
    }
}

/// Whether the pages of a line say that the clock is stopped.
async fn is_told(person: &Person, concert: &Concert) -> bool {
    let path = format!("/programs/{}/announcements", concert.slug);
    person.get(&path).await.json()["clock_stopped"] == true
}

#[sqlx::test]
async fn while_the_clock_is_stopped_nobody_inside_runs_out_of_time(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (ada, id) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue/clock/stop", concert.program_id);
    let no_reason = admin.post_json(&path, &json!({})).await;
    assert!(no_reason.json()["fields"]["reason"].is_string(), "{}", no_reason.body);
    let before: i64 = read_one_with(&db, LEFT, id).await;
    let stops = storm((0..8).map(|nth| {
        let (admin, concert) = (office.moved(&admin, nth), concert.clone());
        async move { turn(&admin, &concert, "stop").await }
    }))
    .await;
    let n_done = stops.iter().filter(|stop| stop.status == 200).count();
    assert_eq!(n_done, 1, "{stops:?}");
    assert!(stops.iter().all(|stop| matches!(stop.code().as_str(), "" | "clock-stopped")));
    until("pages say so", async || is_told(&ada, &concert).await).await;
    until("the page of the hold says so", async || {
        let page = ada.visit(&format!("/reservations/{id}")).await.body;
        page.contains("stopped the clock") && page.contains("the power is out")
    })
    .await;
    let queue = format!("/admin/programs/{}/queue", concert.program_id);
    assert!(admin.visit(&queue).await.has("form[action$='/clock/restart']"));
    let live = format!("/admin/programs/{}/live", concert.program_id);
    until("the live page says so", async || admin.get(&live).await.json()["clock_stopped"] == true)
        .await;
    assert!(admin.visit(&live).await.body.contains("The clock is stopped"));

    // Whenever what was given is nearly used up there is more, by one instance of all.
    for n_given in 2..=4 {
        assert_eq!(read_one::<i64>(&db, GIVEN).await, n_given - 1);
        run_sql(&db, "update clock_stops set given_until = now() + interval '29 seconds'").await;
        until("more time", async || read_one::<i64>(&db, GIVEN).await == n_given).await;
    }
    assert_eq!(read_one_with::<i64>(&db, LEFT, id).await, before + 150);
    // Who comes in meanwhile has the same.
    let later = hold(&ada, &concert, &concert.seat_ids[2..3]).await;
    let later: Uuid = later.json()["reservation_id"].as_str().unwrap().parse().unwrap();
    run_sql(&db, "update clock_stops set given_until = now() + interval '29 seconds'").await;
    until("more time", async || read_one::<i64>(&db, GIVEN).await == 5).await;
    assert_eq!(read_one_with::<i64>(&db, LEFT, later).await, before + 30);

    assert_eq!(turn(&admin, &concert, "restart").await.status, 200);
    assert_eq!(turn(&admin, &concert, "restart").await.code(), "clock-runs");
    until("pages say so", async || !is_told(&ada, &concert).await).await;
    let given: i64 = read_one(&db, GIVEN).await;
    run_sql(&db, "update clock_stops set given_until = now()").await;
    reservation::keep_stopped(&office.app).await.unwrap();
    assert_eq!(read_one::<i64>(&db, GIVEN).await, given, "a clock that runs gets no more");
    assert_eq!(pay(&ada, id).await.status, 201);
    assert_eq!(status_of(&db, id).await, "CONFIRMED");
    assert_eq!(acts(&db).await, ["clock-stopped", "clock-restarted"]);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_clock_that_nobody_lets_run_runs_by_itself_after_hours_or_a_cancellation(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (ada, _) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    let open = "select count(*) from clock_stops where ended_at is null";
    let ends = [
        "update clock_stops set stopped_at = now() - interval '4 hours 1 second'",
        "update programs set status = 'CANCELLED', cancelled_at = now(), version = version + 1",
    ];
    for end in ends {
        assert_eq!(turn(&admin, &concert, "stop").await.status, 200);
        assert_eq!(read_one::<i64>(&db, open).await, 1);
        run_sql(&db, end).await;
        run_sql(&db, "update clock_stops set given_until = now() where ended_at is null").await;
        until("the end", async || read_one::<i64>(&db, open).await == 0).await;
        until("pages say so", async || !is_told(&ada, &concert).await).await;
    }
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_gift_of_time_whose_process_dies_is_given_whole_or_not_at_all_and_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (_, id) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    let program = format!("/admin/programs/{}/queue", concert.program_id);
    let stays = "select extract(epoch from stay_ends_at - admitted_at)::bigint from queue_tokens";
    let (mut hold_secs, stay_secs): (i64, i64) =
        (read_one_with(&db, LEFT, id).await, read_one(&db, stays).await);
    let first = hold_secs;
    let deaths = [
        Death::Writing("given_times"),
        Death::Writing("queue_tokens"),
        Death::Writing("reservations"),
        Death::Writing("audit_log"),
        Death::Committing("given_times"),
    ];
    for death in deaths {
        let form = json!({ "minutes": 2, "reason": "a fire drill", "request_key": Uuid::now_v7() });
        let path = format!("{program}/given-time");
        die(&office, &admin, &path, &form, death).await;
        let is_done = matches!(death, Death::Committing(_));
        let given: i64 = read_one_with(&db, LEFT, id).await;
        assert_eq!(given - hold_secs, if is_done { 120 } else { 0 }, "{death:?}");
        let again = admin.post_json(&path, &form).await;
        assert_eq!((again.status, &again.json()["holds"]), (200, &json!(1)), "{death:?}");
        hold_secs += 120;
        assert_eq!(read_one_with::<i64>(&db, LEFT, id).await, hold_secs, "{death:?}: once");
        let given = hold_secs - first;
        assert_eq!(read_one::<i64>(&db, stays).await, stay_secs + given, "{death:?}");
        assert_sound(&office).await;
    }
    office.close().await;
}

#[sqlx::test]
async fn who_comes_in_between_two_gifts_gets_all_of_the_time_when_the_clock_runs_again(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (ada, _) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    assert_eq!(turn(&admin, &concert, "stop").await.status, 200);
    // A gift just now is enough for a minute, and the next would come after half of one.
    run_sql(&db, "update clock_stops set given_until = now() + interval '60 seconds'").await;
    let later = hold(&ada, &concert, &concert.seat_ids[2..3]).await;
    let later: Uuid = later.json()["reservation_id"].as_str().unwrap().parse().unwrap();
    let before: i64 = read_one_with(&db, LEFT, later).await;
    // As if 29 seconds had passed since.
    run_sql(&db, "update clock_stops set given_until = given_until - interval '29 seconds'").await;
    assert_eq!(turn(&admin, &concert, "restart").await.status, 200);
    let given = read_one_with::<i64>(&db, LEFT, later).await - before;
    assert!((29..=60).contains(&given), "{given}");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn nothing_ends_while_the_clock_is_stopped_even_where_no_worker_gives_and_verify_says_what_did(
    db: PgPool,
) {
    let office = Office::open_with(db.clone(), 1, &NO_SWEEP).await;
    let concert = Concert::usual(&db).await;
    let (_, id) = inside(&office, &concert).await;
    let admin = office.employ("admin", "ADMIN").await;
    assert_eq!(turn(&admin, &concert, "stop").await.status, 200);
    // No worker finds anything to do, and all of the time is over.
    run_sql(&db, "update clock_stops set given_until = now() + interval '1 hour', stopped_at = stopped_at - interval '1 hour'").await;
    lapse_holds(&db).await;
    run_sql(&db, "update queue_tokens set stay_ends_at = now() - interval '1 second', expires_at = now() - interval '1 second'").await;
    reservation::expire_lapsed(&office.app).await.unwrap();
    stagedoor::entry_queue::expire_stays(&office.app).await.unwrap();
    assert_eq!(status_of(&db, id).await, "HELD");
    let stays = "select count(*) from queue_tokens where status = 'ACTIVE'";
    assert_eq!(read_one::<i64>(&db, stays).await, 1);
    run_sql(&db, "update reservations set status = 'EXPIRED', settled_at = now()").await;
    run_sql(&db, "update queue_tokens set status = 'EXPIRED', ended_at = now()").await;
    let found = violations(&office).await;
    for code in ["S3", "G2"] {
        let is_said = found
            .iter()
            .any(|line| line.starts_with(code) && line.contains("the clock was stopped"));
        assert!(is_said, "{code}: {found:?}");
    }
    office.close_as_it_is().await;
}

/// Requests of the storm at once.
const AT_ONCE: usize = 65;

/// Lets each of some people hold the seat of their number; returns them with their holds.
async fn hold_each(
    office: &Office,
    concert: &Concert,
    people: impl Iterator<Item = (usize, &Person)>,
) -> Vec<(Person, Uuid)> {
    let orders = people.map(|(nth, person)| {
        let (person, seat) = (office.moved(person, nth), concert.seat_ids[nth]);
        async move {
            let held = hold(&person, concert, &[seat]).await;
            assert_eq!(held.status, 201, "{}", held.body);
            (person, held.json()["reservation_id"].as_str().unwrap().parse().unwrap())
        }
    });
    stream::iter(orders).buffer_unordered(AT_ONCE).collect().await
}

async fn pay_each(holds: &[(Person, Uuid)]) {
    let payments = holds.iter().map(|(person, id)| pay(person, *id));
    let answers: Vec<Answer> = stream::iter(payments).buffer_unordered(AT_ONCE).collect().await;
    assert_eq!(count(&answers, 201, ""), holds.len(), "{answers:?}");
}

#[sqlx::test]
async fn of_five_hundred_nobody_runs_out_while_the_clock_is_stopped_for_longer_than_a_hold_lasts(
    db: PgPool,
) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let options = ConcertOptions { seats: 500, hold_ttl_secs: 60, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(500, "Person").await;
    admit(&db, &concert, &people).await;
    for person in &people {
        charge(person, 100_000).await;
    }
    let mut line = people.iter().enumerate();
    let mut holds = hold_each(&office, &concert, line.by_ref().take(50)).await;
    assert_eq!(turn(&admin, &concert, "stop").await.status, 200);
    holds.extend(hold_each(&office, &concert, line.by_ref().take(225)).await);
    // A minute at once, and half of one each half minute.
    until("the second gift", async || read_one::<i64>(&db, GIVEN).await >= 2).await;
    holds.extend(hold_each(&office, &concert, line).await);
    until("the fourth gift", async || read_one::<i64>(&db, GIVEN).await >= 4).await;
    let outlived = "select count(*) from reservations
        where status = 'HELD' and now() > created_at + make_interval(secs => hold_ttl_secs)";
    assert!(read_one::<i64>(&db, outlived).await >= 275, "as long as a hold lasts, and longer");
    let (before, after) = holds.split_at(250);
    pay_each(before).await;
    assert_eq!(turn(&admin, &concert, "restart").await.status, 200);
    pay_each(after).await;
    let sold = "select count(*) from reservations where status = 'CONFIRMED'";
    assert_eq!(read_one::<i64>(&db, sold).await, 500);
    assert_sound(&office).await;
    office.close().await;
}
