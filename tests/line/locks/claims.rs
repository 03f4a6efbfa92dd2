//! What a claim of followers costs and counts for, and commands that cross it.

use std::time::{Duration, Instant};

use redis::cmd;
use stagedoor::infra::{
    locks::{FairError, FairOutcome, FairTerms},
    redis::Redis,
};

use super::{
    fair::{LONG, NOW, WOKEN, until_listening, until_present},
    followers::{
        Locks, answer_all, come, ends_in, expect_carried, expect_lead, lead, names, numbers,
        present, stand, two_instances,
    },
    new_prefix, redis_of, until_nothing_left,
};
use crate::support::{CountedWire, Waits, until};

/// The keys of the lock, as its scripts take them.
const PARTS: [&str; 7] = ["holder", "line", "present", "deadline", "clock", "pace", "marks"];

/// Sends once more what an attempt sends to ask for the lock; whether it got it.
async fn ask_again(redis: &Redis, waiter: &str, mark: &str, terms: FairTerms) -> bool {
    const ENTER: &str = concat!(
        include_str!("../../../src/infra/locks/fair_waiters.lua"),
        include_str!("../../../src/infra/locks/fair_enter.lua")
    );
    let mut enter = cmd("EVAL");
    enter.arg(ENTER).arg(PARTS.len());
    for part in PARTS {
        enter.arg(redis.key(format_args!("fair:{{house}}:floor:{part}")));
    }
    enter.arg(mark).arg(waiter).arg(redis.key("fair-wake"));
    let FairTerms { lease, presence, absence, stay_max, claim, .. } = terms;
    for length in [lease, presence, absence, stay_max, LONG, claim] {
        enter.arg(u64::try_from(length.as_millis()).unwrap());
    }
    let (is_taken, ..): (bool, u64, u64, i64) = redis.query(&enter).await.unwrap();
    is_taken
}

async fn mark_of(redis: &Redis, waiter: &str) -> String {
    let mut get = cmd("HGET");
    get.arg(redis.key("fair:{house}:floor:marks")).arg(waiter);
    redis.query(&get).await.unwrap()
}

