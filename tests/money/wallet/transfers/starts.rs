//! Starts of planned requests beside whatever else happens at that moment.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::wallet::remind_receivers;

use super::{
    act, assert_sound, id_of,
    planned::{PATH, ahead, pass, planned, told},
    purse, sleepy,
};
use crate::{
    support::{
        count, email_of,
        ledger::{balance, entries},
        read_one, run_sql, run_sql_with, storm, until_locks_wait,
    },
    wallet::charge,
};

#[sqlx::test]
async fn planned_requests_count_among_the_open_ones(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000).await;
    let to = email_of(&db, bob.account_id).await;
    let answers = storm((0..60).map(|idx| {
        let starts_at = if idx % 2 == 0 { ahead(TimeDelta::days(1)) } else { Value::Null };
        let form = json!({ "to": to, "amount": 1, "starts_at": starts_at });
        let ada = office.moved(&ada, idx);
        async move { ada.post_json(PATH, &form).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 20, "{answers:?}");
    assert_eq!(count(&answers, 409, "transfer-limit"), 40, "{answers:?}");
    assert_eq!(purse(&ada).await, (1_000, 20, 980));
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn every_instance_tells_of_starts_and_none_twice(db: PgPool) {
    let office = sleepy(&db).await;
    let (senders, bob) = (office.crowd(30, "sender").await, office.sign_in("bob").await);
    for sender in &senders {
        charge(sender, 20).await;
        for _ in 0..10 {
            planned(&db, sender, &bob, 1).await;
        }
    }
    pass(&db, "1 day").await;
    let ticks = join_all((0..4).map(|_| remind_receivers(&office.app.db))).await;
    assert!(ticks.iter().all(Result::is_ok), "{ticks:?}");
    assert_eq!(told(&db).await, vec!["transfer-received"; 300]);
    let left: i64 =
        read_one(&db, "select count(*) from transfer_reminders where due_at > now()").await;
    assert_eq!(left, 300);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn of_accepting_and_cancelling_at_the_start_exactly_one_wins(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 10_000).await;
    let mut n_accepted = 0;
    for round in 0..30 {
        let path = planned(&db, &ada, &bob, 100).await;
        let has_started = round % 3 != 2;
        if has_started {
            pass(&db, "1 day").await;
        }
        let (ada, bob) = (office.moved(&ada, round), office.moved(&bob, round + 1));
        let (accepted, cancelled, told, told_too) = tokio::join!(
            act(&bob, &path, "acceptance"),
            act(&ada, &path, "cancellation"),
            remind_receivers(&office.app.db),
            remind_receivers(&office.app.db),
        );
        told.and(told_too).unwrap();
        let answers = [accepted, cancelled];
        assert_eq!(count(&answers, 200, ""), 1, "{answers:?}");
        let n_early = count(&answers, 409, "transfer-planned");
        assert_eq!(n_early + count(&answers, 409, "already-settled"), 1, "{answers:?}");
        assert!(has_started || answers[1].status == 200, "{answers:?}");
        n_accepted += i64::from(answers[0].status == 200);
    }
    assert_eq!(balance(&db, bob.account_id).await, n_accepted * 100);
    assert_eq!(entries(&db, ada.account_id, "TRANSFER_RELEASE").await, 30 - n_accepted);
    assert_eq!(purse(&ada).await.1, 0);
    let told = told(&db).await.iter().filter(|kind| *kind == "transfer-received").count();
    assert!(told <= 20, "{told}");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn an_acceptance_that_waited_for_the_row_is_judged_by_the_time_after_the_wait(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let path = planned(&db, &ada, &bob, 100).await;
    let mut holder = db.begin().await.unwrap();
    run_sql_with(&mut *holder, "select from transfers where id = $1 for update", id_of(&path))
        .await;
    let waiting = {
        let (bob, path) = (bob.clone(), path.clone());
        tokio::spawn(async move { act(&bob, &path, "acceptance").await })
    };
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    run_sql(
        &mut *holder,
        "update transfers
         set created_at = created_at - interval '1 day', starts_at = clock_timestamp()",
    )
    .await;
    holder.commit().await.unwrap();
    let answer = waiting.await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_sound(&office).await;
    office.close().await;
}
