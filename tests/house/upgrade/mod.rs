//! Upgrades: a database that a released version filled is migrated, keeps every invariant, and goes
//! on selling.
//!
//! Beside this file stands a dump of each released version, `VERSION.dump`, as plain SQL.
//! `scripts/record-release` makes it, with the data of [`sample`].

mod sample;
mod while_serving;

use std::{fs, process::Command};

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool, raw_sql};
use stagedoor::infra::postgres::migrate_for;
use uuid::Uuid;

use crate::support::{
    Answer, Office, Person, config, empty, read_all, read_one, read_one_with, until,
};

/// Demo account that buys in the upgraded database, with points left. It has no part in the
/// program [`SLUG`] before.
const BUYER: &str = "mina@stagedoor.example";
/// Password of every demo account in the dumps.
const PASSWORD: &str = "open sesame door";
/// Program of the demo without a queue, with free seats.
const SLUG: &str = "quiet-machines";

/// Folder of the dumps.
const DUMPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/house/upgrade");
/// Checksums and names of the migrations, in order.
const CHECKSUMS: &str = include_str!("../../../migrations/CHECKSUMS");

/// Returns the versions that have a dump, sorted as text.
pub(crate) fn versions() -> Vec<String> {
    let files = fs::read_dir(DUMPS).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut versions: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".dump").map(str::to_owned)).collect();
    versions.sort();
    versions
}

/// Returns the database of a test as SQL.
fn dump(db: &PgPool) -> String {
    const DUMP: &str = ". scripts/lib/programs.sh; . scripts/lib/dump.sh; print_database \"$1\"";
    let mut url = db.connect_options().to_url_lossy();
    // What only sqlx understands.
    url.set_query(None);
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", DUMP, "dump", url.as_str()]);
    let dumped = bash.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
    String::from_utf8(dumped.stdout).unwrap()
}

/// Replaces the contents of the database of a test by a dump.
async fn load(db: &PgPool, dump: String) {
    empty(db).await;
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
    const OVERDUE: &str = "
        select (select count(*) from reservations where status = 'HELD' and expires_at < now())
            + (select count(*) from transfers where status = 'PENDING' and expires_at < now())";
    until("the end of what lapsed", async || read_one::<i64>(db, OVERDUE).await == 0).await;
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
    const FIRST: &str = "
        select schedules.id from schedules join programs on programs.id = program_id
        where slug = $1 order by starts_at limit 1";
    let joined = person.post(&format!("/programs/{slug}/queue"), &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    let schedule_id: Uuid = read_one_with(db, FIRST, slug).await;
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
    read_all(db, "select encode(checksum, 'hex') from _sqlx_migrations order by version").await
}

/// Migrates a loaded database, and buys there.
async fn migrate_and_sell(db: &PgPool) {
    let url = db.connect_options().to_url_lossy();
    migrate_for(&config(&[("DATABASE_URL", url.as_str())])).await.unwrap().close();
    bring_forward(db).await;
    let office = Office::open_with(db.clone(), 1, &[]).await;
    until_nothing_is_overdue(db).await;
    office.verify().await;

    let buyer = log_in(&office, BUYER).await;
    let reservation = hold(db, &buyer, SLUG, json!({ "best": 1 })).await;
    let paid = pay(&buyer, &reservation).await;
    assert_eq!(paid.json()["tickets"].as_array().unwrap().len(), 1, "{}", paid.body);
    for path in ["/", "/tickets", "/wallet", "/reservations", &reservation] {
        assert_eq!(buyer.visit(path).await.status, 200, "{path}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_database_of_this_version_can_be_moved_and_sells_on(db: PgPool) {
    sample::fill(&db).await;
    let dump = dump(&db);
    // For scripts/record-release.
    fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/upgrade.dump"), &dump).unwrap();
    let n_tickets = "select count(*) from tickets";
    let sold: i64 = read_one(&db, n_tickets).await;
    load(&db, dump).await;
    assert_eq!(read_one::<i64>(&db, n_tickets).await, sold);
    migrate_and_sell(&db).await;
}

#[sqlx::test(migrations = false)]
async fn a_database_of_every_release_is_migrated_and_sells_on(db: PgPool) {
    for version in versions() {
        load(&db, fs::read_to_string(format!("{DUMPS}/{version}.dump")).unwrap()).await;
        let applied = applied(&db).await;
        assert!(!applied.is_empty(), "{version}: the dump has no migrations");
        let checksums = CHECKSUMS.lines().map(|line| line.split(' ').next().unwrap());
        assert_eq!(checksums.take(applied.len()).collect::<Vec<_>>(), applied, "{version}");
        migrate_and_sell(&db).await;
    }
}
