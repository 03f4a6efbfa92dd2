//! A storm at one fair lock whose holders carry out the requests behind them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use redis::cmd;
use stagedoor::infra::locks::{FairOutcome, FairTerms, Follower};
use tokio::task::JoinSet;

use super::{
    fair::{LONG, WOKEN, until_present, zone},
    followers::{Locks, lead, two_instances},
    until_nothing_left,
};

/// People of both instances together.
const PEOPLE: usize = 300;
/// Followers whom a holder asks for at most.
const FOLLOWERS_MAX: usize = 12;

/// Whose request was carried out, in this order.
type Served = Arc<Mutex<Vec<String>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_request_is_carried_out_once_in_the_order_of_arrival_while_nobody_asks_unwoken() {
    storm(WOKEN).await;
}

/// Claims meet commands that are on their way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_request_is_carried_out_once_in_the_order_of_arrival_while_everybody_asks() {
    storm(FairTerms { poll: Duration::from_millis(20), ..WOKEN }).await;
}

async fn storm(terms: FairTerms) {
    let (redis, instances) = two_instances(terms).await;
    let holder = lead(&instances[0], "holder").await;
    let served = Served::default();
    let mut people = JoinSet::new();
    for number in 0..PEOPLE {
        let (locks, served) = (instances[rand::random_range(0..2)].clone(), served.clone());
        people.spawn(async move { visit(&locks, format!("person-{number}"), &served).await });
    }
    until_present(&redis, PEOPLE).await;
    let mut line = cmd("ZRANGE");
    line.arg(redis.key("fair:{house}:floor:line")).arg(0).arg(-1);
    let arrived: Vec<String> = redis.query(&line).await.unwrap();
    holder.release().await;
    let n_carried: usize = people.join_all().await.into_iter().sum();
    assert_eq!(*served.lock().unwrap(), arrived);
    assert!(n_carried > PEOPLE / 10, "only {n_carried} were carried out by others");
    until_nothing_left(&redis).await;
}

/// Takes the lock and carries out the own request with others; returns 1 if another holder carried it out, else 0.
async fn visit(locks: &Locks, name: String, served: &Served) -> usize {
    let (guard, own) = match locks.take(&zone(), &name, LONG, name.clone()).await.unwrap() {
        FairOutcome::Lead(guard, own) => (guard, own),
        FairOutcome::Carried(answer) => {
            assert_eq!(answer, name);
            return 1;
        }
    };
    assert_eq!(own, name);
    let n_max = rand::random_range(0..=FOLLOWERS_MAX);
    let mut followers = guard.claim_followers(n_max).await;
    // The last of them are put back now and then, as after a rollback.
    let is_cut = rand::random_ratio(1, 4);
    let n_kept = if is_cut { rand::random_range(0..=followers.len()) } else { followers.len() };
    let back = followers.split_off(n_kept);
    {
        let mut served = served.lock().unwrap();
        served.push(own);
        served.extend(followers.iter().map(|follower| follower.request.clone()));
    }
    Follower::put_back(back);
    // The lock is passed on before the end of the work, or after it.
    let passes_on = rand::random_ratio(1, 2);
    if passes_on {
        drop(guard);
        answer_own(followers);
    } else {
        answer_own(followers);
        guard.release().await;
    }
    0
}

fn answer_own(followers: Vec<Follower<String, String>>) {
    for follower in followers {
        let answer = follower.request.clone();
        follower.answer(answer);
    }
}
