//! Watcher of a fair line, which judges afterwards who got the lock before whom.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use stagedoor::infra::redis::Redis;
use tokio::runtime::Builder;

use super::redis_of;

/// Two looks that lie further apart say too little about what happened in between.
const APART_MAX: Duration = Duration::from_millis(15);

/// The line as it stood at one moment, by Redis' clock.
#[derive(Debug)]
struct Look {
    at_us: u64,
    /// The mark of the one who has the lock: their name, and a token of their attempt.
    holder: Option<String>,
    /// Waiters that have a place, by when they came.
    line: HashMap<String, u64>,
    /// Those inside a request, by when they came.
    present: HashMap<String, u64>,
    /// Until when each of them counts as that, unless they ask again.
    ends_ms: HashMap<String, u64>,
}

/// Looks at one line again and again, from a thread of its own.
pub(super) struct Witness {
    is_over: Arc<AtomicBool>,
    looking: JoinHandle<Vec<Look>>,
}

impl Witness {
    /// Watches the line of `floor` in `house`, of the locks under `prefix`.
    pub(super) fn of(prefix: &str) -> Self {
        let (prefix, is_over) = (prefix.to_owned(), Arc::new(AtomicBool::new(false)));
        let seen_enough = is_over.clone();
        let looking = std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let redis = redis_of(&prefix);
                let mut looks = Vec::new();
                while !seen_enough.load(Ordering::Relaxed) {
                    looks.push(look(&redis).await);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                looks
            })
        });
        Self { is_over, looking }
    }

    /// Number of pairs in which one waiter was present when another got the lock. Fails when the
    /// one who got it had come later: only a waiter that is away, or was silent for too long, may
    /// be passed.
    pub(super) fn judge(self) -> usize {
        self.is_over.store(true, Ordering::Relaxed);
        let looks = self.looking.join().unwrap();
        looks.windows(2).map(|pair| judge_turn(&pair[0], &pair[1])).sum()
    }
}

async fn look(redis: &Redis) -> Look {
    const LOOK: &str = "local time = redis.call('TIME')
        local all = { time[1] .. string.format('%06d', time[2]), redis.call('GET', KEYS[4]) }
        for i = 1, 3 do all[i + 2] = redis.call('ZRANGE', KEYS[i], 0, -1, 'WITHSCORES') end
        return all";
    let mut eval = redis::cmd("EVAL");
    eval.arg(LOOK).arg(4);
    for part in ["line", "present", "deadline", "holder"] {
        eval.arg(redis.key(format_args!("fair:{{house}}:floor:{part}")));
    }
    let (at_us, holder, line, present, ends_ms) = redis.query(&eval).await.unwrap();
    Look { at_us, holder, line, present, ends_ms }
}

/// With how many others the one who took the lock between two looks can be compared.
fn judge_turn(before: &Look, after: &Look) -> usize {
    let taker = after.holder.as_ref().filter(|mark| before.holder.as_ref() != Some(mark));
    let Some((waiter, _)) = taker.and_then(|mark| mark.split_once('/')) else { return 0 };
    // No waiter goes away and comes back in so short a time: one that was present at both looks
    // with one arrival was present in between.
    if u128::from(after.at_us - before.at_us) > APART_MAX.as_micros() {
        return 0;
    }
    let came = before.line.get(waiter).copied().unwrap_or(before.at_us);
    let stayed = before.present.iter().filter(|(other, arrival)| {
        let in_time = before.ends_ms.get(*other).is_some_and(|ends| *ends > after.at_us / 1_000);
        *other != waiter && in_time && after.present.get(*other) == Some(*arrival)
    });
    let stayed: Vec<_> = stayed.collect();
    for (other, arrival) in &stayed {
        assert!(
            came < **arrival,
            "{waiter} came at {came} and got it before {other}, who came at {arrival} and was \
             there: {before:?} {after:?}"
        );
    }
    stayed.len()
}
