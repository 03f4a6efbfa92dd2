//! What a removal takes of a rehearsal, and what it leaves.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::grow_logs;
use uuid::Uuid;

use super::{
    TABLES, TOKEN, counts,
    door::{actor, ask, concert_of, open, remove_all_of, set_up},
};
use crate::support::{
    Concert, Hold, Purchase, read_one_with, run_sql_with, until, until_locks_wait,
};

/// What a worker writes of a log between two statements of the removal.
#[sqlx::test]
async fn a_log_that_begins_or_grows_meanwhile_is_removed_too(db: PgPool) {
    const GROWN: &str = "with log as (
            update queue_logs set size = size where program_id = $1 and kind = 'MOVES'
        )
        insert into queue_log_tiles (program_id, kind, level, number, hashes)
        values ($1, 'MOVES', 0, 7, sha256(''))";
    const BEGUN: &str = "insert into queue_logs (program_id, kind, verifier_key)
        values ($1, 'JOINS', 'key+' || $1::text)";
    let office = open(db.clone()).await;
    let before = counts(&db).await;
    for write in [GROWN, BEGUN] {
        let stage = set_up(&office).await;
        let program_id = stage["program_id"].as_str().unwrap().to_owned();
        let id: Uuid = program_id.parse().unwrap();
        until("its rules are in its log", async || {
            grow_logs(&office.app).await.unwrap();
            let grown = "select count(*) from queue_logs where program_id = $1 and size > 0";
            read_one_with::<i64>(&db, grown, id).await == 1
        })
        .await;
        let mut worker = db.begin().await.unwrap();
        run_sql_with(&mut *worker, write, id).await;
        let stranger = office.stranger();
        let removal = tokio::spawn(async move {
            let path = format!("/rehearsal/stages/{program_id}");
            ask(&stranger, TOKEN, Method::DELETE, &path, Value::Null).await
        });
        until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
        worker.commit().await.unwrap();
        let removed = removal.await.unwrap();
        assert_eq!(removed.status, 200, "{write}: {}", removed.body);
        assert_eq!(counts(&db).await, before);
    }
    office.close().await;
}

#[sqlx::test]
async fn tickets_that_were_offered_or_changed_hands_are_removed_with_their_histories(db: PgPool) {
    let office = open(db.clone()).await;
    let before = counts(&db).await;
    let stage = set_up(&office).await;
    let (ada, bob) = (actor(&office, &stage).await, actor(&office, &stage).await);
    let concert = concert_of(&stage);
    let bought = Purchase::make(&db, &concert, &ada, Hold { places: 2, ..Hold::default() }).await;
    for code in &bought.codes {
        let offered =
            ada.post(&format!("/tickets/{code}/hand-overs"), &[("to", "bob@example.com")]).await;
        assert_eq!(offered.status, 201, "{}", offered.body);
    }
    // People of a rehearsal cannot accept: what was accepted is written here.
    let given = "with accepted as (
            update ticket_hand_overs
            set status = 'ACCEPTED', recipient_id = $1, address = null, settled_at = now()
            where id = (select min(id::text)::uuid from ticket_hand_overs)
            returning id, ticket_id
        )
        insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
        select id, ticket_id, 1, sha256(id::text::bytea) from accepted";
    run_sql_with(&db, given, bob.account_id).await;
    remove_all_of(&office, &concert, &["ticket_hand_overs", "ticket_holder_changes", "tickets"])
        .await;
    assert_eq!(counts(&db).await, before);
    office.close().await;
}

#[sqlx::test]
async fn time_that_a_rehearsal_got_back_and_what_was_said_to_its_line_go_with_it(db: PgPool) {
    let office = open(db.clone()).await;
    let before = counts(&db).await;
    let stage = set_up(&office).await;
    let program_id: Uuid = stage["program_id"].as_str().unwrap().parse().unwrap();
    let written = r#"with given as (
            insert into given_times (id, program_id, cause, length, live_at, lost_until)
            values (gen_random_uuid(), $1, 'OUTAGE', '1 minute', now(), now())
        )
        insert into queue_announcements (id, program_id, words, is_of_pause)
        values (gen_random_uuid(), $1, '{"en": "We begin."}', false)"#;
    run_sql_with(&db, written, program_id).await;
    remove_all_of(&office, &concert_of(&stage), &["given_times", "queue_announcements"]).await;
    assert_eq!(counts(&db).await, before);
    office.close().await;
}

#[sqlx::test]
async fn only_what_bears_the_mark_is_removed(db: PgPool) {
    let office = open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let before = counts(&db).await;
    let stage = set_up(&office).await;
    let id = stage["program_id"].as_str().unwrap().to_owned();
    // A person whose address looks like a rehearsal's is still a person.
    sqlx::query("update accounts set email = 'ada@rehearsal-' || replace($2, '-', '') || '.invalid' where id = $1")
        .bind(ada.account_id)
        .bind(&id)
        .execute(&db)
        .await
        .unwrap();
    actor(&office, &stage).await;
    for real in [concert.program_id, ada.account_id, Uuid::nil()] {
        let path = format!("/rehearsal/stages/{real}");
        let refused = ask(&office.stranger(), TOKEN, Method::DELETE, &path, Value::Null).await;
        assert_eq!(refused.status, 404, "{}", refused.body);
    }
    let path = format!("/rehearsal/stages/{id}");
    let removed = ask(&office.stranger(), TOKEN, Method::DELETE, &path, Value::Null).await;
    assert_eq!(removed.status, 200, "{}", removed.body);
    let again = ask(&office.stranger(), TOKEN, Method::DELETE, &path, Value::Null).await;
    assert_eq!(again.status, 404, "{}", again.body);
    assert_eq!(counts(&db).await, before);
    office.close().await;
}

#[sqlx::test]
async fn what_a_killed_rehearsal_left_the_next_one_removes(db: PgPool) {
    let office = open(db.clone()).await;
    let left = set_up(&office).await;
    actor(&office, &left).await;
    let id: Uuid = left["program_id"].as_str().unwrap().parse().unwrap();
    // One that still stands is let be.
    let standing = set_up(&office).await;
    assert!(counts(&db).await[0] == 1, "its people are there");
    run_sql_with(
        &db,
        "update programs set off_sale_at = now() - interval '1 second' where id = $1",
        id,
    )
    .await;
    let closed = format!("/rehearsal/stages/{id}/people");
    let closed = ask(&office.stranger(), TOKEN, Method::POST, &closed, json!({ "count": 1 })).await;
    assert_eq!(closed.status, 404, "nobody comes to one that is over: {}", closed.body);

    let next = set_up(&office).await;
    for stage in [&standing, &next] {
        let path = format!("/rehearsal/stages/{}", stage["program_id"].as_str().unwrap());
        let gone = ask(&office.stranger(), TOKEN, Method::DELETE, &path, Value::Null).await;
        assert_eq!(gone.status, 200, "{}", gone.body);
    }
    assert_eq!(counts(&db).await, [0; TABLES.len()]);
    office.close().await;
}
