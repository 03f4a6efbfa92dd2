//! A synchronous standby goes away: commits wait for it, for as long as it takes.

use std::time::Duration;

use sqlx::PgPool;

use crate::support::{Concert, Office, PrivatePostgres, storm, until};

/// Server processes of ours that wait for the standby, and all of ours.
async fn n_waiting(db: &PgPool) -> (i64, i64) {
    sqlx::query_as(
        "select count(*) filter (where wait_event = 'SyncRep'), count(*) from pg_stat_activity
         where application_name = 'stagedoor' and datname = current_database()",
    )
    .fetch_one(db)
    .await
    .unwrap()
}

#[tokio::test]
async fn commits_that_wait_for_a_standby_leave_connections_to_reads() {
    const CONNECTIONS: i64 = 10;
    let server = PrivatePostgres::start().await;
    let db = server.database().await;
    let office = Office::open_with(db.clone(), 1, &[("DB_CONNECTIONS_MAX", "10")]).await;
    // Of several programs, so that not all wait for one batch.
    let mut programs = Vec::new();
    for _ in 0..12 {
        programs.push(Concert::usual(&db).await);
    }
    let people = office.crowd(60, "Standby").await;
    let late = office.sign_in("Late").await;
    server.set(&db, "synchronous_standby_names", "nobody").await;

    for crowd in people.chunks(20) {
        let joins = crowd.iter().zip(programs.iter().cycle()).map(|(person, program)| {
            let (person, line) = (person.clone(), format!("/programs/{}/queue", program.slug));
            async move { person.post(&line, &()).await }
        });
        let stuck = tokio::spawn(storm(joins.collect::<Vec<_>>()));
        until("a commit waits for the standby", async || n_waiting(&db).await.0 > 0).await;
        for program in &programs {
            let page = format!("/programs/{}", program.slug);
            until("a read", async || late.visit(&page).await.status == 200).await;
        }
        // No answer said that it was done.
        for answer in stuck.await.unwrap() {
            assert_ne!(answer.status, 201, "{}", answer.body);
        }
        until("readiness", async || late.get("/readyz").await.status == 200).await;
        let (n_stuck, n) = n_waiting(&db).await;
        assert!(n_stuck < CONNECTIONS, "{n_stuck} of {n} wait for the standby");
        // One more may be there for a moment: a report's, or one that is being closed.
        assert!(n <= CONNECTIONS + 2, "{n} connections");
    }
    // Connections that gave up their place long ago are not replaced by others that get stuck. The
    // pool looks once a second of real time: this is ten looks.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let (n_stuck, n) = n_waiting(&db).await;
    assert!(n_stuck < CONNECTIONS && n <= CONNECTIONS + 2, "{n_stuck} of {n}");

    server.set(&db, "synchronous_standby_names", "").await;
    let line = format!("/programs/{}/queue", programs[0].slug);
    until("joining", async || {
        let answer = late.post(&line, &()).await;
        answer.status == 201 || answer.code() == "token-already-issued"
    })
    .await;
    office.close().await;
}
