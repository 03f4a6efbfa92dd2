//! Crowds at two ways in.

use futures_util::future::join_all;

use super::*;
use crate::support::{eventually, storm};

/// Waits until let in, and makes room for the next one.
async fn come_and_go(person: &Person, path: &str) {
    eventually("the turn", async || {
        let state = person.get(path).await.json();
        if state["status"] == "ACTIVE" { Ok(()) } else { Err(state) }
    })
    .await;
    assert_eq!(person.delete(path).await.status, 204);
}

#[sqlx::test]
async fn two_gates_at_two_instances_admit_a_crowd_within_their_capacities(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[("TEST_ADMISSION_PERIOD_MS", "100")]).await;
    let concert = Concert::with(&db, ConcertOptions { queue_capacity: Some(2), ..crowded() }).await;
    assert_eq!(make_gate(&office, &concert, "FRIENDS", (-60, 3)).await.status, 201);
    let people = office.crowd(60, "Crowd").await;
    for person in &people[30..] {
        redeem(person, &concert, "FRIENDS").await;
    }
    storm(people.iter().map(|person| {
        let (person, path) = (person.clone(), queue_path_of(&concert));
        async move { person.post(&path, &()).await }
    }))
    .await;
    let path = queue_path_of(&concert);
    join_all(people.iter().map(|person| come_and_go(person, &path))).await;
    let (through, admitted): (i64, i64) = sqlx::query_as(
        "select count(*) filter (where through_gate), count(*) from queue_tokens
         where admitted_at is not null",
    )
    .fetch_one(&db)
    .await
    .unwrap();
    assert_eq!(admitted, 60);
    assert!((1..=30).contains(&through), "{through}");
    // The gate let no account with a code in before a smaller number that waited then.
    let passed: i64 = read_one(
        &db,
        "select count(*) from queue_tokens later
         join queue_tokens earlier on earlier.queue_number < later.queue_number
         where later.through_gate and earlier.gate_id = later.gate_id
             and earlier.admitted_at > later.admitted_at",
    )
    .await;
    assert_eq!(passed, 0);
    office.close().await;
}

/// Codes are redeemed while people join, look and leave, and while staff pause and clear the line.
#[sqlx::test]
async fn whatever_happens_at_once_a_gate_keeps_to_its_capacity_and_everybody_gets_in(db: PgPool) {
    const STEPS: usize = 8;
    let office = Office::open_with(db.clone(), 2, &[("TEST_ADMISSION_PERIOD_MS", "100")]).await;
    let options = ConcertOptions { opens_in_secs: 3_600, ..crowded() };
    let concert = Concert::with(&db, options).await;
    assert_eq!(make_gate(&office, &concert, "EARLY", (-60, 3)).await.status, 201);
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(24, "Storm").await;
    let path = queue_path_of(&concert);
    let codes = format!("/programs/{}/code-redemptions", concert.slug);
    let crowd = people.iter().enumerate().map(async |(nth, person)| {
        for step in 0..STEPS {
            // On a busy machine a deadline may be over, and the person asks again.
            let answer = eventually("an answer", async || {
                let answer = match (nth + step) % 4 {
                    0 => person.post(&codes, &[("code", "EARLY")]).await,
                    1 => person.post(&path, &()).await,
                    2 => person.get(&path).await,
                    _ => person.delete(&path).await,
                };
                if answer.status == 503 && answer.code() == "unavailable" {
                    Err(answer)
                } else {
                    Ok(answer)
                }
            })
            .await;
            assert!(answer.status < 500, "{} {}", answer.status, answer.body);
        }
    });
    let staff = async {
        let clear = format!("/admin/programs/{}/queue/purge", concert.program_id);
        for paused_at in ["now()", "null", "now()", "null"] {
            let paused = format!("update programs set queue_paused_at = {paused_at}");
            run_sql(&db, sqlx::AssertSqlSafe(paused)).await;
            let cleared = admin.post(&clear, &[("reason", "a storm")]).await;
            assert_eq!(cleared.status, 200, "{}", cleared.body);
        }
    };
    futures_util::future::join(join_all(crowd), staff).await;

    join_all(people.iter().map(async |person| {
        redeem(person, &concert, "EARLY").await;
        eventually("a place in line, or the turn", async || {
            person.post(&path, &()).await;
            let state = person.get(&path).await.json();
            if state["status"] == "ACTIVE" { Ok(()) } else { Err(state) }
        })
        .await;
        assert_eq!(person.delete(&path).await.status, 204);
    }))
    .await;
    office.verify().await;
    office.close().await;
}
