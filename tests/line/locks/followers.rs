//! Followers of a fair lock: one holder carries out the requests of those directly behind it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime},
};

use redis::cmd;
use stagedoor::infra::{
    locks::{FairError, FairGuard, FairLocks, FairOutcome, FairTerms, Follower},
    redis::Redis,
};
use tokio::task::JoinHandle;

use super::{
    fair::{LONG, NOW, WOKEN, until_listening, until_present, zone},
    new_prefix, redis_of, until_nothing_left,
};
use crate::support::until;

/// Requests are names, and answers say which holder carried them out.
pub(super) type Locks = FairLocks<String, String>;
pub(super) type Outcome = Result<FairOutcome<String, String>, FairError>;

/// Two instances that share one Redis and hear each other.
pub(super) async fn two_instances(terms: FairTerms) -> (Redis, [Locks; 2]) {
    let prefix = new_prefix();
    let redis = redis_of(&prefix);
    let instances = [0, 1].map(|_| Locks::new(&redis_of(&prefix), terms));
    until_listening(&redis, instances.len()).await;
    (redis, instances)
}

pub(super) async fn come(locks: &Locks, waiter: &str, wait: Duration) -> Outcome {
    locks.take(&zone(), waiter, wait, waiter.to_owned()).await
}

pub(super) async fn lead(locks: &Locks, waiter: &str) -> FairGuard<String, String> {
    match come(locks, waiter, LONG).await.unwrap() {
        FairOutcome::Lead(guard, request) => {
            assert_eq!(request, waiter);
            guard
        }
        FairOutcome::Carried(leader) => panic!("{waiter} was carried out by {leader}"),
    }
}

/// Lets `waiter` stand in line as the nth present one, and returns its outcome to come.
pub(super) async fn stand(
    redis: &Redis,
    locks: &Locks,
    waiter: &'static str,
    nth: usize,
) -> JoinHandle<Outcome> {
    let locks = locks.clone();
    let waiting = tokio::spawn(async move { come(&locks, waiter, LONG).await });
    until_present(redis, nth).await;
    waiting
}

pub(super) fn names(followers: &[Follower<String, String>]) -> Vec<&str> {
    followers.iter().map(|follower| follower.request.as_str()).collect()
}

pub(super) fn answer_all(followers: Vec<Follower<String, String>>, leader: &str) {
    for follower in followers {
        follower.answer(leader.to_owned());
    }
}

pub(super) async fn expect_carried(waiting: JoinHandle<Outcome>, leader: &str) {
    let outcome = waiting.await.unwrap();
    assert!(matches!(&outcome, Ok(FairOutcome::Carried(by)) if by == leader), "{outcome:?}");
}

pub(super) async fn expect_lead(waiting: JoinHandle<Outcome>) -> FairGuard<String, String> {
    match waiting.await.unwrap() {
        Ok(FairOutcome::Lead(guard, _)) => guard,
        outcome => panic!("{outcome:?}"),
    }
}

/// Waiters in line with their numbers.
pub(super) async fn numbers(redis: &Redis) -> BTreeMap<String, u64> {
    let mut all = cmd("ZRANGE");
    all.arg(redis.key("fair:{house}:floor:line")).arg(0).arg(-1).arg("WITHSCORES");
    redis.query(&all).await.unwrap()
}

/// Lets the time of a waiter end so long from now.
pub(super) async fn ends_in(redis: &Redis, waiter: &str, left: Duration) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let mut deadline = cmd("ZADD");
    deadline.arg(redis.key("fair:{house}:floor:deadline")).arg("XX");
    deadline.arg(u64::try_from((now + left).as_millis()).unwrap()).arg(waiter);
    redis.query::<i64>(&deadline).await.unwrap();
}

/// Lets the time of a waiter run out, as if it had been silent for long.
async fn run_out(redis: &Redis, waiter: &str) {
    ends_in(redis, waiter, Duration::ZERO).await;
}

