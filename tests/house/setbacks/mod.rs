//! The database goes back to an earlier state: the office notices, and gives nothing twice.

mod false_alarms;
mod going_on;
mod restore;

use sqlx::PgPool;
use stagedoor::setbacks;

use crate::support::{Answer, Concert, Office, Person, hold, pool, read_one, run_sql, until};

/// Code of everything that is refused meanwhile.
const CODE: &str = "office-set-back";

async fn join(person: &Person, concert: &Concert) -> Answer {
    person.post(&format!("/programs/{}/queue", concert.slug), &()).await
}

/// Waits until the pulse of the office has beaten twice more, and every instance and Redis have seen the first. The pulse is
/// raised before, as if the office had sold for a while.
async fn until_beaten(db: &PgPool) {
    let beats =
        async || read_one::<i64>(db, "select coalesce(max(beats), 0) from office_pulse").await;
    until("a beat", async || beats().await > 0).await;
    run_sql(db, "update office_pulse set beats = beats + 1000").await;
    let before = beats().await;
    until("two beats", async || beats().await > before + 2).await;
}

async fn n_setbacks(db: &PgPool) -> i64 {
    read_one(db, "select count(*) from setbacks").await
}

/// Takes a minute of beats away, as a database from before would show.
async fn go_back(db: &PgPool) {
    run_sql(db, "update office_pulse set beats = 1, beat_at = beat_at - interval '1 minute'").await;
}

async fn until_set_back(db: &PgPool) {
    until("the setback is noticed", async || n_setbacks(db).await > 0).await;
}

/// Asserts that no place in line and no seat is given.
async fn assert_stands_still(concert: &Concert, newcomer: &Person, inside: &Person) {
    let refused = [
        ("join", join(newcomer, concert).await),
        ("hold", hold(inside, concert, &concert.seat_ids[10..11]).await),
    ];
    for (what, answer) in refused {
        assert_eq!((answer.status, answer.code().as_str()), (503, CODE), "{what}: {}", answer.body);
    }
}

#[sqlx::test]
async fn what_could_be_lost_twice_is_refused_until_an_administrator_goes_on(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(3, "Ada").await;
    for person in &people[..2] {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    let held = hold(&people[0], &concert, &concert.seat_ids[..1]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let pay = format!("/reservations/{}/payment", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(people[0].post("/wallet/charges", &[("amount", 900_000)]).await.status, 201);
    until_beaten(&db).await;
    go_back(&db).await;
    until_set_back(&db).await;

    assert_stands_still(&concert, &people[2], &people[1]).await;
    let paid = people[0].post(&pay, &()).await;
    assert_eq!((paid.status, paid.code().as_str()), (503, CODE), "{}", paid.body);
    let page = people[2].submit(&format!("/programs/{}/queue", concert.slug), &()).await;
    assert!(page.body.contains("One moment, your place is safe"), "{}", page.body);

    let admin = office.employ("admin", "ADMIN").await;
    until("this instance sees it too", async || {
        let state = admin.get("/readyz").await;
        assert_eq!(state.status, 200, "{}", state.body);
        state.json()["set_back_since"].is_string()
    })
    .await;
    for path in ["/admin", "/admin/venues", "/admin/setbacks"] {
        let page = admin.visit(path).await;
        assert!(page.body.contains("The database went back in time"), "{path}: {}", page.body);
    }
    let seen = admin.get("/admin/setbacks").await.json();
    let id = seen["open"]["id"].as_str().unwrap();
    let end = format!("/admin/setbacks/{id}/end");
    assert_eq!(admin.post(&end, &()).await.status, 422);
    let ended = admin.post(&end, &[("reason", "The newest backup is in place")]).await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    let again = admin.post(&end, &[("reason", "Twice")]).await;
    assert_eq!((again.status, again.code().as_str()), (409, "setback-ended"), "{}", again.body);

    assert_eq!(join(&people[2], &concert).await.status, 201);
    assert_eq!(people[0].post(&pay, &()).await.status, 201);
    assert!(admin.get("/readyz").await.json()["set_back_since"].is_null());
    let log = admin.visit("/admin/audit").await;
    assert!(log.body.contains("let lines and sales go on"), "{}", log.body);
    assert_eq!(n_setbacks(&db).await, 1);
    office.close().await;
}

#[sqlx::test]
async fn a_connection_that_shows_less_is_not_used_before_that_is_written_down(db: PgPool) {
    Concert::usual(&db).await;
    run_sql(&db, "insert into office_pulse (beat_at, beats) values (now(), 5000)").await;
    let pool = pool(&db, 2);
    let first = pool.begin().await.unwrap();
    run_sql(&db, "update office_pulse set beats = 4999").await;
    // No worker looks here: the opening of the second connection does.
    let second = pool.begin().await.unwrap();
    assert_eq!(n_setbacks(&db).await, 1);
    first.rollback().await.unwrap();
    second.rollback().await.unwrap();
}

#[sqlx::test]
async fn instances_that_race_write_one_setback(db: PgPool) {
    let office = Office::open_with(db.clone(), 3, &[]).await;
    Concert::usual(&db).await;
    until_beaten(&db).await;
    go_back(&db).await;
    let watched = (0..20).map(|_| setbacks::watch(&office.app));
    for outcome in futures_util::future::join_all(watched).await {
        outcome.unwrap();
    }
    let admin = office.employ("admin", "ADMIN").await;
    let open = admin.get("/admin/setbacks").await.json();
    let end = format!("/admin/setbacks/{}/end", open["open"]["id"].as_str().unwrap());
    assert_eq!(admin.post(&end, &[("reason", "Nothing newer is left")]).await.status, 200);
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 1);
    office.close().await;
}
