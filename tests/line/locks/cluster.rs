//! Locks in a real Redis Cluster of three nodes, and what a lost node costs.

use std::time::Duration;

use stagedoor::infra::{
    locks::{
        FairError, FairGuard, FairLocks, FairOutcome, FairTerms, Lease, LeaseError, LockName,
        list_endless,
    },
    redis::Redis,
};
use tokio::task::JoinSet;

use super::new_prefix;
use crate::support::PrivateCluster;

const SHORT: Duration = Duration::from_secs(3);
/// Longer than any test: a waiter that is not woken fails it.
const NEVER: Duration = Duration::from_mins(1);
const TRIES_MAX: usize = 400;

fn redis_of(cluster: &PrivateCluster, prefix: &str) -> Redis {
    Redis::open(&cluster.url(), prefix).unwrap()
}

/// A scope whose keys lie on the node `idx`.
async fn scope_on(cluster: &PrivateCluster, idx: usize) -> String {
    for number in 0.. {
        let scope = format!("hall-{number}");
        if cluster.node_of(&scope).await == idx {
            return scope;
        }
    }
    unreachable!()
}

/// One scope a node, in their order.
async fn scopes(cluster: &PrivateCluster) -> [String; 3] {
    [scope_on(cluster, 0).await, scope_on(cluster, 1).await, scope_on(cluster, 2).await]
}

