//! What really happened: three instances, crashes, and pauses longer than the lease.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use stagedoor::infra::locks::{FairLocks, FairOutcome, FairTerms, LockName};
use tokio::runtime::{Builder, Runtime};

use super::{assert_nothing_left, new_prefix, redis_of, witness::Witness};

const TERMS: FairTerms = FairTerms {
    lease: Duration::from_millis(400),
    renewed_every: Duration::from_millis(50),
    at_most: Duration::from_secs(5),
    poll: Duration::from_millis(60),
    presence: Duration::from_millis(300),
    absence: Duration::from_millis(500),
    stay_max: Duration::from_secs(90),
    claim: Duration::from_secs(10),
};

/// One time in which a waiter had the lock.
#[derive(Clone, Debug)]
struct Turn {
    from: Instant,
    to: Instant,
    /// Whether it slept beyond its lease or its process died: it may overlap.
    is_broken: bool,
}

type History = Arc<Mutex<Vec<Turn>>>;

fn instance() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Takes and gives back until `until`; now and then the whole process stands still.
async fn work(locks: FairLocks, waiter: String, until: Instant, history: History) {
    let name = LockName::new(&"house", &"floor");
    while Instant::now() < until {
        let wait = Duration::from_millis(700);
        let Ok(FairOutcome::Lead(guard, ())) = locks.take(&name, &waiter, wait, ()).await else {
            tokio::time::sleep(Duration::from_millis(rand::random_range(20..200))).await;
            continue;
        };
        let from = Instant::now();
        // Blocks the thread of its runtime, so that the watchdog sleeps as well.
        let is_broken = rand::random_ratio(1, 25);
        if is_broken {
            std::thread::sleep(TERMS.lease * 2);
        } else {
            tokio::time::sleep(Duration::from_millis(rand::random_range(1..8))).await;
        }
        // Other tasks of a runtime that stood still lost their leases with it.
        let is_broken = is_broken || from.elapsed() > TERMS.presence / 4;
        history.lock().unwrap().push(Turn { from, to: Instant::now(), is_broken });
        guard.release().await;
    }
}

#[test]
fn first_come_first_served_and_never_two_at_once_while_nobody_sleeps() {
    // A slow machine needs more histories before enough of them can be compared.
    const HISTORIES_MAX: usize = 30;
    let mut n_compared = 0;
    for _ in 0..HISTORIES_MAX {
        n_compared += judge_one_history();
        if n_compared > 200 {
            return;
        }
    }
    panic!("only {n_compared} could be compared");
}

/// Number of others with whom the holders of the lock could be compared.
fn judge_one_history() -> usize {
    let prefix = new_prefix();
    let history: History = Arc::default();
    let witness = Witness::of(&prefix);
    let until = Instant::now() + Duration::from_secs(6);
    let mut instances = Vec::new();
    let mut crashes = 0;
    for number in 0..3 {
        instances.push(start(number, &prefix, until, &history));
    }
    while Instant::now() < until {
        std::thread::sleep(Duration::from_millis(rand::random_range(300..900)));
        let victim = rand::random_range(0..instances.len());
        // A process that dies gives nothing back.
        instances.swap_remove(victim).shutdown_background();
        crashes += 1;
        instances.push(start(10 + crashes, &prefix, until, &history));
    }
    std::thread::sleep(Duration::from_millis(1_500));
    for runtime in instances {
        runtime.shutdown_background();
    }
    let n_compared = witness.judge();
    judge(history.lock().unwrap().clone());
    std::thread::sleep(TERMS.lease + TERMS.presence + TERMS.absence);
    instance().block_on(async {
        let redis = redis_of(&prefix);
        let locks: FairLocks = FairLocks::new(&redis, TERMS);
        let name = LockName::new(&"house", &"floor");
        // The dead delay no other waiter, and passing over them clears them away.
        for _ in 0..3 {
            let wait = Duration::from_secs(30);
            let FairOutcome::Lead(guard, ()) = locks.take(&name, "last", wait, ()).await.unwrap();
            guard.release().await;
        }
        assert_nothing_left(&redis).await;
    });
    n_compared
}

fn start(number: usize, prefix: &str, until: Instant, history: &History) -> Runtime {
    let runtime = instance();
    for worker in 0..6 {
        let (prefix, history) = (prefix.to_owned(), history.clone());
        runtime.spawn(async move {
            let locks = FairLocks::new(&redis_of(&prefix), TERMS);
            work(locks, format!("{number}-{worker}"), until, history).await;
        });
    }
    runtime
}

fn judge(mut turns: Vec<Turn>) {
    assert!(turns.len() > 50, "only {} turns", turns.len());
    turns.retain(|turn| !turn.is_broken);
    turns.sort_by_key(|turn| turn.from);
    for pair in turns.windows(2) {
        let [earlier, later] = pair else { continue };
        assert!(earlier.to <= later.from, "two held it at once: {earlier:?} {later:?}");
    }
}
