//! Fair locks: who takes one that is free, and who keeps a place.

use super::{ABSENCE_MS, COUNT, LEASE_MS, Lock, RENEW, STAY_MAX_MS};

#[tokio::test]
async fn a_holder_that_asks_again_still_holds_and_waits_for_nobody() {
    let lock = Lock::held(&[]).await;
    for again in [lock.enter("amy/1i").await, lock.leave("amy/1i", "later").await] {
        assert_eq!(again, (1, 0, 0, -1));
    }
    lock.scripted.ask::<()>(&["PEXPIRE", "holder", "60000"]).await;
    assert_eq!(lock.enter("amy/1i").await.0, 1);
    assert!(lock.lease_left_ms().await > 60_000);
    assert_eq!(lock.members("waiters").await, [""; 0]);
}

#[tokio::test]
async fn a_lock_is_lent_for_the_time_of_its_lease() {
    let lock = Lock::held(&["ben/1i"]).await;
    assert!((1..=LEASE_MS).contains(&lock.lease_left_ms().await));
    lock.leave("amy/1i", "done").await;
    assert_eq!(lock.enter("ben/1i").await.0, 1);
    assert!((1..=LEASE_MS).contains(&lock.lease_left_ms().await));
}

#[tokio::test]
async fn a_free_lock_goes_to_the_first_who_is_present_and_a_newcomer_wakes_it() {
    let lock = Lock::held(&["ben/1i"]).await;
    lock.lapse().await;
    let woken = lock.woken_by(async {
        assert_eq!(lock.enter("cleo/1i").await, (0, 2, 1, -1));
    });
    assert_eq!(woken.await, "ben/1i");
    assert_eq!(lock.enter("ben/1i").await.0, 1);
    assert_eq!(lock.members("waiters").await, ["cleo"]);
}

#[tokio::test]
async fn a_release_wakes_the_first_and_a_stranger_releases_nothing() {
    let lock = Lock::held(&["ben/1i", "cleo/1i"]).await;
    lock.leave("cleo/1i", "gone").await;
    assert_eq!(lock.holder().await.as_deref(), Some("amy/1i"));
    assert_eq!(lock.woken_by(lock.leave("amy/1i", "done")).await, "ben/1i");
    assert_eq!((lock.holder().await, lock.members("waiters").await), (None, vec!["ben".into()]));
}

#[tokio::test]
async fn whoever_is_first_takes_a_free_lock_instead_of_leaving() {
    let lock = Lock::held(&["ben/1i"]).await;
    lock.lapse().await;
    assert_eq!(lock.leave("ben/1i", "later").await.0, 1);
    assert_eq!(lock.holder().await.as_deref(), Some("ben/1i"));
}

#[tokio::test]
async fn an_attempt_that_was_replaced_takes_nothing_and_gives_up_no_place() {
    for ending in ["later", "gone"] {
        let lock = Lock::held(&["ben/1i"]).await;
        lock.enter("ben/2i").await;
        lock.lapse().await;
        assert_eq!(lock.leave("ben/1i", ending).await.0, 0);
        assert_eq!(
            (lock.holder().await, lock.members("present").await),
            (None, vec!["ben".into()])
        );
    }
}

#[tokio::test]
async fn whoever_leaves_keeps_the_number_for_a_while_and_holds_up_nobody() {
    let lock = Lock::held(&["ben/1i", "cleo/1i"]).await;
    let (number, from) = (lock.number_of("ben").await, lock.scripted.now_ms().await);
    lock.leave("ben/1i", "later").await;
    let kept = lock.deadline_of("ben").await;
    let until = lock.scripted.now_ms().await;
    assert!((from + ABSENCE_MS..=until + ABSENCE_MS).contains(&kept), "{kept}");
    lock.lapse().await;
    assert_eq!(lock.enter("cleo/1i").await.0, 1);
    lock.enter("ben/2i").await;
    assert_eq!(lock.number_of("ben").await, number);
}

