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
    let office = Office::open_with(db.clone(), 2, &[("ADMISSION_PERIOD_MS", "100")]).await;
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
    // Of those with a code nobody was let in by the gate before a smaller number that waited then.
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
