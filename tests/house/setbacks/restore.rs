//! A database is destroyed in a sale and a backup put back, with the scripts of `deploy/backup`.

use std::path::Path;

use serde_json::json;
use sqlx::PgPool;

use super::{assert_stands_still, join, n_setbacks, until_beaten, until_set_back};
use crate::support::{Concert, Office, PrivatePostgres, hold, read_one, run_sql, until};

const HIGHEST: &str = "select max(queue_number) from queue_tokens";
const SIGNED: &str = "select coalesce(max(size), 0) from queue_logs where kind = 'JOINS'";

/// Waits until the log of joins is signed for `n` entries.
async fn until_signed(db: &PgPool, n: i64) {
    until("the log", async || read_one::<i64>(db, SIGNED).await >= n).await;
}

#[tokio::test]
async fn a_backup_put_back_in_a_sale_gives_no_number_seat_or_signature_twice() {
    let server = PrivatePostgres::start().await;
    let db = server.database().await;
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(8, "Ada").await;
    for person in &people[..3] {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until_signed(&db, 3).await;
    until_beaten(&db).await;
    let backup = server.back_up().await;

    // The minute that will be lost: numbers 4 to 6, their signature, and a seat.
    for person in &people[3..6] {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    let held = hold(&people[0], &concert, &concert.seat_ids[..1]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    until_signed(&db, 6).await;
    until_beaten(&db).await;
    server.destroy().await;
    server.put_back(&backup).await.unwrap();
    server.restart().await;

    // The first request finds the office standing still: no instance takes it before it knows.
    let seat = hold(&people[1], &concert, &concert.seat_ids[..1]).await;
    assert_eq!((seat.status, seat.code().as_str()), (503, "office-set-back"), "{}", seat.body);
    assert_stands_still(&concert, &people[6], &people[2]).await;
    assert_eq!(n_setbacks(&db).await, 1);
    assert_eq!((read_one::<i64>(&db, HIGHEST).await, read_one::<i64>(&db, SIGNED).await), (3, 3));

    let line = json!([[concert.program_id, 6, 3, 6, 3]]);
    let seen = async || admin.get("/admin/setbacks").await.json();
    until("what was known of the line", async || {
        let lines = seen().await["lines"].clone();
        let of = |line: &serde_json::Value| {
            json!([
                line["program_id"],
                line["number_known"],
                line["number"],
                line["joins_known"],
                line["joins"]
            ])
        };
        lines
            .as_array()
            .is_some_and(|lines| json!(lines.iter().map(of).collect::<Vec<_>>()) == line)
    })
    .await;
    let end = format!("/admin/setbacks/{}/end", seen().await["open"]["id"].as_str().unwrap());
    assert_eq!(admin.post(&end, &[("reason", "Nothing newer is left")]).await.status, 200);

    let next = join(&people[7], &concert).await;
    assert_eq!((next.status, &next.json()["queue_number"]), (201, &json!(7)), "{}", next.body);
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..1]).await.status, 201);
    let log = admin.visit(&format!("/programs/{}/log", concert.slug)).await;
    assert!(log.body.contains("has added nothing since"), "{}", log.body);
    until_beaten(&db).await;
    assert_eq!((read_one::<i64>(&db, SIGNED).await, n_setbacks(&db).await), (3, 1));
    office.close().await;
}

#[tokio::test]
async fn with_the_archive_nothing_is_lost_and_the_office_sells_on() {
    let server = PrivatePostgres::start().await;
    server.archive().await;
    let db = server.database().await;
    let settings = [("REDIS_PREFIX", "archived")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(3, "Ada").await;
    assert_eq!(join(&people[0], &concert).await.status, 201);
    let backup = server.back_up().await;
    assert_eq!(join(&people[1], &concert).await.status, 201);
    until_beaten(&db).await;
    office.close().await;
    server.until_archived().await;
    server.destroy().await;
    server.put_back_with_archive(&backup).await;
    server.restart().await;

    let office = Office::open_with(db.clone(), 2, &settings).await;
    until_beaten(&db).await;
    assert_eq!(n_setbacks(&db).await, 0);
    let next = join(&office.moved(&people[2], 0), &concert).await;
    assert_eq!((next.status, &next.json()["queue_number"]), (201, &json!(3)), "{}", next.body);
    office.close().await;
}

#[tokio::test]
async fn a_backup_is_put_over_no_data_and_only_if_it_is_whole() {
    let server = PrivatePostgres::start().await;
    let db = server.database().await;
    let backup = server.back_up().await;
    let refused = server.put_back(&backup).await.unwrap_err();
    assert!(refused.contains("has data"), "{refused}");
    run_sql(&db, "select count(*) from programs").await;
    server.destroy().await;
    let refused = server.put_back(Path::new("/nowhere")).await.unwrap_err();
    assert!(refused.contains("is no backup"), "{refused}");
    let hit = backup.join("global/pg_control");
    let whole = std::fs::read(&hit).unwrap();
    let mut damaged = whole.clone();
    damaged[0] ^= 1;
    std::fs::write(&hit, damaged).unwrap();
    let refused = server.put_back(&backup).await.unwrap_err();
    assert!(refused.contains("is damaged"), "{refused}");
    std::fs::write(&hit, whole).unwrap();
    let version = backup.join("PG_VERSION");
    let made = std::fs::read(&version).unwrap();
    std::fs::write(&version, "99\n").unwrap();
    let refused = server.put_back(&backup).await.unwrap_err();
    assert!(refused.contains("is of PostgreSQL 99"), "{refused}");
    std::fs::write(&version, made).unwrap();
    server.put_back(&backup).await.unwrap();
    server.restart().await;
    run_sql(&db, "select count(*) from programs").await;
}

#[tokio::test]
async fn a_backup_that_finds_no_room_leaves_those_before_it_and_the_newest_stay() {
    let server = PrivatePostgres::start().await;
    let first = server.back_up().await;
    let refused = server.try_to_back_up("1000").await.unwrap_err();
    assert!(refused.contains("The backup was not made"), "{refused}");
    let folder = first.parent().unwrap();
    let names = || {
        let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut all: Vec<_> = all.collect();
        all.sort();
        all
    };
    assert_eq!(names(), [first.file_name().unwrap()]);
    let (second, third) = (server.back_up().await, server.back_up().await);
    assert_eq!(names(), [second.file_name().unwrap(), third.file_name().unwrap()]);
}

#[tokio::test]
async fn an_instance_that_meets_the_backup_first_notices_it_whichever_that_is() {
    let server = PrivatePostgres::start().await;
    let db = server.database().await;
    let office = Office::open_with(db.clone(), 1, &[("REDIS_URL", "redis://127.0.0.1:1")]).await;
    Concert::usual(&db).await;
    until_beaten(&db).await;
    let backup = server.back_up().await;
    until_beaten(&db).await;
    server.destroy().await;
    server.put_back(&backup).await.unwrap();
    server.restart().await;
    until_set_back(&db).await;
    office.close_as_it_is().await;
}