#[tokio::test]
async fn no_place_is_kept_beyond_the_longest_stay() {
    let lock = Lock::held(&[]).await;
    let arrived_ms = lock.scripted.now_ms().await - STAY_MAX_MS + 60_000;
    lock.put("waiters", "ben", arrived_ms * 1_000).await;
    lock.enter("ben/1i").await;
    lock.leave("ben/1i", "later").await;
    assert_eq!(lock.deadline_of("ben").await, arrived_ms + STAY_MAX_MS);
    assert_eq!(lock.number_of("ben").await, Some(arrived_ms * 1_000));
}

#[tokio::test]
async fn whoever_was_away_too_long_begins_anew_and_whoever_fell_silent_is_passed_over() {
    let lock = Lock::held(&["ben/1i", "cleo/1i", "dora/1i"]).await;
    let number = lock.number_of("ben").await;
    lock.leave("ben/1i", "later").await;
    lock.put("deadline", "ben", 1).await;
    lock.put("deadline", "cleo", lock.scripted.now_ms().await - 1).await;
    lock.lapse().await;
    assert_eq!(lock.enter("dora/1i").await.0, 1);
    assert_eq!(lock.members("waiters").await, ["cleo"]);
    lock.enter("ben/2i").await;
    assert!(lock.number_of("ben").await > number);
}

#[tokio::test]
async fn a_release_passes_over_whoever_fell_silent() {
    let lock = Lock::held(&["ben/1i", "cleo/1i"]).await;
    lock.put("deadline", "ben", lock.scripted.now_ms().await - 1).await;
    assert_eq!(lock.woken_by(lock.leave("amy/1i", "done")).await, "cleo/1i");
    assert_eq!(lock.members("present").await, ["cleo"]);
}

#[tokio::test]
async fn numbers_rise_though_the_clock_was_set_back() {
    let lock = Lock::held(&[]).await;
    let ahead = (lock.scripted.now_ms().await + 3_600_000) * 1_000;
    lock.scripted.ask::<()>(&["SET", "clock", &ahead.to_string()]).await;
    lock.enter("ben/1i").await;
    lock.enter("cleo/1i").await;
    let numbers = (lock.number_of("ben").await, lock.number_of("cleo").await);
    assert_eq!(numbers, (Some(ahead + 1), Some(ahead + 2)));
}

#[tokio::test]
async fn the_pace_is_that_of_one_request_however_many_a_holder_carried_out() {
    let lock = Lock::held(&["ben/1i"]).await;
    let last_us = lock.scripted.now_ms().await * 1_000 - 4_000_000;
    lock.scripted.ask::<()>(&["HSET", "pace", "last", &last_us.to_string()]).await;
    let pace = lock.run::<(i64, i64, i64, i64)>(super::LEAVE, "amy/1i", &["done", "1000"]).await.3;
    // 4 s for a thousand requests; at most 10 s count as a pace at all.
    assert!((4_000..=10_000).contains(&pace), "{pace}");
}

#[tokio::test]
async fn a_lock_that_went_to_another_is_not_renewed() {
    let lock = Lock::held(&[]).await;
    let renew = async |mark: &str| {
        lock.scripted.run::<i64>(RENEW, &["holder"], &[mark.to_owned(), "60000".into()]).await
    };
    assert_eq!(renew("ben/1i").await, 0);
    assert!(lock.lease_left_ms().await > 60_000);
    assert_eq!(renew("amy/1i").await, 1);
    assert!(lock.lease_left_ms().await <= 60_000);
}

#[tokio::test]
async fn waiters_are_counted_until_their_deadline() {
    let lock = Lock::held(&["ben/1i", "cleo/1i"]).await;
    lock.leave("cleo/1i", "later").await;
    let count = async || lock.scripted.run::<Vec<i64>>(COUNT, &["deadline", "nothing"], &[]).await;
    assert_eq!(count().await, [2, 0]);
    lock.put("deadline", "ben", lock.scripted.now_ms().await - 1).await;
    assert_eq!(count().await, [1, 0]);
}
