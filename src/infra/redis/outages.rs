//! Outages of a single server that several threads meet, in many orders of their turns.

use std::time::{Duration, Instant};

use shuttle::{
    check_pct, check_random,
    rand::{Rng, thread_rng},
    sync::{Arc, Mutex},
    thread,
};

use super::{
    Redis,
    breaker::{PAUSE_AFTER_FAILURE, Pause},
    generations::Newest,
};

/// Threads that ask the server, and questions of each.
const THREADS: usize = 3;
const CALLS: usize = 4;
/// Orders in which the threads take turns, chosen at random.
const SCHEDULES: usize = 2_000;
/// Changes of the running thread that a schedule places deliberately.
const DEPTH: usize = 3;

/// Server that comes and goes, and the threads' knowledge of it.
struct Model {
    is_up: Mutex<bool>,
    now: Mutex<Instant>,
    newest: Mutex<Newest>,
    pause: Mutex<Pause>,
    /// Generations of the links whose failures opened the breaker.
    opened_by: Mutex<Vec<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Resting,
    Failed,
    Served,
}

impl Model {
    fn new() -> Self {
        Self {
            is_up: Mutex::new(true),
            now: Mutex::new(Instant::now()),
            newest: Mutex::default(),
            pause: Mutex::default(),
            opened_by: Mutex::default(),
        }
    }

    fn now(&self) -> Instant {
        *self.now.lock().unwrap()
    }

    fn wait(&self, time: Duration) {
        *self.now.lock().unwrap() += time;
    }

    /// Asks the server as `Redis::guarded` does, on the newest link.
    fn ask(&self) -> Answer {
        let link = self.newest.lock().unwrap().generation;
        if self.pause.lock().unwrap().is_on(self.now()) {
            return Answer::Resting;
        }
        let is_answered = *self.is_up.lock().unwrap();
        // The answer takes its time.
        thread::yield_now();
        if is_answered {
            return Answer::Served;
        }
        if self.newest.lock().unwrap().lose(link, Duration::ZERO, self.now()) {
            self.pause.lock().unwrap().begin(self.now());
            self.opened_by.lock().unwrap().push(link);
        }
        Answer::Failed
    }
}

fn outages() {
    let model = Arc::new(Model::new());
    let callers: Vec<_> = (0..THREADS)
        .map(|_| {
            let model = Arc::clone(&model);
            thread::spawn(move || (0..CALLS).map(|_| model.ask()).collect::<Vec<_>>())
        })
        .collect();
    for is_up in [false, true, false] {
        *model.is_up.lock().unwrap() = is_up;
        model.wait(PAUSE_AFTER_FAILURE / thread_rng().gen_range(1..=3));
        thread::yield_now();
    }
    for caller in callers {
        caller.join().unwrap();
    }
    // Of the threads that met a failure on links of one generation, one opened the breaker.
    let newest = model.newest.lock().unwrap().generation;
    let mut opened_by = std::mem::take(&mut *model.opened_by.lock().unwrap());
    opened_by.sort_unstable();
    assert_eq!(opened_by, (0..newest).collect::<Vec<_>>());

    *model.is_up.lock().unwrap() = true;
    model.wait(PAUSE_AFTER_FAILURE);
    assert_eq!(model.ask(), Answer::Served, "the breaker closes by itself");
    *model.is_up.lock().unwrap() = false;
    assert_eq!((model.ask(), model.ask()), (Answer::Failed, Answer::Resting));
    *model.is_up.lock().unwrap() = true;
    model.wait(PAUSE_AFTER_FAILURE / 2);
    // A link of the generation before fails only now, and prolongs no pause.
    assert!(!model.newest.lock().unwrap().lose(newest, Duration::ZERO, model.now()));
    model.wait(PAUSE_AFTER_FAILURE / 2);
    assert_eq!(model.ask(), Answer::Served);
}

#[test]
fn in_any_order_of_turns_one_failure_opens_the_breaker_once_and_a_late_one_changes_nothing() {
    check_random(outages, SCHEDULES);
    check_pct(outages, SCHEDULES, DEPTH);
}

#[tokio::test]
async fn what_comes_late_from_a_replaced_link_neither_opens_nor_closes_the_breaker() {
    let redis = Redis::open("redis://127.0.0.1:1", "test").unwrap();
    let (breaker, replaced) = (redis.breakers.whole(), redis.links.mine());
    assert!(redis.note_absence(&replaced, breaker) && breaker.is_open());
    redis.note_presence(&replaced);
    assert!(breaker.is_open(), "an answer from before the failure");
    redis.note_presence(&redis.links.mine());
    assert!(!redis.note_absence(&replaced, breaker));
    assert!(!breaker.is_open(), "a failure from before the answer");
}
