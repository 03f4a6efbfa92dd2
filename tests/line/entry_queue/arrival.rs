//! Batches of joins: in the order of arrival, and what becomes of one that fails.

use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use super::{crowded, hold_numbers, join, join_at_once, numbering_is_whole, queue_path_of};
use crate::support::{Concert, LOCK_WAITERS, Office, count, read_all, until_locks_wait};

/// A place is named when its join arrives, and the names rise: so do the numbers.
#[sqlx::test]
async fn within_an_instance_the_numbers_follow_the_arrivals(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(150, "Arrival").await;
    for some in people.chunks(50) {
        let hog = hold_numbers(&db, &concert).await;
        let (joining, place) = (some.to_vec(), concert.clone());
        let joining = tokio::spawn(async move { join_at_once(&joining, &place).await });
        until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
        hog.rollback().await.unwrap();
        assert_eq!(count(&joining.await.unwrap(), 201, ""), 50);
    }
    let arrivals: Vec<Uuid> =
        read_all(&db, "select id from queue_tokens order by queue_number").await;
    assert!(arrivals.is_sorted(), "somebody was passed");
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(150));
    office.verify().await;
    office.close().await;
}

/// A batch whose statement is cancelled again and again is given up: its members are refused, no
/// number is used, and the next batch goes on.
#[sqlx::test]
async fn a_batch_that_is_cancelled_refuses_its_members_and_the_next_one_goes_on(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(30, "Cancelled").await;
    let hog = hold_numbers(&db, &concert).await;
    let (first, place) = (people[0].clone(), concert.clone());
    let first = tokio::spawn(async move { join(&first, &place).await });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    let (rest, place) = (people[1..].to_vec(), concert.clone());
    let rest = tokio::spawn(async move { join_at_once(&rest, &place).await });
    while !first.is_finished() {
        let cancel = format!("select pg_cancel_backend(pid) from ({LOCK_WAITERS}) w");
        sqlx::query(sqlx::AssertSqlSafe(cancel)).execute(&db).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let refused = first.await.unwrap();
    assert_eq!((refused.status, refused.code().as_str()), (503, "unavailable"), "{}", refused.body);
    assert!(!refused.header("retry-after").is_empty());
    hog.rollback().await.unwrap();

    let answers = rest.await.unwrap();
    let n_joined = count(&answers, 201, "");
    assert_eq!(n_joined + count(&answers, 503, "unavailable"), 29, "{answers:?}");
    let n_whole = numbering_is_whole(&db, concert.program_id).await.unwrap();
    assert_eq!(usize::try_from(n_whole), Ok(n_joined), "a refusal uses no number");
    for answer in join_at_once(&people, &concert).await {
        assert!([201, 409].contains(&answer.status), "{}", answer.body);
    }
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(30));
    office.verify().await;
    office.close().await;
}

/// A person who closes the browser in the middle has a place all the same, and delays no other.
#[sqlx::test]
async fn whoever_goes_away_while_the_batch_is_written_spoils_it_for_nobody(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(20, "Gone").await;
    let hog = hold_numbers(&db, &concert).await;
    let (gone, place) = (people[0].clone(), concert.clone());
    let gone = tokio::spawn(async move { join(&gone, &place).await });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    let (rest, place) = (people[1..].to_vec(), concert.clone());
    let rest = tokio::spawn(async move { join_at_once(&rest, &place).await });
    hog.rollback().await.unwrap();
    assert_eq!(count(&rest.await.unwrap(), 201, ""), 19);
    assert_eq!(people[0].get(&queue_path_of(&concert)).await.json()["queue_number"], 1);
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(20));
    office.verify().await;
    office.close().await;
}
