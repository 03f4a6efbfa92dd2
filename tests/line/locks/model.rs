//! The fair lock beside a list in memory: whatever is done to both, they say the same.

use std::time::Duration;

use stagedoor::infra::locks::{FairError, FairGuard, FairLocks, FairOutcome, FairTerms, LockName};

use super::{assert_nothing_left, new_prefix, redis_of};

const RUNS: usize = 8;
const STEPS: usize = 120;
const PEOPLE: usize = 7;

/// What a fair lock is, were there one thread and no clock.
#[derive(Debug, Default)]
struct Model {
    holder: Option<usize>,
    /// Waiters that came in vain, in order of arrival; they are away and delay no other.
    line: Vec<usize>,
}

impl Model {
    /// None when `who` gets the lock, else how many stand in the line and before them.
    fn take(&mut self, who: usize) -> Option<(usize, usize)> {
        if self.holder.is_none() {
            self.line.retain(|each| *each != who);
            self.holder = Some(who);
            return None;
        }
        if !self.line.contains(&who) {
            self.line.push(who);
        }
        Some((self.line.len(), self.line.iter().position(|each| *each == who).unwrap()))
    }
}

#[tokio::test]
async fn whatever_people_do_the_line_is_the_order_in_which_they_came() {
    for _ in 0..RUNS {
        run().await;
    }
}

async fn run() {
    let redis = redis_of(&new_prefix());
    let terms = FairTerms { absence: Duration::from_secs(90), ..FairTerms::default() };
    // Two instances; each waiter goes to either.
    let instances = [0, 1].map(|_| FairLocks::new(&redis, terms));
    let name = LockName::new(&"house", &"floor");
    let mut model = Model::default();
    let mut held: Option<FairGuard> = None;
    let mut said = Vec::new();
    for _ in 0..STEPS {
        let locks = &instances[rand::random_range(0..2)];
        let who = rand::random_range(0..PEOPLE);
        if rand::random_ratio(1, 3) {
            said.push("give back".to_owned());
            model.holder = None;
            if let Some(guard) = held.take() {
                guard.release().await;
            }
        } else if rand::random_ratio(1, 6) && model.holder.is_some() {
            // Goes away while waiting: the place is given up.
            said.push(format!("{who} leaves"));
            model.line.retain(|each| *each != who);
            let waiter = who.to_string();
            let waiting = locks.take(&name, &waiter, Duration::from_secs(30), ());
            assert!(tokio::time::timeout(Duration::from_millis(15), waiting).await.is_err());
            // Given up behind the one who left.
            until_gone(&redis, who).await;
        } else {
            said.push(format!("{who} comes"));
            let told = match locks.take(&name, &who.to_string(), Duration::ZERO, ()).await {
                Ok(FairOutcome::Lead(guard, ())) => {
                    held = Some(guard);
                    None
                }
                Err(FairError::Waiting(waiting)) => Some((waiting.count, waiting.ahead)),
                Err(error) => panic!("{error}"),
            };
            let told = told.map(|(count, ahead)| {
                (usize::try_from(count).unwrap(), usize::try_from(ahead).unwrap())
            });
            assert_eq!(told, model.take(who), "{said:?}");
        }
    }
    held = None;
    drop(held);
    model.holder = None;
    for who in model.line.drain(..).collect::<Vec<_>>() {
        let wait = Duration::from_secs(5);
        let taken = instances[0].take(&name, &who.to_string(), wait, ()).await;
        let FairOutcome::Lead(guard, ()) = taken.unwrap();
        guard.release().await;
    }
    assert_nothing_left(&redis).await;
}

async fn until_gone(redis: &stagedoor::infra::redis::Redis, who: usize) {
    let line = redis.key("fair:{house}:floor:line");
    for _ in 0..400 {
        let place: Option<u64> =
            redis.query(redis::cmd("ZRANK").arg(&line).arg(who)).await.unwrap();
        if place.is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{who} left and kept the place");
}
