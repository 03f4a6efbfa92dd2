//! Points that are taken back leave by nothing that waited: neither by a transfer nor by a share.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::reversals::{Bought, buy};
use crate::support::{
    Concert, Hold, Person, count, email_of, ledger::balance, overtaken, read_all, read_one_with,
    run_sql_with, storm,
};

/// Offers points, from a moment ahead if there is one, and returns the path of the request.
async fn send(db: &PgPool, from: &Person, to: &Person, amount: i64, starts_at: Value) -> String {
    let to = email_of(db, to.account_id).await;
    let form = json!({ "to": to, "amount": amount, "starts_at": starts_at });
    let sent = from.post_json("/wallet/transfers", &form).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    format!("/wallet/transfers/{}", sent.json()["transfer_id"].as_str().unwrap())
}

async fn accept(by: &Person, path: &str) -> (u16, String) {
    let answer = by.post(&format!("{path}/acceptance"), &()).await;
    (answer.status, answer.code())
}

async fn pending(db: &PgPool, person: &Person) -> i64 {
    let sql = "select pending from wallets where account_id = $1";
    read_one_with(db, sql, person.account_id).await
}

#[sqlx::test]
async fn transfers_that_wait_end_the_newest_first_as_far_as_points_are_missing(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let ada = &bought.ada;
    let bob = bought.office.sign_in("bob").await;
    let tomorrow = DateTime::<Utc>::from(std::time::SystemTime::now()) + TimeDelta::days(1);
    let first = send(&db, ada, &bob, 200, Value::Null).await;
    let planned = send(&db, ada, &bob, 100, json!(tomorrow)).await;
    let last = send(&db, ada, &bob, 100, Value::Null).await;

    assert_eq!(bought.refund(80).await, 200);
    assert_eq!((bought.balance().await, pending(&db, ada).await), (420, 400), "20 are usable");
    assert_eq!(bought.refund(150).await, 200);
    assert_eq!((bought.balance().await, pending(&db, ada).await), (350, 300));
    let ended = (409, "already-settled".to_owned());
    assert_eq!(accept(&bob, &last).await, ended);
    let seen = ada.get(&last).await.json();
    assert_eq!(
        (&seen["status"], &seen["history"][1]["by"]),
        (&json!("CANCELLED"), &json!("OFFICE"))
    );
    let page = ada.visit(&last).await;
    assert!(page.body.contains("by the ticket office"), "{}", page.body);
    assert_eq!(accept(&bob, &first).await.0, 200);

    assert_eq!(bought.refund(500).await, 200);
    assert_eq!((bought.balance().await, bought.debt().await, pending(&db, ada).await), (0, 200, 0));
    assert_eq!(ada.get(&planned).await.json()["status"], "CANCELLED");
    assert_eq!(balance(&db, bob.account_id).await, 200);
    let told: Vec<String> =
        read_all(&db, "select kind from outbox where kind like 'transfer%' order by position")
            .await;
    let (received, settled) = ("transfer-received", "transfer-settled");
    let withdrawn = "transfer-withdrawn";
    assert_eq!(told, [received, received, settled, withdrawn, settled, settled]);
    bought.office.close().await;
}

/// Two requests are never answered: what they withhold is taken back, whatever comes first.
#[sqlx::test]
async fn of_a_reversal_and_acceptances_at_once_no_point_is_had_twice(db: PgPool) {
    const BESIDE: usize = 10;
    let bought = Bought::points(&db, 600).await;
    let bob = bought.office.sign_in("bob").await;
    let mut paths = Vec::new();
    for _ in 0..BESIDE + 2 {
        paths.push(send(&db, &bought.ada, &bob, 50, Value::Null).await);
    }
    let answers = storm(paths.into_iter().take(BESIDE).map(|path| {
        let bob = bob.clone();
        async move { bob.post(&format!("{path}/acceptance"), &()).await }
    }));
    let (answers, told) = tokio::join!(answers, bought.refund(600));
    assert!(told == 200 || told == 409, "{told}");
    assert_eq!(bought.refund(600).await, 200);
    let n_accepted = i64::try_from(answers.iter().filter(|answer| answer.status == 200).count());
    let sent = n_accepted.unwrap() * 50;
    assert_eq!(balance(&db, bob.account_id).await, sent);
    assert_eq!((bought.balance().await, bought.debt().await), (0, sent));
    bought.office.close().await;
}

#[sqlx::test]
async fn nothing_is_accepted_from_a_locked_account(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let (bob, boss) =
        (bought.office.sign_in("bob").await, bought.office.employ("boss", "ADMIN").await);
    let path = send(&db, &bought.ada, &bob, 200, Value::Null).await;
    let person = format!("/admin/people/{}", bought.ada.account_id);
    let why = [("reason", "a stolen card")];
    assert_eq!(boss.post(&format!("{person}/lock"), &why).await.status, 200);
    assert_eq!(accept(&bob, &path).await, (409, "points-frozen".to_owned()));
    let page = bob.submit(&format!("{path}/acceptance"), &()).await;
    assert!(page.body.contains("leave the other person"), "{}", page.body);
    assert_eq!(balance(&db, bob.account_id).await, 0);
    assert_eq!(boss.post(&format!("{person}/unlock"), &why).await.status, 200);
    assert_eq!(accept(&bob, &path).await, (200, String::new()));
    bought.office.close().await;
}

