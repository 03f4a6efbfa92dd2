//! The fair lock: first come, first served.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use redis::cmd;
use stagedoor::infra::{
    locks::{FairError, FairGuard, FairLocks, FairOutcome, FairTerms, LockName, Waiting},
    redis::Redis,
};
use tokio::{runtime::Builder, task::JoinSet};

use super::{assert_nothing_left, new_prefix, redis_of};
use crate::support::until;

/// Longer than anything here takes on a machine that is very slow.
pub(super) const LONG: Duration = Duration::from_mins(2);
/// Waiters look by themselves so rarely that one that looks sooner was woken.
pub(super) const WOKEN: FairTerms = FairTerms {
    lease: Duration::from_secs(5),
    renewed_every: Duration::from_millis(1_500),
    at_most: LONG,
    poll: LONG,
    presence: LONG,
    absence: LONG,
    stay_max: LONG,
    claim: LONG,
};
pub(super) const NOW: Duration = Duration::ZERO;

pub(super) fn zone() -> LockName {
    LockName::new(&"house", &"floor")
}

async fn take(locks: &FairLocks, waiter: &str, wait: Duration) -> Result<FairGuard, Waiting> {
    match locks.take(&zone(), waiter, wait, ()).await {
        Ok(FairOutcome::Lead(guard, ())) => Ok(guard),
        Err(FairError::Waiting(waiting)) => Err(waiting),
        Err(error) => panic!("{error}"),
    }
}

/// Waits until `n_min` people stand in the queue of the lock, each inside a request.
pub(super) async fn until_present(redis: &Redis, n_min: usize) {
    let mut count = cmd("ZCARD");
    count.arg(redis.key("fair:{house}:floor:present"));
    until("standing in the queue", async || redis.query::<usize>(&count).await.unwrap() >= n_min)
        .await;
}

/// Waits until `n_min` instances hear the wake-ups.
pub(super) async fn until_listening(redis: &Redis, n_min: usize) {
    let mut count = cmd("PUBSUB");
    count.arg("NUMSUB").arg(redis.key("fair-wake"));
    let n_listening = async || redis.query::<(String, usize)>(&count).await.unwrap().1;
    until("listening", async || n_listening().await >= n_min).await;
}

#[tokio::test]
async fn the_lock_goes_round_in_order_of_arrival_across_instances() {
    let prefix = new_prefix();
    let redis = redis_of(&prefix);
    let instances: Vec<_> = (0..3).map(|_| FairLocks::new(&redis_of(&prefix), WOKEN)).collect();
    until_listening(&redis, instances.len()).await;
    let holder = take(&instances[0], "first", NOW).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut waiters = JoinSet::new();
    for number in 0..30 {
        let (locks, order) = (instances[number % 3].clone(), order.clone());
        waiters.spawn(async move {
            let guard = take(&locks, &format!("waiter-{number}"), LONG).await.unwrap();
            order.lock().unwrap().push(number);
            guard.release().await;
        });
        until_present(&redis, number + 1).await;
    }
    let began = Instant::now();
    holder.release().await;
    waiters.join_all().await;
    let took = began.elapsed();
    let order = order.lock().unwrap().clone();
    assert!(order.iter().copied().eq(0..30), "{order:?}");
    assert!(took < LONG / 2, "somebody was not woken: {took:?}");
    assert_nothing_left(&redis_of(&prefix)).await;
}

