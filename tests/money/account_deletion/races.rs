//! A deletion beside what adds something for the account at the same moment.

use serde_json::json;
use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

use super::{charge, delete};
use crate::support::{
    Answer, Concert, Hold, Office, PASSWORD, Person, Signed, StripeStandIn, count, email_of,
    ledger::{balance, entries},
    read_one, read_one_with, run_sql_with, sign_up, storm, until_locks_wait,
};

/// More than the connections of an instance.
const RIVALS: usize = 32;

/// Begins what a deletion of an account without points does, up to its commit.
async fn begin_deletion(db: &PgPool, account_id: Uuid) -> Transaction<'static, Postgres> {
    let mut tx = db.begin().await.unwrap();
    for sql in [
        "select from accounts where id = $1 for update",
        "with made as (
             insert into wallets (id, account_id, version, closed_at)
             values (gen_random_uuid(), $1, 1, clock_timestamp()) returning id
         ), house as (
             insert into house_entries (wallet_id, wallet_version, amount) select id, 1, 0 from made
         )
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), id, 1, 'FORFEIT', 0, 0, $1 from made",
        "update accounts
         set email = 'deleted-' || id::text, name = 'Deleted account', password_hash = '-',
             email_confirmed_at = null, deleted_at = clock_timestamp()
         where id = $1",
        "delete from account_tokens where account_id = $1",
        "delete from sessions where account_id = $1",
    ] {
        run_sql_with(&mut *tx, sql, account_id).await;
    }
    tx
}

/// Sends `form` to `path` while the account `gone` is being deleted, and lets the deletion commit
/// once the request waits for it; returns the answer's status and code.
async fn beside(
    db: &PgPool,
    gone: Uuid,
    person: &Person,
    path: String,
    form: serde_json::Value,
) -> (u16, String) {
    let deletion = begin_deletion(db, gone).await;
    let person = person.clone();
    let request = tokio::spawn(async move { person.post_json(&path, &form).await });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    deletion.commit().await.unwrap();
    let answer = request.await.unwrap();
    (answer.status, answer.code())
}

async fn rows_of(db: &PgPool, sql: &'static str, account_id: Uuid) -> i64 {
    read_one_with(db, sql, account_id).await
}

#[sqlx::test]
async fn a_join_beside_a_deletion_gets_no_number(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let path = format!("/programs/{}/queue", concert.slug);
    let answer = beside(&db, ada.account_id, &ada, path.clone(), json!({})).await;
    assert_eq!(answer, (410, "account-deleted".to_owned()));
    assert_eq!(bob.post(&path, &()).await.json()["queue_number"], 1);
    office.close().await;
}