#[tokio::test]
async fn a_command_from_before_the_claim_makes_nobody_present_and_takes_no_free_lock() {
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let mark = mark_of(&redis, "bob").await;
    let followers = ada.claim_followers(9).await;
    assert!(!ask_again(&redis, "bob", &mark, WOKEN).await);
    assert!(present(&redis).await.is_empty());

    // Ada passes the lock on before the request of bob is carried out.
    ada.release().await;
    assert!(!ask_again(&redis, "bob", &mark, WOKEN).await);
    lead(&locks, "cyd").await.release().await;
    answer_all(followers, "ada");
    expect_carried(bob, "ada").await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_lock_that_a_late_command_took_is_free_when_the_claim_ends() {
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let mark = mark_of(&redis, "bob").await;
    let followers = ada.claim_followers(9).await;
    ada.release().await;
    // Redis forgot its waiters, and then comes what bob sent long ago.
    redis.forget_keys("fair:{house}:floor:marks").await.unwrap();
    redis.forget_keys("fair:{house}:floor:line").await.unwrap();
    assert!(ask_again(&redis, "bob", &mark, WOKEN).await);
    let cyd = stand(&redis, &locks, "cyd", 1).await;
    let began = Instant::now();
    answer_all(followers, "ada");
    expect_carried(bob, "ada").await;
    expect_lead(cyd).await.release().await;
    assert!(began.elapsed() < LONG / 2, "cyd was not woken: {:?}", began.elapsed());
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_claim_whose_answer_is_lost_stops_nobody_for_long() {
    let terms = FairTerms { poll: Duration::from_millis(100), ..FairTerms::default() };
    let (redis, [locks, _]) = two_instances(terms).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let before = numbers(&redis).await;
    // Claimed at Redis, and ada was not told.
    let mut leaves = cmd("ZREM");
    leaves.arg(redis.key("fair:{house}:floor:present")).arg("bob");
    redis.query::<i64>(&leaves).await.unwrap();
    ends_in(&redis, "bob", terms.claim).await;
    until_present(&redis, 1).await;
    assert_eq!(numbers(&redis).await, before, "bob waited until the claim had lapsed");
    ada.release().await;
    expect_lead(bob).await.release().await;
    until_nothing_left(&redis).await;
}

/// The claim meets the end of the wait at every moment: one of the two is the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiter_is_either_refused_or_claimed() {
    const ROUNDS_MAX: usize = 2_000;
    const EACH_MIN: usize = 80;
    let (redis, [locks, _]) = two_instances(FairTerms::default()).await;
    let (mut n_refused, mut n_claimed) = (0, 0);
    for _ in 0..ROUNDS_MAX {
        let ada = lead(&locks, "ada").await;
        let wait = Duration::from_micros(rand::random_range(0..4_000));
        let bob = tokio::spawn({
            let locks = locks.clone();
            async move { come(&locks, "bob", wait).await }
        });
        tokio::time::sleep(Duration::from_micros(rand::random_range(0..4_000))).await;
        let followers = ada.claim_followers(9).await;
        let is_claimed = !followers.is_empty();
        answer_all(followers, "ada");
        match bob.await.unwrap() {
            Ok(FairOutcome::Carried(_)) => assert!(is_claimed),
            Err(FairError::Waiting(_)) => assert!(!is_claimed, "refused and carried out"),
            outcome => panic!("{outcome:?}"),
        }
        n_claimed += usize::from(is_claimed);
        n_refused += usize::from(!is_claimed);
        ada.release().await;
        lead(&locks, "bob").await.release().await;
        if n_claimed >= EACH_MIN && n_refused >= EACH_MIN {
            break;
        }
    }
    assert!(n_claimed >= EACH_MIN && n_refused >= EACH_MIN, "{n_claimed} and {n_refused}");
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_release_counts_once_for_everybody_whom_the_holder_carried_out() {
    const ROUNDS: u32 = 6;
    const FOLLOWERS: [&str; 3] = ["bob", "cyd", "dan"];
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    lead(&locks, "ada").await.release().await;
    let began = Instant::now();
    for _ in 0..ROUNDS {
        let ada = lead(&locks, "ada").await;
        let mut waiting = Vec::new();
        for (nth, name) in FOLLOWERS.into_iter().enumerate() {
            waiting.push(stand(&redis, &locks, name, nth + 1).await);
        }
        let followers = ada.claim_followers(9).await;
        assert_eq!(names(&followers), FOLLOWERS);
        tokio::time::sleep(Duration::from_millis(100)).await;
        answer_all(followers, "ada");
        ada.release().await;
        for waiting in waiting {
            expect_carried(waiting, "ada").await;
        }
    }
    let one = began.elapsed() / ROUNDS / 4;
    let ada = lead(&locks, "ada").await;
    let Err(FairError::Waiting(told)) = come(&locks, "eve", NOW).await else { panic!("free") };
    let gap = told.gap.unwrap();
    assert!((one / 2..one * 2).contains(&gap), "{gap:?} instead of {one:?}");
    ada.release().await;
    lead(&locks, "eve").await.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_lone_holder_asks_twice_and_one_with_followers_four_times() {
    const ROUNDS: u64 = 10;
    let mut url: url::Url = std::env::var("REDIS_URL").unwrap().parse().unwrap();
    let (host, port) = (url.host_str().unwrap(), url.port().unwrap_or(6379));
    let wire = CountedWire::to_redis(host, port, Waits::new()).await;
    url.set_host(Some("127.0.0.1")).unwrap();
    url.set_port(Some(wire.port)).unwrap();
    let prefix = new_prefix();
    let redis = redis_of(&prefix);
    let wired = Redis::open(url.as_str(), &prefix).unwrap();
    let locks = Locks::new(&wired, WOKEN);
    until_listening(&redis, 1).await;
    // The connection of this thread, which attempts share.
    assert!(wired.is_present().await);
    // The first round teaches Redis the scripts.
    let (mut before, mut alone, mut together) = (0, 0, 0);
    for round in 0..=ROUNDS {
        let mut trips = || wire.count() - std::mem::replace(&mut before, wire.count());
        trips();
        let ada = lead(&locks, "ada").await;
        assert!(ada.claim_followers(9).await.is_empty());
        ada.release().await;
        until_nothing_left(&redis).await;
        let n_alone = trips();
        let ada = lead(&locks, "ada").await;
        let bob = stand(&redis, &locks, "bob", 1).await;
        let cyd = stand(&redis, &locks, "cyd", 2).await;
        answer_all(ada.claim_followers(9).await, "ada");
        ada.release().await;
        expect_carried(bob, "ada").await;
        expect_carried(cyd, "ada").await;
        until_nothing_left(&redis).await;
        if round > 0 {
            (alone, together) = (alone + n_alone, together + trips());
        }
    }
    // The two followers have asked for the lock as well, once each.
    assert_eq!((alone, together), (2 * ROUNDS, (4 + 2) * ROUNDS));
}

/// A claim that its caller no longer waits for must not hold its followers.
#[tokio::test]
async fn whoever_was_claimed_for_nobody_waits_again() {
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    // What a claim and its end write is another time than this.
    ends_in(&redis, "bob", LONG / 2).await;
    let before = end_of(&redis, "bob").await;
    {
        let mut claiming = Box::pin(ada.claim_followers(9));
        assert!(futures_util::poll!(&mut claiming).is_pending());
    }
    until("bob is back", async || {
        end_of(&redis, "bob").await != before && present(&redis).await == ["bob"]
    })
    .await;
    ada.release().await;
    expect_lead(bob).await.release().await;
    until_nothing_left(&redis).await;
}

/// Until when a waiter in line counts as present, or as claimed.
async fn end_of(redis: &Redis, waiter: &str) -> u64 {
    let mut get = cmd("ZSCORE");
    get.arg(redis.key("fair:{house}:floor:deadline")).arg(waiter);
    redis.query(&get).await.unwrap()
}
