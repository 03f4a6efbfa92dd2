//! `verify` and `rehearse` as a person types them, when something is in the way.

use std::process::{Output, Stdio};

use sqlx::{ConnectOptions, PgPool};
use tokio::process::{Child, Command};

use super::{TABLES, TOKEN, counts};
use crate::support::{Office, empty, read_one, run_sql, until};

/// The real program, in a world of its own.
fn stagedoor(arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stagedoor"));
    command.args(arguments).env_clear().envs(settings.iter().copied()).env("LOG", "error");
    command.kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

async fn run(arguments: &[&str], settings: &[(&str, &str)]) -> Output {
    stagedoor(arguments, settings).output().await.unwrap()
}

/// The one sentence it ends with, without success.
fn sentence(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

fn url(db: &PgPool) -> String {
    db.connect_options().to_url_lossy().to_string()
}

fn redis_url() -> String {
    std::env::var("REDIS_URL").unwrap()
}

#[sqlx::test(migrations = false)]
async fn an_unmigrated_database_is_told(db: PgPool) {
    empty(&db).await;
    let (url, redis) = (url(&db), redis_url());
    let settings = [("DATABASE_URL", url.as_str()), ("REDIS_URL", redis.as_str())];
    let verify = run(&["verify"], &settings).await;
    let told = "The database is not migrated to this version. Run `stagedoor migrate` first.";
    assert_eq!(sentence(&verify), told);
}

#[sqlx::test]
async fn an_empty_office_verifies_and_rehearses(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (url, base) = (url(&db), office.base(0));
    let settings = [
        ("DATABASE_URL", url.as_str()),
        ("REDIS_URL", &office.app.config.redis_url),
        ("REDIS_PREFIX", &office.app.config.redis_prefix),
    ];
    let verify = run(&["verify"], &settings).await;
    let said = String::from_utf8_lossy(&verify.stdout);
    assert!(verify.status.success() && said.contains("Everything"), "{verify:?}");
    let kept = "select count(*) from verifications where n_violations = 0 and n_checks > 40";
    assert_eq!(read_one::<i64>(&db, kept).await, 1, "its last word is kept");
    // As where the role may not write.
    run_sql(&db, "alter table verifications rename to elsewhere").await;
    let unkept = run(&["verify"], &settings).await;
    let told = String::from_utf8_lossy(&unkept.stderr);
    assert!(unkept.status.success() && told.contains("do not show this run"), "{unkept:?}");
    run_sql(&db, "alter table elsewhere rename to verifications").await;
    let arguments = ["rehearse", "--people", "5", "--target", &base, "--json"];
    let rehearse = run(&arguments, &settings).await;
    assert!(rehearse.status.success(), "{rehearse:?}");
    let report: serde_json::Value = serde_json::from_slice(&rehearse.stdout).unwrap();
    assert_eq!(report["violations"], serde_json::json!([]));
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
    let mails: i64 = read_one(&db, "select count(*) from outbox").await;
    assert_eq!(mails, 0, "nobody of a rehearsal is written to");
    office.close().await;
}

#[tokio::test]
async fn what_cannot_be_reached_is_told() {
    let redis = redis_url();
    let nowhere = "postgres://nobody@127.0.0.1:1/nothing";
    let settings = [("DATABASE_URL", nowhere), ("REDIS_URL", redis.as_str())];
    let verify = sentence(&run(&["verify"], &settings).await);
    assert!(verify.starts_with("PostgreSQL cannot be reached"), "{verify}");
    let rehearse = run(&["rehearse", "--target", "http://127.0.0.1:1"], &settings).await;
    let rehearse = sentence(&rehearse);
    assert!(rehearse.starts_with("The deployment does not answer"), "{rehearse}");
}

#[tokio::test]
async fn a_redis_that_cannot_be_reached_is_told() {
    let database = std::env::var("DATABASE_URL").unwrap();
    let settings = [("DATABASE_URL", database.as_str()), ("REDIS_URL", "redis://127.0.0.1:1")];
    let output = run(&["verify"], &settings).await;
    let told = sentence(&output);
    // The developer's own database may be an older one.
    assert!(told.starts_with("Redis cannot be reached") || told.contains("migrate"), "{told}");
}

#[tokio::test]
async fn a_deployment_elsewhere_needs_its_token() {
    let refused = run(&["rehearse", "--target", "http://192.0.2.1"], &[]).await;
    let told = sentence(&refused);
    assert!(told.contains("is not on this machine") && told.contains("REHEARSAL_TOKEN"), "{told}");
    let short = [("REHEARSAL_TOKEN", "short")];
    let refused = run(&["rehearse", "--target", "http://192.0.2.1"], &short).await;
    assert!(sentence(&refused).starts_with("REHEARSAL_TOKEN is too short"));
}

/// As in an image that has none: only https needs them.
#[tokio::test]
async fn http_needs_no_certificates() {
    let bare = [
        ("SSL_CERT_FILE", "/nonexistent"),
        ("SSL_CERT_DIR", "/nonexistent"),
        ("REHEARSAL_TOKEN", TOKEN),
    ];
    let told = sentence(&run(&["rehearse", "--target", "http://127.0.0.1:1"], &bare).await);
    assert!(told.starts_with("The deployment does not answer"), "{told}");
    let told = sentence(&run(&["rehearse", "--target", "https://127.0.0.1:1"], &bare).await);
    assert!(told.starts_with("HTTP cannot be spoken: "), "{told}");
}

#[sqlx::test]
async fn a_wrong_token_a_missing_one_and_no_door_are_told(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    let base = office.base(0);
    let rehearse = ["rehearse", "--people", "3", "--target", base.as_str()];
    let wrong = [("REHEARSAL_TOKEN", "another token, as long as the right one")];
    let told = sentence(&run(&rehearse, &wrong).await);
    assert!(told.starts_with("The deployment refused the rehearsal token"), "{told}");
    let told = sentence(&run(&rehearse, &[]).await);
    assert!(told.starts_with("Set DATABASE_URL and REDIS_URL"), "{told}");
    let right = run(&rehearse, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    assert!(right.status.success(), "{right:?}");
    assert!(String::from_utf8_lossy(&right.stdout).contains("Not verified"), "{right:?}");
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
    office.close().await;

    let closed = Office::open_with(db, 1, &[]).await;
    let base = closed.base(0);
    let rehearse = ["rehearse", "--people", "3", "--target", base.as_str()];
    let told = sentence(&run(&rehearse, &[("REHEARSAL_TOKEN", TOKEN)]).await);
    assert!(told.starts_with("The deployment takes no rehearsals"), "{told}");
    closed.close().await;
}

#[sqlx::test]
async fn a_full_disk_costs_the_history_and_nothing_else(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    let base = office.base(0);
    let token = [("REHEARSAL_TOKEN", TOKEN)];
    let rehearse = ["rehearse", "--people", "3", "--target", &base, "--history", "/dev/full"];
    let output = run(&rehearse, &token).await;
    let told = sentence(&output);
    assert!(told.starts_with("/dev/full could not be written: "), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("places sold"), "{output:?}");
    assert_eq!(counts(&db).await, [0; TABLES.len()]);

    let rehearse = ["rehearse", "--people", "3", "--target", &base, "--html", "/nowhere/a.html"];
    let output = run(&rehearse, &token).await;
    assert!(sentence(&output).starts_with("/nowhere/a.html could not be written"));
    assert!(output.stdout.is_empty(), "nobody came: {output:?}");
    office.close().await;
}

/// A rehearsal whose first people are in line.
async fn begun(db: &PgPool, office: &Office) -> Child {
    let base = office.base(0);
    let rehearse = ["rehearse", "--people", "300", "--open-loop", "5", "--target", &base];
    let child = stagedoor(&rehearse, &[("REHEARSAL_TOKEN", TOKEN)]).spawn().unwrap();
    until("somebody joins", async || {
        let joined = sqlx::query_scalar::<_, i64>("select count(*) from queue_tokens");
        joined.fetch_one(db).await.unwrap() > 0
    })
    .await;
    child
}

#[sqlx::test]
async fn ctrl_c_cleans_up_and_tells_what_there_is(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    let child = begun(&db, &office).await;
    let pid = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().await.unwrap().success());
    let output = child.wait_with_output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("It was interrupted."), "{output:?}");
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
    office.close().await;
}

#[sqlx::test]
async fn what_is_left_of_a_rehearsal_that_was_killed_goes_with_the_next_one(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    begun(&db, &office).await.kill().await.unwrap();
    assert_ne!(counts(&db).await, [0; TABLES.len()], "nobody was there to clean up");
    // Another process might still run it until its sale is over.
    run_sql(&db, "update programs set off_sale_at = now() - interval '1 second'").await;
    let next = ["rehearse", "--people", "5", "--target", &office.base(0)];
    let next = run(&next, &[("REHEARSAL_TOKEN", TOKEN)]).await;
    assert!(next.status.success(), "{next:?}");
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
    office.close().await;
}
