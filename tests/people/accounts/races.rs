//! A password that is changed between its check and what it opens.

use sqlx::{PgPool, Postgres, Transaction};

use crate::support::{
    Office, PASSWORD, Person, Signed, count, read_one, run_sql, run_sql_with, sign_up, storm,
    until_locks_wait,
};

const NEW: &str = "a lantern for the otter";

/// Sends `form` to `path`, lets it check the password, and commits `change` to the account before
/// the request gets the account's row; returns the answer's status and code.
async fn beside(
    db: &PgPool,
    person: Person,
    path: &'static str,
    form: Vec<(&'static str, String)>,
    change: Transaction<'static, Postgres>,
) -> (u16, String) {
    let request = tokio::spawn(async move { person.post(path, &form).await });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    change.commit().await.unwrap();
    let answer = request.await.unwrap();
    (answer.status, answer.code())
}

/// Begins what a reset does to every account.
async fn begin_reset(db: &PgPool) -> Transaction<'static, Postgres> {
    let mut reset = db.begin().await.unwrap();
    run_sql(&mut *reset, "update accounts set password_hash = 'of another'").await;
    reset
}

#[sqlx::test]
async fn a_log_in_beside_a_reset_opens_no_session(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Signed { email, .. } = sign_up(&office, "ada").await;
    let mut reset = begin_reset(&db).await;
    run_sql(&mut *reset, "delete from sessions").await;
    let form = vec![("email", email), ("password", PASSWORD.to_owned())];
    let answer = beside(&db, office.stranger(), "/login", form, reset).await;
    assert_eq!(answer, (401, "wrong-credentials".to_owned()));
    assert_eq!(read_one::<i64>(&db, "select count(*) from sessions").await, 0);
    office.close().await;
}

/// The hash is another one, and the password fits it.
#[sqlx::test]
async fn a_log_in_beside_a_change_to_the_same_password_is_checked_again(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Signed { email, .. } = sign_up(&office, "ada").await;
    let bob = sign_up(&office, "bob").await;
    let mut change = db.begin().await.unwrap();
    let to_bobs = "update accounts a set password_hash = b.password_hash
                   from accounts b where a.id <> b.id and b.id = $1";
    run_sql_with(&mut *change, to_bobs, bob.person.account_id).await;
    let form = vec![("email", email), ("password", PASSWORD.to_owned())];
    let answer = beside(&db, office.stranger(), "/login", form, change).await;
    assert_eq!(answer, (200, String::new()));
    office.close().await;
}

#[sqlx::test]
async fn a_confirmation_beside_a_new_password_confirms_nothing(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Signed { person, .. } = sign_up(&office, "ada").await;
    run_sql(&db, "update sessions set confirmed_at = now() - interval '1 day'").await;
    let form = vec![("password", PASSWORD.to_owned())];
    let reset = begin_reset(&db).await;
    let answer = beside(&db, person, "/account/confirmation", form, reset).await;
    assert_eq!(answer, (422, "wrong-password".to_owned()));
    let is_confirmed = "select confirmed_at > now() - interval '1 hour' from sessions";
    assert!(!read_one::<bool>(&db, is_confirmed).await);
    office.close().await;
}

/// An attacker who knows the old password must not get a link that makes the account theirs.
#[sqlx::test]
async fn a_new_address_asked_for_beside_a_reset_is_not_mailed(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Signed { person, .. } = sign_up(&office, "ada").await;
    run_sql(&db, "delete from outbox").await;
    let form = vec![("password", PASSWORD.to_owned()), ("email", "thief@example.com".to_owned())];
    let reset = begin_reset(&db).await;
    let answer = beside(&db, person, "/account/address", form, reset).await;
    assert_eq!(answer, (422, "wrong-password".to_owned()));
    assert_eq!(read_one::<i64>(&db, "select count(*) from outbox").await, 0);
    office.close().await;
}

#[sqlx::test]
async fn of_many_devices_that_change_the_password_at_once_one_does(db: PgPool) {
    const DEVICES: usize = 4;
    let office = Office::open(db.clone()).await;
    let Signed { person, .. } = sign_up(&office, "ada").await;
    let mut devices = Vec::new();
    for idx in 0..DEVICES {
        devices.push(office.log_in(&person, idx).await);
    }
    // Held until every password is checked.
    let mut held = db.begin().await.unwrap();
    run_sql(&mut *held, "select from accounts for update").await;
    let changes = storm(devices.into_iter().enumerate().map(|(nth, device)| {
        let form = [("password", PASSWORD.to_owned()), ("new_password", format!("{NEW} {nth}"))];
        async move { device.post("/account/password", &form).await }
    }));
    let release = async {
        until_locks_wait(&mut db.acquire().await.unwrap(), DEVICES).await;
        held.commit().await.unwrap();
    };
    let (answers, ()) = tokio::join!(changes, release);
    assert_eq!(count(&answers, 200, ""), 1);
    assert_eq!(count(&answers, 422, "wrong-password"), DEVICES - 1);
    let told = "select count(*) from outbox where kind = 'password-changed'";
    assert_eq!(read_one::<i64>(&db, told).await, 1);
    assert_eq!(read_one::<i64>(&db, "select count(*) from sessions").await, 1);
    office.close().await;
}