#[tokio::test]
async fn those_directly_behind_are_carried_in_order_and_count_until_they_are_done() {
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let cyd = stand(&redis, &locks, "cyd", 2).await;
    let dan = stand(&redis, &locks, "dan", 3).await;

    let followers = ada.claim_followers(2).await;
    assert_eq!(names(&followers), ["bob", "cyd"]);
    let Err(FairError::Waiting(told)) = come(&locks, "eve", NOW).await else { panic!("free") };
    assert_eq!((told.count, told.ahead), (4, 3), "the claimed count as well");

    answer_all(followers, "ada");
    ada.release().await;
    expect_carried(bob, "ada").await;
    expect_carried(cyd, "ada").await;
    expect_lead(dan).await.release().await;
    lead(&locks, "eve").await.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn somebody_of_another_instance_in_between_ends_the_claim() {
    let (redis, [one, other]) = two_instances(WOKEN).await;
    let ada = lead(&one, "ada").await;
    let bob = stand(&redis, &one, "bob", 1).await;
    let cyd = stand(&redis, &other, "cyd", 2).await;
    let dan = stand(&redis, &one, "dan", 3).await;
    let eve = stand(&redis, &other, "eve", 4).await;

    let followers = ada.claim_followers(9).await;
    assert_eq!(names(&followers), ["bob"], "cyd comes before dan");
    answer_all(followers, "ada");
    ada.release().await;
    expect_carried(bob, "ada").await;
    let cyd = expect_lead(cyd).await;
    assert!(cyd.claim_followers(9).await.is_empty(), "dan comes before eve");
    cyd.release().await;
    expect_lead(dan).await.release().await;
    expect_lead(eve).await.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn those_who_are_away_hold_up_no_claim_and_keep_their_places() {
    let (redis, [one, other]) = two_instances(WOKEN).await;
    let ada = lead(&one, "ada").await;
    come(&other, "bob", NOW).await.unwrap_err();
    // Nothing is heard of cyd's instance any more.
    let cyd = stand(&redis, &other, "cyd", 1).await;
    let dan = stand(&redis, &one, "dan", 2).await;
    run_out(&redis, "cyd").await;
    let before = numbers(&redis).await;

    let followers = ada.claim_followers(9).await;
    assert_eq!(names(&followers), ["dan"]);
    assert_eq!(numbers(&redis).await, before);
    answer_all(followers, "ada");
    ada.release().await;
    expect_carried(dan, "ada").await;
    cyd.abort();
    lead(&other, "bob").await.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_follower_is_not_refused_when_its_wait_is_over() {
    const WAIT: Duration = Duration::from_millis(700);
    let (redis, [locks, _]) = two_instances(FairTerms::default()).await;
    let ada = lead(&locks, "ada").await;
    let bob = tokio::spawn({
        let locks = locks.clone();
        async move { come(&locks, "bob", WAIT).await }
    });
    until_present(&redis, 1).await;
    let followers = ada.claim_followers(9).await;
    assert_eq!(names(&followers), ["bob"]);
    tokio::time::sleep(WAIT + WAIT / 2).await;
    assert!(!bob.is_finished());
    answer_all(followers, "ada");
    expect_carried(bob, "ada").await;
    ada.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn those_who_are_put_back_have_the_numbers_they_had() {
    let (redis, [one, other]) = two_instances(WOKEN).await;
    let ada = lead(&one, "ada").await;
    let mut waiting = Vec::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    for (nth, (locks, name)) in
        [(&one, "bob"), (&one, "cyd"), (&other, "dan")].into_iter().enumerate()
    {
        let (locks, order) = (locks.clone(), order.clone());
        waiting.push(tokio::spawn(async move {
            let guard = lead(&locks, name).await;
            order.lock().unwrap().push(name);
            guard.release().await;
        }));
        until_present(&redis, nth + 1).await;
    }
    let followers = ada.claim_followers(9).await;
    assert_eq!(names(&followers), ["bob", "cyd"]);
    Follower::put_back(followers);
    // Released at once: a waiter that was put back is there before the lock is free.
    drop(ada);
    for waiting in waiting {
        waiting.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["bob", "cyd", "dan"]);
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_claim_that_took_too_long_for_redis_costs_no_number() {
    let (redis, [one, other]) = two_instances(WOKEN).await;
    let ada = lead(&one, "ada").await;
    let bob = stand(&redis, &one, "bob", 1).await;
    let followers = ada.claim_followers(9).await;
    let before = numbers(&redis).await;
    run_out(&redis, "bob").await;
    let cyd = stand(&redis, &other, "cyd", 1).await;
    assert_eq!(numbers(&redis).await.get("bob"), None, "the claim has lapsed");

    Follower::put_back(followers);
    until_present(&redis, 2).await;
    assert_eq!(numbers(&redis).await["bob"], before["bob"]);
    ada.release().await;
    expect_lead(bob).await.release().await;
    expect_lead(cyd).await.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn followers_of_a_holder_that_goes_away_are_told_so_and_keep_their_places() {
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let cyd = stand(&redis, &locks, "cyd", 2).await;
    let leader = tokio::spawn(async move {
        let followers = ada.claim_followers(1).await;
        assert_eq!(names(&followers), ["bob"]);
        std::future::pending::<()>().await;
    });
    until("claimed", async || present(&redis).await == ["cyd"]).await;
    leader.abort();

    let told = bob.await.unwrap();
    assert!(matches!(told, Err(FairError::Lost)), "{told:?}");
    let cyd = expect_lead(cyd).await;
    let Err(FairError::Waiting(told)) = come(&locks, "eve", NOW).await else { panic!("free") };
    assert_eq!((told.count, told.ahead), (2, 1), "bob may come back");
    let bob = stand(&redis, &locks, "bob", 1).await;
    cyd.release().await;
    expect_lead(bob).await.release().await;
    lead(&locks, "eve").await.release().await;
    until_nothing_left(&redis).await;
}

pub(super) async fn present(redis: &Redis) -> Vec<String> {
    let mut all = cmd("ZRANGE");
    all.arg(redis.key("fair:{house}:floor:present")).arg(0).arg(-1);
    redis.query(&all).await.unwrap()
}

#[tokio::test]
async fn a_follower_waits_for_its_answer_for_a_bounded_time() {
    const CLAIM: Duration = Duration::from_millis(300);
    let (redis, [locks, _]) = two_instances(FairTerms { claim: CLAIM, ..WOKEN }).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let began = Instant::now();
    let followers = ada.claim_followers(9).await;
    let told = bob.await.unwrap();
    assert!(matches!(told, Err(FairError::Lost)), "{told:?}");
    assert!((CLAIM..LONG / 2).contains(&began.elapsed()), "{:?}", began.elapsed());
    // Too late for bob, and harmless for the others.
    answer_all(followers, "ada");
    ada.release().await;
    until_nothing_left(&redis).await;
}

#[tokio::test]
async fn the_request_of_a_follower_that_goes_away_is_carried_out() {
    let (redis, [locks, _]) = two_instances(WOKEN).await;
    let ada = lead(&locks, "ada").await;
    let bob = stand(&redis, &locks, "bob", 1).await;
    let cyd = stand(&redis, &locks, "cyd", 2).await;
    let mut followers = ada.claim_followers(9).await;
    for waiting in [bob, cyd] {
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
    }
    assert_eq!(names(&followers), ["bob", "cyd"]);
    until("nobody in line", async || numbers(&redis).await.is_empty()).await;
    // One is carried out, one put back: either way no request waits for it.
    Follower::put_back(followers.split_off(1));
    answer_all(followers, "ada");
    ada.release().await;
    let began = Instant::now();
    lead(&locks, "dan").await.release().await;
    assert!(began.elapsed() < LONG / 2, "cyd holds dan up: {:?}", began.elapsed());
    until_nothing_left(&redis).await;
}
