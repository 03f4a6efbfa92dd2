//! Leases and multi-locks.

use std::time::{Duration, Instant};

use stagedoor::infra::locks::{Lease, LeaseError, LeaseName, Term};

use super::{assert_nothing_left, new_prefix, redis_of};

const SHORT: Term = Term::Fixed(Duration::from_secs(3));

fn names(numbers: &[u32]) -> Vec<LeaseName> {
    numbers.iter().map(|number| LeaseName::new(&"house", number)).collect()
}

#[tokio::test]
async fn several_leases_are_taken_together_or_not_at_all() {
    let redis = redis_of(&new_prefix());
    let first = Lease::take(&redis, names(&[3, 1, 2, 2]), "ada", SHORT).await.unwrap();
    let refused = Lease::take(&redis, names(&[4, 3, 5]), "bob", SHORT).await.unwrap_err();
    let LeaseError::Held(held) = refused else { panic!("{refused}") };
    assert_eq!(held, names(&[3]));
    // Nothing of what was refused is held.
    let second = Lease::take(&redis, names(&[5, 4]), "cyd", SHORT).await.unwrap();
    assert!(second.fence() > first.fence());
    first.release().await;
    let third = Lease::take(&redis, names(&[1, 2, 3]), "bob", SHORT).await.unwrap();
    assert!(third.fence() > second.fence());
    third.release().await;
    second.release().await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn scopes_of_different_slots_are_taken_together_too() {
    let redis = redis_of(&new_prefix());
    let both = || [LeaseName::new(&"stalls", &1), LeaseName::new(&"gallery", &1)];
    let one = Lease::take(&redis, [LeaseName::new(&"stalls", &1)], "ada", SHORT).await.unwrap();
    assert!(matches!(
        Lease::take(&redis, both(), "bob", SHORT).await,
        Err(LeaseError::Held(held)) if held == [LeaseName::new(&"stalls", &1)]
    ));
    one.release().await;
    // What the refused one had taken in the first scope is being given back behind it.
    tokio::time::sleep(Duration::from_millis(50)).await;
    Lease::take(&redis, both(), "bob", SHORT).await.unwrap().release().await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn an_earlier_attempt_of_ones_own_order_is_waited_for() {
    let redis = redis_of(&new_prefix());
    let first = Lease::take(&redis, names(&[1]), "ada:order", SHORT).await.unwrap();
    let began = Instant::now();
    let (second, ()) = tokio::join!(Lease::take(&redis, names(&[1]), "ada:order", SHORT), async {
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
    let lease = Lease::take(&redis, names(&[1]), "ada:12", SHORT).await.unwrap();
    assert!(matches!(
        Lease::take(&redis, names(&[1]), "ada:1", SHORT).await,
        Err(LeaseError::Held(_))
    ));
    lease.release().await;
}

#[tokio::test]
async fn a_watched_lease_outlives_its_length_and_a_fixed_one_does_not() {
    let redis = redis_of(&new_prefix());
    let length = Duration::from_millis(150);
    let watched = Term::Watched {
        lease: length,
        renewed_every: Duration::from_millis(50),
        at_most: Duration::from_secs(10),
    };
    let kept = Lease::take(&redis, names(&[1]), "ada", watched).await.unwrap();
    let lapsed = Lease::take(&redis, names(&[2]), "ada", Term::Fixed(length)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(Lease::take(&redis, names(&[1]), "bob", SHORT).await.is_err());
    let taken = Lease::take(&redis, names(&[2]), "bob", SHORT).await.unwrap();
    // Giving back late takes nothing from whoever came next.
    lapsed.release().await;
    assert!(Lease::take(&redis, names(&[2]), "cyd", SHORT).await.is_err());
    assert!(!kept.is_lost());
    kept.release().await;
    taken.release().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_watchdog_stops_at_its_hard_maximum() {
    let redis = redis_of(&new_prefix());
    let watched = Term::Watched {
        lease: Duration::from_millis(100),
        renewed_every: Duration::from_millis(40),
        at_most: Duration::from_millis(300),
    };
    let _held = Lease::take(&redis, names(&[1]), "ada", watched).await.unwrap();
    tokio::time::sleep(Duration::from_millis(600)).await;
    Lease::take(&redis, names(&[1]), "bob", SHORT).await.unwrap().release().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_that_are_cancelled_anywhere_leave_nothing_behind() {
    let redis = redis_of(&new_prefix());
    for round in 0..200_u64 {
        let attempt = Lease::take(&redis, names(&[1, 2, 3]), "ada", SHORT);
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
                let taken = Lease::take(&redis, names(&wanted), &taker.to_string(), SHORT).await;
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
