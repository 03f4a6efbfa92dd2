//! Who is let in, and when.

use sqlx::PgPool;

use super::{crowded, join, join_at_once, line_of, n_inside, until_status};
use crate::support::{Concert, ConcertOptions, Office};

#[sqlx::test]
async fn room_lets_in_within_a_second_and_a_freed_place_goes_to_the_next(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Next").await;
    assert_eq!(join(&people[0], &concert).await.json()["status"], "ACTIVE");
    join(&people[1], &concert).await;
    join(&people[2], &concert).await;

    assert_eq!(people[0].delete(&line_of(&concert)).await.status, 204);
    let asked = std::time::Instant::now();
    until_status(&people[1], &concert, "ACTIVE").await;
    assert!(asked.elapsed().as_millis() < 2_000, "{:?}", asked.elapsed());
    assert_eq!(people[2].get(&line_of(&concert)).await.json()["ahead"], 0);
}

#[sqlx::test]
async fn many_admissions_at_once_never_let_in_too_many(db: PgPool) {
    let office = Office::open_with(db.clone(), 3, &[("ADMISSION_PERIOD_MS", "20")]).await;
    let capacity = ConcertOptions { queue_capacity: Some(7), ..ConcertOptions::default() };
    let concert = Concert::with(&db, capacity).await;
    let people = office.crowd(60, "Gate").await;
    join_at_once(&people, &concert).await;

    let mut most = 0;
    for _round in 0..15 {
        let mut ticks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let app = office.app.clone();
            ticks.spawn(async move { stagedoor::entry_queue::admit_everywhere(&app).await });
        }
        while let Some(tick) = ticks.join_next().await {
            tick.unwrap().unwrap();
        }
        let (inside, beyond) = n_inside(&db, concert.program_id).await;
        assert!(inside <= 7 && beyond == 0, "{inside} inside, {beyond} beyond");
        most = most.max(inside);
        // Ways out, while the gate moves.
        for person in people.iter().take(60) {
            if person.get(&line_of(&concert)).await.json()["status"] == "ACTIVE" {
                person.delete(&line_of(&concert)).await;
                break;
            }
        }
    }
    assert_eq!(most, 7, "the places were used");
}

#[sqlx::test]
async fn the_rate_holds_however_many_instances_admit(db: PgPool) {
    let office = Office::open_with(db.clone(), 3, &[("ADMISSION_PERIOD_MS", "20")]).await;
    let slow = ConcertOptions {
        queue_capacity: Some(100),
        queue_rate_per_second: Some(5),
        ..ConcertOptions::default()
    };
    let concert = Concert::with(&db, slow).await;
    let people = office.crowd(40, "Rate").await;
    let started = std::time::Instant::now();
    join_at_once(&people, &concert).await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let (inside, _) = n_inside(&db, concert.program_id).await;
    let secs = started.elapsed().as_secs_f64();
    let inside = f64::from(i32::try_from(inside).unwrap());
    assert!(inside <= 5.0 + 5.0 * secs && inside >= 5.0, "{inside} inside after {secs} s");
}