#[sqlx::test]
async fn points_are_not_sent_to_whoever_deletes_the_account_meanwhile(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&bob, 500).await;
    let form = json!({ "to": email_of(&db, ada.account_id).await, "amount": 5 });
    let path = "/wallet/transfers".to_owned();
    let answer = beside(&db, ada.account_id, &bob, path, form).await;
    assert_eq!(answer.0, 201, "it waits, as for anybody");
    assert_eq!(bob.get("/wallet").await.json()["usable"], 495);
    let received = "select count(*) from transfers where receiver_id = $1";
    assert_eq!(rows_of(&db, received, ada.account_id).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn a_purchase_beside_a_deletion_is_not_begun(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let form = json!({ "amount": 500, "request_key": Uuid::now_v7() });
    let path = "/wallet/charges".to_owned();
    let answer = beside(&db, ada.account_id, &ada, path, form).await;
    assert_eq!(answer, (410, "account-deleted".to_owned()));
    assert_eq!(stripe.sessions().await.len(), 0, "nobody is sent to pay");
    office.close().await;
}

#[sqlx::test]
async fn points_that_are_charged_beside_a_deletion_are_refused(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let form = json!({ "amount": 500, "request_key": Uuid::now_v7() });
    let path = "/wallet/charges".to_owned();
    let answer = beside(&db, ada.account_id, &ada, path, form).await;
    assert_eq!(answer, (410, "account-deleted".to_owned()));
    assert_eq!(balance(&db, ada.account_id).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn a_log_in_beside_a_deletion_opens_no_session(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Signed { person: ada, email } = sign_up(&office, "ada").await;
    let form = json!({ "email": email, "password": PASSWORD });
    let stranger = office.stranger();
    let answer = beside(&db, ada.account_id, &stranger, "/login".to_owned(), form).await;
    assert_eq!(answer, (401, "wrong-credentials".to_owned()));
    let sessions = "select count(*) from sessions where account_id = $1";
    assert_eq!(rows_of(&db, sessions, ada.account_id).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn a_sign_up_with_the_address_waits_for_the_deletion(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Signed { person: ada, email } = sign_up(&office, "ada").await;
    let form = json!({ "email": email, "name": "Ada", "password": PASSWORD });
    let stranger = office.stranger();
    let answer = beside(&db, ada.account_id, &stranger, "/signup".to_owned(), form).await;
    assert_eq!(answer.0, 201, "{}", answer.1);
    office.close().await;
}

#[sqlx::test]
async fn a_name_that_is_changed_beside_a_deletion_is_not_kept(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let form = json!({ "name": "Ada Lovelace" });
    let answer = beside(&db, ada.account_id, &ada, "/account/name".to_owned(), form).await;
    assert_eq!(answer, (410, "account-deleted".to_owned()));
    let name: String =
        read_one_with(&db, "select name from accounts where id = $1", ada.account_id).await;
    assert_eq!(name, "Deleted account");
    office.close().await;
}

/// A deletion waits for a transaction that has the wallet, and gives way to one that has the
/// account and wants the wallet.
#[sqlx::test]
async fn of_many_deletions_at_once_one_deletes(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 500).await;
    let mut devices = Vec::new();
    for idx in 0..RIVALS {
        devices.push(office.log_in(&ada, idx).await);
    }
    let answers =
        storm(devices.into_iter().map(|device| async move { delete(&device, 500).await })).await;
    assert_eq!(count(&answers, 200, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 401, "login-required"), RIVALS - 1, "{answers:?}");
    assert_eq!(entries(&db, ada.account_id, "FORFEIT").await, 1);
    let told = "select count(*) from outbox where kind = 'account-deleted'";
    assert_eq!(read_one::<i64>(&db, told).await, 1);
    office.close().await;
}

#[sqlx::test]
async fn beside_many_joins_nobody_is_left_in_a_line(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let mut joins = Vec::new();
    for idx in 0..RIVALS {
        let concert = Concert::usual(&db).await;
        let device = office.log_in(&ada, idx).await;
        joins.push((device, format!("/programs/{}/queue", concert.slug)));
    }
    let deletion = ada.clone();
    let deleting = tokio::spawn(async move { until_deleted(&deletion, 0).await });
    let answers =
        storm(joins.into_iter().map(|(device, path)| async move { device.post(&path, &()).await }))
            .await;
    assert_eq!(deleting.await.unwrap().status, 200);
    let joined = count(&answers, 201, "");
    let late = count(&answers, 410, "account-deleted") + count(&answers, 401, "login-required")
        // Answered while its place was being left.
        + count(&answers, 404, "no-token");
    assert_eq!(joined + late, RIVALS, "{answers:?}");
    let live = "select count(*) from queue_tokens where account_id = $1 and ended_at is null";
    assert_eq!(rows_of(&db, live, ada.account_id).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn beside_many_holds_nobody_is_left_with_a_seat(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let mut holds = Vec::new();
    for idx in 0..RIVALS {
        let concert = Concert::usual(&db).await;
        let device = office.log_in(&ada, idx).await;
        let joined = device.post(&format!("/programs/{}/queue", concert.slug), &()).await;
        assert_eq!(joined.status, 201, "{}", joined.body);
        holds.push((device, concert));
    }
    let deletion = ada.clone();
    let deleting = tokio::spawn(async move { delete(&deletion, 0).await });
    let answers = storm(holds.into_iter().map(|(device, concert)| async move {
        let order = json!({ "seat_ids": &concert.seat_ids[..1], "request_key": Uuid::now_v7() });
        device.post_json(&format!("/schedules/{}/reservations", concert.schedule_id), &order).await
    }))
    .await;
    let deleted = deleting.await.unwrap();
    let held = count(&answers, 201, "");
    // Either the holds keep the account, or the deletion has ended the stays.
    match deleted.status {
        200 => assert_eq!(held, 0, "{answers:?}"),
        409 => assert!(held > 0, "{} {answers:?}", deleted.body),
        status => panic!("{status} {}", deleted.body),
    }
    let live = "select count(*) from reservations where account_id = $1 and status = 'HELD'";
    assert_eq!(rows_of(&db, live, ada.account_id).await, i64::try_from(held).unwrap());
    office.close().await;
}

/// Requests with keys hold the account and wait for the wallet, which a deletion takes the other way
/// round. A planned one keeps both accounts as any other does.
#[sqlx::test]
async fn beside_many_transfers_to_and_from_an_account_no_point_is_lost(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000).await;
    charge(&bob, 1_000).await;
    let (to_ada, to_bob) =
        (email_of(&db, ada.account_id).await, email_of(&db, bob.account_id).await);
    let tomorrow = "select to_jsonb(now() + interval '1 day') #>> '{}'";
    let tomorrow: String = read_one(&db, tomorrow).await;
    let mut sends = Vec::new();
    for idx in 0..RIVALS {
        let (from, to) = if idx % 2 == 0 { (&ada, &to_bob) } else { (&bob, &to_ada) };
        let starts_at = (idx % 4 < 2).then_some(&tomorrow);
        let form = json!({
            "to": to, "amount": 10, "starts_at": starts_at, "request_key": Uuid::now_v7()
        });
        sends.push((office.log_in(from, idx).await, form));
    }
    let deletion = ada.clone();
    let deleting = tokio::spawn(async move { delete(&deletion, 1_000).await });
    let answers = storm(
        sends
            .into_iter()
            .map(|(from, form)| async move { from.post_json("/wallet/transfers", &form).await }),
    )
    .await;
    let deleted = deleting.await.unwrap();
    let sent = count(&answers, 201, "");
    match deleted.status {
        // What bob sends to an address without an account waits like what he sends to any other.
        200 => {
            let of_ada = "select count(*) from transfers where $1 in (sender_id, receiver_id)";
            assert_eq!(rows_of(&db, of_ada, ada.account_id).await, 0, "{answers:?}");
        }
        409 => assert!(sent > 0, "{} {answers:?}", deleted.body),
        status => panic!("{status} {}", deleted.body),
    }
    let pending = "select count(*) from transfers where status = 'PENDING'";
    assert_eq!(read_one::<i64>(&db, pending).await, i64::try_from(sent).unwrap());
    office.close().await;
}

/// Whichever comes first, what is paid stays, and its owner with it.
#[sqlx::test]
async fn a_payment_at_once_with_a_deletion_keeps_the_account(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 50_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let path = format!("/reservations/{id}/payment");
    let phone = office.log_in(&ada, 1).await;
    let (paid, deleted) = tokio::join!(phone.post(&path, &()), delete(&ada, 0));
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(deleted.code(), "account-kept", "{}", deleted.body);
    office.close().await;
}

/// Deletes the account as a person does who is asked to try again.
async fn until_deleted(person: &Person, points: i64) -> Answer {
    const TRIES_MAX: usize = 20;
    let mut answer = delete(person, points).await;
    for _ in 1..TRIES_MAX {
        if answer.code() != "contended" {
            break;
        }
        answer = delete(person, points).await;
    }
    answer
}
