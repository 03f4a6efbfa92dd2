//! Claims: a holder carries out the requests of those directly behind it.

use super::{CLAIM_MS, Lock};

const BEHIND: [&str; 4] = ["ben/1i", "cleo/1i", "dora/1j", "erik/1i"];

fn waiters_of(claimed: &[(String, String)]) -> Vec<&str> {
    claimed.iter().map(|(mark, _)| mark.as_str()).collect()
}

#[tokio::test]
async fn a_holder_claims_those_of_its_instance_who_stand_directly_behind_it() {
    let lock = Lock::held(&BEHIND).await;
    let from = lock.scripted.now_ms().await;
    let claimed = lock.claim("amy/1i", 9).await;
    assert_eq!(waiters_of(&claimed), ["ben/1i", "cleo/1i"]);
    assert_eq!(claimed[0].1.parse().ok(), lock.number_of("ben").await);
    assert_eq!(lock.members("present").await, ["dora", "erik"]);
    assert_eq!(lock.members("waiters").await, ["ben", "cleo", "dora", "erik"]);
    let (ends, until) = (lock.deadline_of("ben").await, lock.scripted.now_ms().await);
    assert!((from + CLAIM_MS..=until + CLAIM_MS).contains(&ends), "{ends}");
}

#[tokio::test]
async fn no_more_are_claimed_than_were_asked_for_and_nobody_by_one_who_does_not_hold() {
    let lock = Lock::held(&BEHIND).await;
    assert_eq!(waiters_of(&lock.claim("amy/1i", 1).await), ["ben/1i"]);
    assert_eq!(lock.claim("cleo/1i", 1).await, []);
    assert_eq!(lock.members("present").await, ["cleo", "dora", "erik"]);
}

#[tokio::test]
async fn a_command_from_before_the_claim_changes_nothing_until_the_claims_answer_is_overdue() {
    let lock = Lock::held(&["ben/1i"]).await;
    lock.claim("amy/1i", 9).await;
    lock.lapse().await;
    let now = lock.scripted.now_ms().await;
    lock.put("deadline", "ben", now + 2 * CLAIM_MS).await;
    assert_eq!(lock.enter("ben/1i").await.0, 0);
    assert_eq!(lock.members("present").await, [""; 0]);
    lock.put("deadline", "ben", now + CLAIM_MS - 1_000).await;
    assert_eq!(lock.enter("ben/1i").await.0, 1);
}

#[tokio::test]
async fn whoever_is_present_is_claimed_by_nobody() {
    let lock = Lock::held(&["ben/1i"]).await;
    lock.lapse().await;
    assert_eq!(lock.enter("ben/1i").await.0, 1);
}

#[tokio::test]
async fn claims_end_with_a_place_given_up_or_given_back_or_kept() {
    let lock = Lock::held(&["ben/1i", "cleo/1i", "erik/1i"]).await;
    let claimed = lock.claim("amy/1i", 9).await;
    let [ben, cleo, erik] = &claimed[..] else { unreachable!() };
    let ends = [("done", ben), ("back", cleo), ("later", erik)];
    lock.settle(&ends.map(|(end, (mark, number))| (end, mark.as_str(), number.as_str()))).await;
    assert_eq!(lock.members("waiters").await, ["cleo", "erik"]);
    assert_eq!(lock.members("present").await, ["cleo"]);
    assert_eq!(lock.members("deadline").await.len(), 2);
}

#[tokio::test]
async fn a_claim_that_lapsed_costs_no_number() {
    let lock = Lock::held(&["ben/1i", "cleo/1i"]).await;
    let claimed = lock.claim("amy/1i", 2).await;
    let numbers = claimed.iter().map(|(_, number)| number.parse::<i64>().unwrap());
    let numbers: Vec<i64> = numbers.collect();
    // One was forgotten meanwhile, and the other asked anew and got a later number.
    lock.leave("ben/1i", "gone").await;
    lock.put("waiters", "cleo", numbers[1] + 9_000_000).await;
    let back: Vec<_> =
        claimed.iter().map(|(mark, number)| ("back", mark.as_str(), number.as_str())).collect();
    lock.settle(&back).await;
    for (waiter, number) in ["ben", "cleo"].into_iter().zip(numbers) {
        assert_eq!(lock.number_of(waiter).await, Some(number), "{waiter}");
    }
}

#[tokio::test]
async fn a_place_that_is_earlier_than_the_claims_stays() {
    let lock = Lock::held(&["ben/1i"]).await;
    let claimed = lock.claim("amy/1i", 1).await;
    let (mark, number) = &claimed[0];
    let earlier = number.parse::<i64>().unwrap() - 9_000_000;
    lock.put("waiters", "ben", earlier).await;
    lock.settle(&[("later", mark, number)]).await;
    assert_eq!(lock.number_of("ben").await, Some(earlier));
}

#[tokio::test]
async fn the_end_of_a_claim_moves_no_other_attempt_of_the_same_waiter() {
    for end in ["done", "later"] {
        let lock = Lock::held(&["ben/1i"]).await;
        let claimed = lock.claim("amy/1i", 1).await;
        lock.enter("ben/2i").await;
        lock.settle(&[(end, &claimed[0].0, &claimed[0].1)]).await;
        assert_eq!(lock.members("present").await, ["ben"], "{end}");
    }
}

#[tokio::test]
async fn a_lock_that_a_claimed_attempt_took_late_is_given_to_the_next() {
    let lock = Lock::held(&["ben/1i", "dora/1j"]).await;
    let claimed = lock.claim("amy/1i", 1).await;
    lock.scripted.ask::<()>(&["SET", "holder", &claimed[0].0]).await;
    let end = [("done", claimed[0].0.as_str(), claimed[0].1.as_str())];
    assert_eq!(lock.woken_by(lock.settle(&end)).await, "dora/1j");
    assert_eq!(lock.holder().await, None);
}