/// Takes a lease of the scope as soon as its node answers again.
async fn take_soon(redis: &Redis, scope: &str) -> Lease {
    for _ in 0..TRIES_MAX {
        if let Ok(lease) = Lease::take(redis, &scope, [1], "later", SHORT).await {
            return lease;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("no lease of {scope} can be taken");
}

/// Waits until the nodes hold no lock of this prefix and no place in a line.
async fn until_nothing_left(cluster: &PrivateCluster, prefix: &str) {
    let mut left = Vec::new();
    for _ in 0..TRIES_MAX {
        left.clear();
        for node in &cluster.nodes {
            let keys: Vec<String> = node.run(&["KEYS", &format!("{prefix}*")]).await;
            let memory = [":clock", ":pace"];
            left.extend(
                keys.into_iter().filter(|key| !memory.iter().any(|kind| key.contains(kind))),
            );
        }
        if left.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("left behind: {left:?}");
}

#[tokio::test]
async fn a_lost_node_costs_only_its_own_leases() {
    let mut cluster = PrivateCluster::start().await;
    let prefix = new_prefix();
    let redis = redis_of(&cluster, &prefix);
    let scopes = scopes(&cluster).await;
    for scope in &scopes {
        take_soon(&redis, scope).await.release().await;
    }

    cluster.nodes[1].kill();
    let refused = Lease::take(&redis, &scopes[1], [1], "bob", SHORT).await.unwrap_err();
    assert!(matches!(refused, LeaseError::Away(_)), "{refused}");
    for scope in [&scopes[0], &scopes[2]] {
        take_soon(&redis, scope).await.release().await;
    }

    cluster.nodes[1].restart().await;
    cluster.until_whole(&cluster.nodes[1]).await;
    take_soon(&redis, &scopes[1]).await.release().await;
    until_nothing_left(&cluster, &prefix).await;
}

async fn take(locks: &FairLocks, name: &LockName, waiter: &str) -> FairGuard {
    let FairOutcome::Lead(guard, ()) = locks.take(name, waiter, NEVER, ()).await.unwrap();
    guard
}

/// Waits until the instances listen for wake-ups at nodes that are there.
async fn until_listening(cluster: &PrivateCluster, living: &[usize], prefix: &str) {
    let channel = format!("{prefix}:fair-wake");
    for _ in 0..TRIES_MAX {
        let mut listeners = 0;
        for idx in living {
            let (_, count): (String, usize) =
                cluster.nodes[*idx].run(&["PUBSUB", "NUMSUB", &channel]).await;
            listeners += count;
        }
        if listeners >= 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the instances do not listen for wake-ups");
}

/// Six people of two instances, each woken by the one before in the order of arrival.
async fn goes_round(
    cluster: &PrivateCluster,
    instances: &[FairLocks; 2],
    prefix: &str,
    scope: &str,
    idx: usize,
) {
    let name = LockName::new(&scope, &"floor");
    let line = format!("{prefix}:fair:{{{scope}}}:floor:line");
    let holder = take(&instances[0], &name, "holder").await;
    let mut waiters = JoinSet::new();
    let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    for number in 0..6_usize {
        let (locks, name, order) = (instances[number % 2].clone(), name.clone(), order.clone());
        waiters.spawn(async move {
            let guard = take(&locks, &name, &number.to_string()).await;
            order.lock().unwrap().push(number);
            guard.release().await;
        });
        for _ in 0..TRIES_MAX {
            if cluster.nodes[idx].run::<usize>(&["ZCARD", &line]).await == number + 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    holder.release().await;
    let woken = tokio::time::timeout(NEVER / 2, waiters.join_all()).await;
    assert!(woken.is_ok(), "somebody on node {idx} was not woken");
    let order = order.lock().unwrap();
    assert!(order.iter().copied().eq(0..6), "{order:?}");
}

#[tokio::test]
async fn fair_locks_of_every_node_go_round_by_wake_ups_and_a_lost_node_costs_only_its_own() {
    let mut cluster = PrivateCluster::start().await;
    let prefix = new_prefix();
    // No waiter looks by itself: only a wake-up moves it on.
    let terms = FairTerms { poll: NEVER, presence: NEVER, ..FairTerms::default() };
    let scopes = scopes(&cluster).await;
    let instances = [0, 1].map(|_| FairLocks::new(&redis_of(&cluster, &prefix), terms));
    until_listening(&cluster, &[0, 1, 2], &prefix).await;
    for (idx, scope) in scopes.iter().enumerate() {
        goes_round(&cluster, &instances, &prefix, scope, idx).await;
    }
    until_nothing_left(&cluster, &prefix).await;

    cluster.nodes[1].kill();
    let lost = LockName::new(&scopes[1], &"floor");
    let refused = instances[0].take(&lost, "ada", Duration::ZERO, ()).await.unwrap_err();
    assert!(matches!(refused, FairError::Away(_)), "{refused}");
    until_listening(&cluster, &[0, 2], &prefix).await;
    for idx in [0, 2] {
        goes_round(&cluster, &instances, &prefix, &scopes[idx], idx).await;
    }

    cluster.nodes[1].restart().await;
    cluster.until_whole(&cluster.nodes[1]).await;
    for _ in 0..TRIES_MAX {
        let taken = instances[1].take(&lost, "ada", Duration::ZERO, ()).await;
        if let Ok(FairOutcome::Lead(guard, ())) = taken {
            guard.release().await;
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    until_listening(&cluster, &[0, 1, 2], &prefix).await;
    goes_round(&cluster, &instances, &prefix, &scopes[1], 1).await;
    until_nothing_left(&cluster, &prefix).await;
}

#[tokio::test]
async fn a_lock_that_would_never_end_is_found_whatever_its_kind_and_wherever_it_lies() {
    let cluster = PrivateCluster::start().await;
    let prefix = new_prefix();
    let redis = redis_of(&cluster, &prefix);
    let locks = FairLocks::new(&redis, FairTerms::default());
    let scopes = scopes(&cluster).await;
    for scope in &scopes {
        let name = LockName::new(scope, &"floor");
        Lease::take(&redis, scope, ["floor"], "ada", SHORT).await.unwrap().release().await;
        let holder = take(&locks, &name, "ada").await;
        locks.take(&name, "bob", Duration::ZERO, ()).await.unwrap_err();
        holder.release().await;
    }
    assert_eq!(list_endless(&redis, 100).await.unwrap(), Vec::<String>::new());
    let parts = ["holder", "line", "present", "deadline", "clock", "pace", "marks"];
    let mut made = Vec::new();
    for (scope, node) in scopes.iter().zip(&cluster.nodes) {
        let fair = parts.map(|part| format!("{prefix}:fair:{{{scope}}}:endless:{part}"));
        let lease = format!("{prefix}:lease:{{{scope}}}:endless");
        for key in fair.into_iter().chain([lease]) {
            node.run::<()>(&["SET", &key, "1"]).await;
            made.push(key);
        }
    }
    let mut found = list_endless(&redis, 100).await.unwrap();
    found.sort();
    made.sort();
    assert_eq!(found, made);
}