/// What was accepted before the lock is gone, and nothing leaves after it. Two requests are answered only then.
#[sqlx::test]
async fn of_a_lock_and_acceptances_at_once_nothing_leaves_after_the_lock(db: PgPool) {
    const BESIDE: usize = 10;
    const ALL: usize = BESIDE + 2;
    let bought = Bought::points(&db, 600).await;
    let (bob, boss) =
        (bought.office.sign_in("bob").await, bought.office.employ("boss", "ADMIN").await);
    let mut paths = Vec::new();
    for _ in 0..ALL {
        paths.push(send(&db, &bought.ada, &bob, 50, Value::Null).await);
    }
    let accept_first = |n: usize| {
        storm(paths[..n].iter().cloned().map(|path| {
            let bob = bob.clone();
            async move { bob.post(&format!("{path}/acceptance"), &()).await }
        }))
    };
    let lock = format!("/admin/people/{}/lock", bought.ada.account_id);
    let why = [("reason", "a stolen card")];
    let (beside, locked) = tokio::join!(accept_first(BESIDE), boss.post(&lock, &why));
    assert_eq!(locked.status, 200, "{}", locked.body);
    let n_accepted = count(&beside, 200, "");
    assert_eq!(n_accepted + count(&beside, 409, "points-frozen"), BESIDE, "{beside:?}");
    let late = accept_first(ALL).await;
    assert_eq!(count(&late, 409, "points-frozen"), ALL - n_accepted, "{late:?}");
    assert_eq!(count(&late, 409, "already-settled"), n_accepted, "{late:?}");
    let sent = 50 * i64::try_from(n_accepted).unwrap();
    assert_eq!(balance(&db, bob.account_id).await, sent);
    assert_eq!((bought.balance().await, pending(&db, &bought.ada).await), (600 - sent, 600 - sent));
    bought.office.close().await;
}

/// An acceptance that has found the account unlocked ends first, so that nothing leaves behind the lock. On
/// a busy machine one of the two may give up, and another request is tried.
#[sqlx::test]
async fn an_account_is_locked_once_what_is_being_accepted_has_left(db: PgPool) {
    const TRIES_MAX: usize = 5;
    let bought = Bought::points(&db, 500).await;
    let (bob, boss) =
        (bought.office.sign_in("bob").await, bought.office.employ("boss", "ADMIN").await);
    let person = format!("/admin/people/{}", bought.ada.account_id);
    let why = [("reason", "a stolen card")];
    for _ in 0..TRIES_MAX {
        let path = format!("{}/acceptance", send(&db, &bought.ada, &bob, 50, Value::Null).await);
        let (bob, locker, lock) = (bob.clone(), boss.clone(), format!("{person}/lock"));
        let accepting = async move { bob.post(&path, &()).await };
        let locking = async move { locker.post(&lock, &why).await };
        let (accepted, locked, is_overtaken) =
            overtaken(&db, "point_transactions", accepting, locking).await;
        if [accepted.status, locked.status] == [200, 200] {
            assert!(!is_overtaken, "points left a locked account");
            bought.office.close().await;
            return;
        }
        assert!([accepted.status, locked.status].contains(&503), "{accepted:?} {locked:?}");
        if locked.status == 200 {
            assert_eq!(boss.post(&format!("{person}/unlock"), &why).await.status, 200);
        }
    }
    panic!("no lock came beside an acceptance");
}

/// As a version before this one leaves it.
#[sqlx::test]
async fn a_request_of_a_debtor_ends_when_it_is_answered(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let bob = bought.office.sign_in("bob").await;
    let path = send(&db, &bought.ada, &bob, 200, Value::Null).await;
    run_sql_with(&db, "update wallets set debt = $1 where balance = 500", 301_i64).await;
    assert_eq!(accept(&bob, &path).await, (409, "already-settled".to_owned()));
    assert_eq!(pending(&db, &bought.ada).await, 0);
    assert_eq!(balance(&db, bob.account_id).await, 0);
    bought.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_share_that_waits_ends_when_its_points_are_taken_back(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let holder = bought.office.sign_in("holder").await;
    buy(&bought.stripe, &holder, 1_000).await;
    let concert = Concert::usual(&db).await;
    run_sql_with(&db, "update schedule_seats set price = $1", 450).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &concert, holder.account_id).await;
    let shares = format!("/reservations/{id}/shares");
    let shown = async || holder.get(&shares).await.json();
    let share = async || {
        let places = json!({ "places": [shown().await["left"][0]["place"]] });
        let made = holder.post_json(&shares, &places).await.json();
        let url = made["url"].as_str().unwrap().to_owned();
        url[url.find("/shares/").unwrap()..].to_owned()
    };
    let path = share().await;
    let pay = async |path: &str| bought.ada.post(&format!("{path}/payment"), &()).await;
    let paid = pay(&path).await;
    assert_eq!(paid.json()["status"], "WITHHELD", "{}", paid.body);

    for _ in 0..2 {
        assert_eq!(bought.dispute("charge.dispute.created", "needs_response").await, 200);
        let state = (bought.balance().await, bought.debt().await, pending(&db, &bought.ada).await);
        assert_eq!(state, (0, 0, 0));
    }
    let status = "select status from shares where payer_id = $1";
    let status: String = read_one_with(&db, status, bought.ada.account_id).await;
    assert_eq!(status, "WITHDRAWN");
    let told: Vec<String> = read_all(&db, "select kind from outbox order by position").await;
    assert_eq!(told, ["share-taken-back"]);
    // Its place is the holder's again, to pay or to share.
    assert_eq!(shown().await["left"].as_array().unwrap().len(), 2);
    assert_eq!(pay(&share().await).await.code(), "insufficient-points");
    bought.office.close().await;
}
