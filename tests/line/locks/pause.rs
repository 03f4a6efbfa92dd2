//! A process that was stopped for a while, and what it believes when it goes on.

use std::time::Duration;

use stagedoor::infra::locks::{FairLocks, FairOutcome, FairTerms, LockName};
use tokio::runtime::Builder;

use super::{new_prefix, redis_of};

/// A process that stops while its waiters are woken loses their turn, and reads the old messages
/// when it goes on: a wake-up alone makes no holder.
#[test]
fn a_wake_up_from_before_a_pause_makes_no_second_holder() {
    const LOCKS: usize = 12;
    /// How long the paused go on asking: the old messages are read at its beginning.
    const ASKING: Duration = Duration::from_secs(6);
    let prefix = new_prefix();
    // The paused are absent soon; what is held is lost on no machine.
    let terms = FairTerms {
        lease: Duration::from_mins(1),
        presence: Duration::from_millis(300),
        poll: Duration::from_millis(50),
        absence: Duration::from_mins(1),
        ..FairTerms::default()
    };
    let runtime = || Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let take_all = |locks: FairLocks, waiter: &'static str, wait: Duration| async move {
        let taking = (0..LOCKS).map(|idx| {
            let locks = locks.clone();
            async move {
                let name = LockName::new(&"house", &format!("floor-{idx}"));
                let taken = locks.take(&name, waiter, wait, ()).await;
                taken.map(|FairOutcome::Lead(guard, ())| guard)
            }
        });
        futures_util::future::join_all(taking).await
    };
    let (living, paused) = (runtime(), runtime());
    let redis = living.block_on(async { redis_of(&prefix) });
    let locks = living.block_on(async { FairLocks::new(&redis, terms) });
    let ada = living.block_on(take_all(locks.clone(), "ada", Duration::ZERO));

    let bob_prefix = prefix.clone();
    let bob = paused.spawn(async move {
        let locks = FairLocks::new(&redis_of(&bob_prefix), terms);
        take_all(locks, "bob", ASKING).await
    });
    for idx in 0..LOCKS {
        let line = redis.key(format_args!("fair:{{house}}:floor-{idx}:present"));
        let n_present = || async { redis.query::<usize>(redis::cmd("ZCARD").arg(&line)).await };
        while living.block_on(n_present()).unwrap() == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let (go_on, waits) = std::sync::mpsc::channel::<()>();
    let (has_stopped, stopped) = std::sync::mpsc::channel();
    paused.spawn(async move {
        has_stopped.send(()).unwrap();
        let _ = waits.recv();
    });
    stopped.recv().unwrap();

    living.block_on(async {
        for guard in ada {
            guard.unwrap().release().await;
        }
    });
    let cyd = living.block_on(take_all(locks, "cyd", Duration::from_mins(1)));
    assert!(cyd.iter().all(Result::is_ok), "{cyd:?}");
    drop(go_on);
    let bob = living.block_on(bob).unwrap();
    let n_second = bob.iter().filter(|taken| taken.is_ok()).count();
    assert_eq!(n_second, 0, "of {LOCKS} locks so many have two holders");
    drop(cyd);
}
