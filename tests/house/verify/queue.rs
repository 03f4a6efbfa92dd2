//! The queue, in PostgreSQL and in Redis.

use sqlx::PgPool;
use stagedoor::{
    verify,
    verify::Invariant::{self, OnePlaceEach, RedisAgrees, RedisIsComplete},
};

use super::{HEALTHY, ours, run, violations};
use crate::support::{Concert, ConcertOptions, Office, Person, pool};

/// One came when the other had gone, at the same moment at the latest.
#[sqlx::test]
async fn one_after_the_other_is_no_crowd(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let after = "
        update queue_tokens set inside_after = 1, capacity_then = 1 where admitted_at is not null;
        update queue_tokens set ended_at = (select admitted_at from queue_tokens where status = 'ACTIVE')
        where status = 'COMPLETED'";
    run(&db, after.to_owned()).await;
    assert_eq!(violations(&db).await, Vec::new());
}

/// Takes as long as a queue may be incomplete.
#[sqlx::test]
async fn a_queue_that_redis_lacks_is_a_violation_while_an_instance_is_up(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    assert_eq!(violations(&db).await, Vec::new(), "nobody is there to fill it");
    let _instance = ours(&db).await;
    let found = violations(&db).await;
    assert_eq!(
        found.iter().map(|found| found.invariant).collect::<Vec<_>>(),
        [RedisIsComplete],
        "{found:#?}"
    );
    assert_eq!(found[0].subject, "program 00000000-0000-0000-0000-000000000001");
}

#[sqlx::test]
async fn what_staff_let_in_may_be_more_than_the_capacity(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let staff =
        "update queue_tokens set inside_after = 3, let_in_by = account_id where status = 'ACTIVE'";
    run(&db, staff.to_owned()).await;
    assert_eq!(violations(&db).await, Vec::new());
}

#[sqlx::test]
async fn a_queue_in_redis_that_is_not_the_queue_is_a_violation(db: PgPool) {
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let path = format!("/programs/{}/queue", concert.slug);
    let crowd = office.crowd(4, "waiting").await;
    for person in &crowd {
        assert_eq!(person.post(&path, &[("", ""); 0]).await.status, 201);
    }

    let ghost = office.sign_in("ghost").await;
    // No instance is left that would repair it.
    let redis = office.app.redis.clone();
    office.close().await;
    let zadd = async |name: &str, score: i64, person: &Person| {
        let mut add = redis::cmd("ZADD");
        add.arg(redis.key(format!("{{{}}}:{name}", concert.program_id)));
        add.arg(score).arg(person.account_id.as_bytes());
        let _: i64 = redis.query(&add).await.unwrap();
    };
    // A number that is not theirs, an account that never joined, an account in two places.
    zadd("waiting", 9, &crowd[2]).await;
    zadd("waiting", 7, &ghost).await;
    zadd("active", i64::MAX >> 12, &crowd[3]).await;
    let found = verify::verify(&pool(&db, 1), &redis).await.unwrap();
    let invariants: Vec<Invariant> = found.iter().map(|found| found.invariant).collect();
    assert_eq!(invariants, [RedisAgrees, RedisAgrees, OnePlaceEach], "{found:#?}");
    assert!(found.iter().any(|found| {
        found.subject.contains(&crowd[2].account_id.to_string())
            && found.sentence == "is waiting as 9 in Redis, but waiting as 3 in PostgreSQL"
    }));
}
