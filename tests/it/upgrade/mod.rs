//! Upgrades: a database that a released version filled is migrated, keeps every invariant, and goes
//! on selling.
//!
//! Beside this file stands a dump of each released version, `VERSION.dump`, as plain SQL.
//! `scripts/record-release` makes it, with the data of [`sample`].

mod sample;

use std::{fs, time::Duration};

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool, raw_sql};
use stagedoor::infra::postgres::migrate_for;
use uuid::Uuid;

use crate::support::{Answer, Office, Person, config, empty};

/// Demo account that buys in the upgraded database, with points left. It has no part in the
/// program [`SLUG`] before.
const BUYER: &str = "mina@stagedoor.example";
/// Password of every demo account in the dumps.
const PASSWORD: &str = "open sesame door";
/// Program of the demo without a queue, with free seats.
const SLUG: &str = "quiet-machines";

/// Folder of the dumps.
const DUMPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/upgrade");
/// Checksums and names of the released migrations, in order.
const RELEASED: &str = include_str!("../../../migrations/RELEASED");

/// Returns the versions that have a dump, sorted as text.
pub(crate) fn versions() -> Vec<String> {
    let files = fs::read_dir(DUMPS).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut versions: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".dump").map(str::to_owned)).collect();
    versions.sort();
    versions
}

/// Replaces the contents of the database of a test by the dump of `version`.
async fn load(db: &PgPool, version: &str) {
    empty(db).await;
    let dump = fs::read_to_string(format!("{DUMPS}/{version}.dump")).unwrap();
    // A connection of its own, because a dump changes settings of its session.
    let mut session = PgConnection::connect_with(&db.connect_options()).await.unwrap();
    raw_sql(AssertSqlSafe(dump)).execute(&mut session).await.unwrap();
    session.close().await.unwrap();
}

/// Moves every sale and performance forward by the age of the dump.
async fn bring_forward(db: &PgPool) {
    const SHIFT: &str = "
        update schedules set starts_at = starts_at + (now() - created_at)
        from programs where programs.id = program_id;
        update programs
        set on_sale_at = on_sale_at + (now() - created_at),
            off_sale_at = off_sale_at + (now() - created_at)";
    raw_sql(SHIFT).execute(db).await.unwrap();
}

/// Waits until workers have ended what lapsed since the dump was made.
async fn until_nothing_is_overdue(db: &PgPool) {
    const LOOKS_MAX: u32 = 2_400;
    for _ in 0..LOOKS_MAX {
        let overdue: i64 = sqlx::query_scalar(
            "select (select count(*) from reservations where status = 'HELD' and expires_at < now())
                + (select count(*) from transfers where status = 'PENDING' and expires_at < now())",
        )
        .fetch_one(db)
        .await
        .unwrap();
        if overdue == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("holds or transfers of the dump do not expire");
}

/// Logs in as a demo account, over HTTP.
async fn log_in(office: &Office, email: &str) -> Person {
    let person = office.stranger();
    let answer = person.post("/login", &[("email", email), ("password", PASSWORD)]).await;
    assert_eq!(answer.status, 200, "{email}: {}", answer.body);
    person
}

/// Joins a program without a queue, holds `choice` at its first performance, and returns the
/// path of the reservation.
async fn hold(db: &PgPool, person: &Person, slug: &str, choice: Value) -> String {
    let joined = person.post(&format!("/programs/{slug}/queue"), &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    let schedule_id: Uuid = sqlx::query_scalar(
        "select schedules.id from schedules join programs on programs.id = program_id
         where slug = $1 order by starts_at limit 1",
    )
    .bind(slug)
    .fetch_one(db)
    .await
    .unwrap();
    let held = person.post_json(&format!("/schedules/{schedule_id}/reservations"), &choice).await;
    assert_eq!(held.status, 201, "{}", held.body);
    format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap())
}

async fn pay(person: &Person, reservation: &str) -> Answer {
    let paid = person.post(&format!("{reservation}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    paid
}

/// Returns the checksums of the migrations that the database has, in order.
async fn applied(db: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select encode(checksum, 'hex') from _sqlx_migrations order by version")
        .fetch_all(db)
        .await
        .unwrap()
}

#[sqlx::test(migrations = false)]
async fn a_database_of_every_release_is_migrated_and_sells_on(db: PgPool) {
    for version in versions() {
        load(&db, &version).await;
        let applied = applied(&db).await;
        assert!(!applied.is_empty(), "{version}: the dump has no migrations");
        let released = RELEASED.lines().map(|line| line.split(' ').next().unwrap());
        assert_eq!(released.take(applied.len()).collect::<Vec<_>>(), applied, "{version}");

        let url = db.connect_options().to_url_lossy();
        migrate_for(&config(&[("DATABASE_URL", url.as_str())])).await.unwrap().close();
        bring_forward(&db).await;
        let office = Office::open_with(db.clone(), 1, &[]).await;
        until_nothing_is_overdue(&db).await;
        office.verify().await;

        let buyer = log_in(&office, BUYER).await;
        let reservation = hold(&db, &buyer, SLUG, json!({ "best": 1 })).await;
        let paid = pay(&buyer, &reservation).await;
        assert_eq!(paid.json()["tickets"].as_array().unwrap().len(), 1, "{}", paid.body);
        for path in ["/", "/tickets", "/wallet", "/reservations", &reservation] {
            assert_eq!(buyer.visit(path).await.status, 200, "{version}: {path}");
        }
        office.close().await;
    }
}
