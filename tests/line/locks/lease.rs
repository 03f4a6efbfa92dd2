//! Leases, one or several at once.

use std::time::{Duration, Instant};

use stagedoor::infra::{
    locks::{Lease, LeaseError, LeaseRequest},
    redis::Redis,
};

use super::{assert_nothing_left, new_prefix, redis_of};

const SHORT: Duration = Duration::from_secs(3);

async fn take(redis: &Redis, numbers: &[u32], owner: &str) -> Result<Lease, LeaseError> {
    Lease::take(redis, &"house", numbers, owner, SHORT).await
}

#[tokio::test]
async fn several_leases_are_taken_together_or_not_at_all() {
    let redis = redis_of(&new_prefix());
    let first = take(&redis, &[3, 1, 2, 2], "ada").await.unwrap();
    let refused = take(&redis, &[4, 3, 5], "bob").await.unwrap_err();
    let LeaseError::Held(held) = refused else { panic!("{refused}") };
    assert_eq!(held, ["3"]);
    // Nothing of what was refused is held.
    let second = take(&redis, &[5, 4], "cyd").await.unwrap();
    first.release().await;
    let third = take(&redis, &[1, 2, 3], "bob").await.unwrap();
    third.release().await;
    second.release().await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn requests_of_one_batch_get_all_of_theirs_or_nothing_and_are_in_nobodys_way() {
    let redis = redis_of(&new_prefix());
    let others = take(&redis, &[3], "ada").await.unwrap();
    let request = |owner: &str, numbers: &[u32]| LeaseRequest {
        owner: owner.to_owned(),
        takes_over: String::new(),
        names: numbers.iter().map(ToString::to_string).collect(),
    };
    let requests = [
        request("bob", &[1, 2]),
        request("cyd", &[2, 3, 4]),
        // Of the same batch as the first; and another attempt of an account that has a lease.
        request("dan", &[2, 5]),
        request("ada", &[6, 3]),
    ];
    let (batch, taken) = Lease::take_each(&redis, &"house", &requests, SHORT).await.unwrap();
    let [Ok(()), Err(LeaseError::Held(held)), Ok(()), Err(LeaseError::OwnStillRunning)] =
        &taken[..]
    else {
        panic!("{taken:?}")
    };
    assert_eq!(held, &["3"]);
    for leased in [1, 2, 5] {
        assert!(take(&redis, &[leased], "eve").await.is_err(), "{leased} was not taken");
    }
    take(&redis, &[4, 6], "eve").await.unwrap().release().await;
    batch.release().await;
    take(&redis, &[1, 2, 5], "eve").await.unwrap().release().await;
    assert!(take(&redis, &[3], "eve").await.is_err(), "what others have stays theirs");
    others.release().await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn an_earlier_attempt_of_ones_own_order_is_waited_for() {
    let redis = redis_of(&new_prefix());
    let first = take(&redis, &[1], "ada:order").await.unwrap();
    let began = Instant::now();
    let (second, ()) = tokio::join!(take(&redis, &[1], "ada:order"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        first.release().await;
    });
    assert!(began.elapsed() >= Duration::from_millis(300));
    second.unwrap().release().await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn an_owner_is_not_mistaken_for_another_whose_name_begins_alike() {
    let redis = redis_of(&new_prefix());
    let lease = take(&redis, &[1], "ada:12").await.unwrap();
    assert!(matches!(take(&redis, &[1], "ada:1").await, Err(LeaseError::Held(_))));
    lease.release().await;
}

#[tokio::test]
async fn a_lapsed_lease_that_is_released_late_takes_nothing_from_the_next_one() {
    let redis = redis_of(&new_prefix());
    let length = Duration::from_millis(150);
    let lapsed = Lease::take(&redis, &"house", [2], "ada", length).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let taken = take(&redis, &[2], "bob").await.unwrap();
    lapsed.release().await;
    assert!(take(&redis, &[2], "cyd").await.is_err());
    taken.release().await;
    assert_nothing_left(&redis).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_that_are_cancelled_anywhere_leave_nothing_behind() {
    let redis = redis_of(&new_prefix());
    for round in 0..200_u64 {
        let attempt = take(&redis, &[1, 2, 3], "ada");
        let cut = Duration::from_micros(rand::random_range(0..400));
        drop(tokio::time::timeout(cut, attempt).await);
        if round % 50 == 49 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_nothing_left(&redis).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sets_that_overlap_in_any_order_never_share_a_lease() {
    let redis = redis_of(&new_prefix());
    let in_hand = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let mut takers = tokio::task::JoinSet::new();
    for taker in 0..16 {
        let (redis, in_hand) = (redis.clone(), in_hand.clone());
        takers.spawn(async move {
            let mut n_taken = 0;
            for _ in 0..60 {
                let mut wanted: Vec<u32> = (0..3).map(|_| rand::random_range(0..12)).collect();
                let taken = take(&redis, &wanted, &taker.to_string()).await;
                let Ok(lease) = taken else { continue };
                n_taken += 1;
                wanted.sort_unstable();
                wanted.dedup();
                for number in &wanted {
                    assert!(in_hand.lock().unwrap().insert(*number), "{number} is held twice");
                }
                tokio::task::yield_now().await;
                for number in &wanted {
                    in_hand.lock().unwrap().remove(number);
                }
                lease.release().await;
            }
            n_taken
        });
    }
    let n_taken: u32 = takers.join_all().await.into_iter().sum();
    assert!(n_taken > 16, "{n_taken}");
    assert_nothing_left(&redis).await;
}