#[tokio::test]
async fn whoever_comes_back_in_time_has_the_place_they_had() {
    let redis = redis_of(&new_prefix());
    let locks = FairLocks::new(&redis, FairTerms::default());
    let holder = take(&locks, "ada", NOW).await.unwrap();
    let told = take(&locks, "bob", NOW).await.unwrap_err();
    assert_eq!((told.count, told.ahead), (1, 0));
    let told = take(&locks, "cyd", NOW).await.unwrap_err();
    assert_eq!((told.count, told.ahead), (2, 1));
    // Bob is away, and delays no other; Dan and Eve are here.
    let dan = tokio::spawn({
        let locks = locks.clone();
        async move { take(&locks, "dan", LONG).await.unwrap() }
    });
    until_present(&redis, 1).await;
    holder.release().await;
    let dan = dan.await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut waiters = JoinSet::new();
    for (nth, name) in ["eve", "cyd", "bob"].into_iter().enumerate() {
        let (locks, order) = (locks.clone(), order.clone());
        waiters.spawn(async move {
            let guard = take(&locks, name, LONG).await.unwrap();
            order.lock().unwrap().push(name);
            guard.release().await;
        });
        until_present(&redis, nth + 1).await;
    }
    dan.release().await;
    waiters.join_all().await;
    assert_eq!(*order.lock().unwrap(), ["bob", "cyd", "eve"]);
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn whoever_stays_away_too_long_begins_anew() {
    let redis = redis_of(&new_prefix());
    let terms = FairTerms { absence: Duration::from_millis(200), ..FairTerms::default() };
    let locks = FairLocks::new(&redis, terms);
    let holder = take(&locks, "ada", NOW).await.unwrap();
    take(&locks, "bob", NOW).await.unwrap_err();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(take(&locks, "cyd", NOW).await.unwrap_err().ahead, 0);
    assert_eq!(take(&locks, "bob", NOW).await.unwrap_err().ahead, 1);
    holder.release().await;
}

#[tokio::test]
async fn nobody_keeps_a_place_beyond_the_lines_own_limit() {
    // A machine that stops for a moment can hide the one when only bob's time is over.
    const ATTEMPTS_MAX: usize = 20;
    for _ in 0..ATTEMPTS_MAX {
        if cyd_passes_bob().await {
            return;
        }
    }
    panic!("bob keeps the place for ever");
}

/// Both keep coming back, so neither is ever absent; bob came well before cyd, and his time
/// in the line is over first. Whether cyd was then seen in front of him.
async fn cyd_passes_bob() -> bool {
    const LINE: Duration = Duration::from_millis(300);
    const HEAD_START: Duration = Duration::from_millis(120);
    let redis = redis_of(&new_prefix());
    let locks = FairLocks::new(&redis, FairTerms { stay_max: LINE, ..FairTerms::default() });
    let holder = take(&locks, "ada", NOW).await.unwrap();
    let started = Instant::now();
    let mut is_passed = false;
    while !is_passed && started.elapsed() < LINE + HEAD_START {
        let bob = take(&locks, "bob", NOW).await.unwrap_err();
        if started.elapsed() > HEAD_START {
            let cyd = take(&locks, "cyd", NOW).await.unwrap_err();
            is_passed = (bob.ahead, cyd.ahead) == (1, 0);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    holder.release().await;
    is_passed
}

#[tokio::test]
async fn a_newcomer_passes_nobody_who_is_here() {
    let redis = redis_of(&new_prefix());
    // Nothing wakes bob but the newcomer's visit.
    let locks = FairLocks::new(&redis, WOKEN);
    until_listening(&redis, 1).await;
    let lapsing = FairTerms { lease: Duration::from_millis(100), ..WOKEN };
    let lapsing = FairTerms { renewed_every: LONG, ..lapsing };
    let dead = FairLocks::new(&redis, lapsing);
    let holder = take(&dead, "ada", NOW).await.unwrap();
    let bob = tokio::spawn({
        let locks = locks.clone();
        async move { take(&locks, "bob", LONG).await.unwrap() }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = Instant::now();
    assert!(take(&locks, "cyd", NOW).await.is_err());
    let bob = bob.await.unwrap();
    assert!(began.elapsed() < LONG / 2, "{:?}", began.elapsed());
    bob.release().await;
    holder.release().await;
}

#[tokio::test]
async fn a_watchdog_keeps_the_lock_for_as_long_as_the_work_takes() {
    let redis = redis_of(&new_prefix());
    let terms = FairTerms {
        lease: Duration::from_millis(150),
        renewed_every: Duration::from_millis(50),
        ..FairTerms::default()
    };
    let locks = FairLocks::new(&redis, terms);
    let holder = take(&locks, "ada", NOW).await.unwrap();
    assert!(take(&locks, "bob", Duration::from_millis(600)).await.is_err());
    holder.release().await;
    take(&locks, "bob", NOW).await.unwrap().release().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_watchdog_stops_at_its_hard_maximum() {
    let redis = redis_of(&new_prefix());
    let terms = FairTerms {
        lease: Duration::from_millis(100),
        renewed_every: Duration::from_millis(40),
        at_most: Duration::from_millis(300),
        ..FairTerms::default()
    };
    let locks = FairLocks::new(&redis, terms);
    let _held = take(&locks, "ada", NOW).await.unwrap();
    take(&locks, "bob", LONG).await.unwrap().release().await;
}

#[tokio::test]
async fn the_wait_is_estimated_from_what_was_measured() {
    let redis = redis_of(&new_prefix());
    let locks = FairLocks::new(&redis, FairTerms::default());
    let holder = take(&locks, "ada", NOW).await.unwrap();
    assert_eq!(take(&locks, "zoe", NOW).await.unwrap_err().gap, None);
    holder.release().await;
    for name in ["bob", "cyd", "dan", "eve"] {
        let holder = take(&locks, name, NOW).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        holder.release().await;
    }
    let holder = take(&locks, "ada", NOW).await.unwrap();
    let told = take(&locks, "fay", NOW).await.unwrap_err();
    let gap = told.gap.unwrap();
    assert!((40..200).contains(&gap.as_millis()), "{gap:?}");
    assert!(told.estimate().unwrap() >= gap * 2, "{told:?}");
    holder.release().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiters_that_are_cancelled_anywhere_leave_nothing_behind() {
    let redis = redis_of(&new_prefix());
    let locks = FairLocks::new(&redis, FairTerms::default());
    for _round in 0..10 {
        let mut waiters = JoinSet::new();
        for number in 0..20 {
            let locks = locks.clone();
            waiters.spawn(async move {
                let cut = Duration::from_micros(rand::random_range(0..3_000));
                let waiter = number.to_string();
                drop(tokio::time::timeout(cut, take(&locks, &waiter, LONG)).await);
            });
        }
        waiters.join_all().await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_nothing_left(&redis).await;
}

/// More of them than one step of the lock looks at.
#[test]
fn those_who_died_while_they_waited_are_passed_over_however_many_they_are() {
    const DEAD: usize = 40;
    let prefix = new_prefix();
    let terms = FairTerms {
        presence: Duration::from_millis(400),
        absence: Duration::from_mins(1),
        ..FairTerms::default()
    };
    let living = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (redis, locks) = living.block_on(async {
        let redis = redis_of(&prefix);
        (redis.clone(), FairLocks::new(&redis, terms))
    });
    let holder = living.block_on(take(&locks, "ada", NOW)).unwrap();
    let dying = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let their_prefix = prefix.clone();
    dying.spawn(async move {
        let locks = FairLocks::new(&redis_of(&their_prefix), terms);
        let waiting = (0..DEAD).map(|number| {
            let locks = locks.clone();
            async move { take(&locks, &format!("dead-{number}"), Duration::from_mins(1)).await }
        });
        futures_util::future::join_all(waiting).await
    });
    let line = redis.key("fair:{house}:floor:line");
    let places =
        || living.block_on(async { redis.query::<usize>(cmd("ZCARD").arg(&line)).await.unwrap() });
    while places() < DEAD {
        std::thread::sleep(Duration::from_millis(10));
    }
    dying.shutdown_background();
    let mara = living.spawn({
        let locks = locks.clone();
        async move { take(&locks, "mara", Duration::from_mins(1)).await.unwrap() }
    });
    while places() < DEAD + 1 {
        std::thread::sleep(Duration::from_millis(10));
    }
    living.block_on(async {
        holder.release().await;
        let mara = tokio::time::timeout(Duration::from_secs(20), mara).await;
        mara.expect("the dead hold her up").unwrap().release().await;
    });
    assert_eq!(places(), DEAD, "they keep their places, should they come back");
}
