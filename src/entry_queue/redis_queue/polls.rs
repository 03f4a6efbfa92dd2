//! Polls of one instance; polls that arrive at the same moment are asked together.
//!
//! A server thread answers many requests in turn, and polls of the same queue that arrive before its
//! scheduler has gone round are **gathered** and asked with one script call. A call of the script
//! costs the thread and Redis more than an account in it.
//!
//! # Invariants
//!
//! * No poll waits for others to come, and no timer is involved: the first one begins a task that
//!   takes all polls that are there after one round of the scheduler.
//! * A caller that goes away cancels nothing: its poll is recorded with the others.
//! * A poll always has an answer: the call ends at its deadline, and a task that is dropped answers
//!   the polls that it would have taken.
//! * A queue without polls takes no memory.
//!
//! # Concurrency
//!
//! Each thread gathers for itself, so its polls go over its own connection. The lock of its map is
//! contended only where a task runs on another thread than the polls that it takes.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use thread_local::ThreadLocal;
use tokio::sync::oneshot;

use super::handle::{RedisQueue, millis};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueueNumber, WINDOW},
    infra::redis::{Redis, RedisAway, Script},
};

/// Polls in one script call: Redis serves no other client meanwhile.
pub(crate) const POLLS_MAX: usize = 128;

static POLL: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("hearing.lua"), include_str!("poll.lua"))));

/// Position of an account in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Unknown: the queue is not complete, or Redis does not answer.
    Unknown,
    /// Neither waiting nor admitted.
    Nowhere,
    /// Waiting; `n_ahead` is `None` until the number is counted.
    Waiting { number: QueueNumber, n_ahead: Option<u64>, n_waiting: u64 },
    /// Admitted.
    Inside,
}

/// Polls of one instance.
#[derive(Clone, Debug)]
pub struct Polls(Arc<Gatherings>);

struct Gatherings {
    redis: Redis,
    /// Time for which an account may be silent.
    grace: Duration,
    by_thread: ThreadLocal<Gathered>,
}

/// Polls of one thread that no task has taken yet.
type Gathered = Arc<Mutex<HashMap<ProgramId, Vec<Poll>>>>;

struct Poll {
    account_id: AccountId,
    answer: oneshot::Sender<Position>,
}

impl fmt::Debug for Gatherings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gatherings").field("grace", &self.grace).finish_non_exhaustive()
    }
}

impl Polls {
    /// Creates the polls of one instance, in which an account may be silent for `grace`.
    pub fn new(redis: Redis, grace: Duration) -> Self {
        Self(Arc::new(Gatherings { redis, grace, by_thread: ThreadLocal::new() }))
    }

    /// Returns the position of `account_id` and records the poll.
    pub async fn poll(&self, program_id: ProgramId, account_id: AccountId) -> Position {
        self.gather(program_id, account_id).await.unwrap_or(Position::Unknown)
    }

    fn gather(&self, program_id: ProgramId, account_id: AccountId) -> oneshot::Receiver<Position> {
        let (answer, answered) = oneshot::channel();
        let gathered = self.0.by_thread.get_or_default();
        let mut by_program = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let polls = by_program.entry(program_id).or_default();
        polls.push(Poll { account_id, answer });
        if polls.len() == 1 {
            let taking = Taking { gathered: gathered.clone(), program_id, is_taken: false };
            tokio::spawn(self.clone().answer_together(taking));
        }
        answered
    }

    async fn answer_together(self, mut taking: Taking) {
        // Requests that are ready to run on this thread come first.
        tokio::task::yield_now().await;
        let (polls, program_id) = (taking.take(), taking.program_id);
        let queue = RedisQueue::of(&self.0.redis, program_id);
        join_all(polls_in_calls(polls).map(async |polls| {
            let accounts: Vec<AccountId> = polls.iter().map(|poll| poll.account_id).collect();
            let positions = queue.poll(&accounts, self.0.grace).await;
            let positions = positions.unwrap_or_else(|_away| vec![Position::Unknown; polls.len()]);
            for (poll, position) in polls.into_iter().zip(positions) {
                // A caller that is gone needs no answer.
                let _ = poll.answer.send(position);
            }
        }))
        .await;
    }
}

/// Returns `polls` in their order, as many at once as one call takes.
fn polls_in_calls(polls: Vec<Poll>) -> impl Iterator<Item = Vec<Poll>> {
    let mut left = polls.into_iter();
    std::iter::from_fn(move || {
        let some: Vec<Poll> = left.by_ref().take(POLLS_MAX).collect();
        (!some.is_empty()).then_some(some)
    })
}

/// Right of one task to the polls of one thread and program. A task that is dropped with its runtime
/// drops them as well, so that the next poll begins another task.
struct Taking {
    gathered: Gathered,
    program_id: ProgramId,
    is_taken: bool,
}

impl Taking {
    fn take(&mut self) -> Vec<Poll> {
        self.is_taken = true;
        let mut by_program = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        by_program.remove(&self.program_id).unwrap_or_default()
    }
}

impl Drop for Taking {
    /// Drops polls that the task did not take.
    fn drop(&mut self) {
        if !self.is_taken {
            drop(self.take());
        }
    }
}

impl RedisQueue<'_> {
    /// Returns the positions of at most [`POLLS_MAX`] `accounts`, in their order, and records their polls.
    pub(crate) async fn poll(
        &self,
        accounts: &[AccountId],
        grace: Duration,
    ) -> Result<Vec<Position>, RedisAway> {
        let mut call = POLL.key(self.key("waiting"));
        call.key(self.key("active")).key(self.key("seen")).key(self.key("epoch"));
        call.key(self.key("hearing")).key(self.key("called"));
        call.arg(WINDOW).arg(millis(grace));
        for account_id in accounts {
            call.arg(account_id.0.as_bytes());
        }
        let answer: Vec<i64> = self.redis.run(call.with_run_id()).await?;
        let [n_waiting, positions @ ..] = answer.as_slice() else { return Ok(Vec::new()) };
        let Ok(n_waiting) = u64::try_from(*n_waiting) else {
            return Ok(vec![Position::Unknown; accounts.len()]);
        };
        let read = |position: &[i64]| match *position {
            [1, number, n_ahead] => Position::Waiting {
                number: QueueNumber(number),
                n_ahead: u64::try_from(n_ahead).ok(),
                n_waiting,
            },
            [2, ..] => Position::Inside,
            _ => Position::Nowhere,
        };
        Ok(positions.chunks_exact(3).map(read).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fmt::Write,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
    };
    use uuid::Uuid;

    use super::*;

    /// Words of a call that are no accounts: the command, the hash, the number of keys, five keys,
    /// the window, the grace and the run id.
    const OTHER_WORDS: usize = 11;

    /// Answers each call of the script with positions 0, 1, 2 and so on, and counts the calls.
    async fn serve(mut stream: TcpStream, n_calls: Arc<AtomicUsize>) {
        let mut bytes = vec![0; 65_536];
        while let Ok(n @ 1..) = stream.read(&mut bytes).await {
            let sent = String::from_utf8_lossy(&bytes[..n]).into_owned();
            let mut answer = String::new();
            for command in sent.split_inclusive("\r\n$").collect::<Vec<_>>().windows(2) {
                let Some((_, n_words)) = command[0].rsplit_once('*') else { continue };
                let Ok(n_words) = n_words.trim_end_matches("\r\n$").parse::<usize>() else {
                    continue;
                };
                if !command[1].starts_with("7\r\nEVALSHA") {
                    answer.push_str("$8\r\nrun_id:1\r\n");
                    continue;
                }
                n_calls.fetch_add(1, Ordering::SeqCst);
                let n_accounts = n_words - OTHER_WORDS;
                write!(answer, "*{}\r\n:{n_accounts}\r\n", 1 + 3 * n_accounts).unwrap();
                for place in 0..n_accounts {
                    write!(answer, ":1\r\n:{}\r\n:{place}\r\n", place + 1).unwrap();
                }
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }

    /// Polls of an instance whose Redis answers as [`serve`] does, and the number of its calls.
    async fn polls() -> (Polls, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let n_calls = Arc::<AtomicUsize>::default();
        let counted = n_calls.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, counted.clone()));
            }
        });
        let redis = Redis::open(&url, "test").unwrap();
        (Polls::new(redis, Duration::from_mins(1)), n_calls)
    }

    async fn places(polls: &Polls, n_accounts: u128) -> Vec<Option<u64>> {
        let program_id = ProgramId(Uuid::nil());
        let asked = (0..n_accounts).map(|n| polls.poll(program_id, AccountId(Uuid::from_u128(n))));
        let place = |position| match position {
            Position::Waiting { n_ahead, .. } => n_ahead,
            _ => None,
        };
        join_all(asked).await.into_iter().map(place).collect()
    }

    #[tokio::test]
    async fn polls_that_arrive_together_are_one_call_and_each_has_its_own_answer() {
        let (polls, n_calls) = polls().await;
        assert_eq!(places(&polls, 10).await, (0..10).map(Some).collect::<Vec<_>>());
        assert_eq!(n_calls.load(Ordering::SeqCst), 1);
        assert_eq!(places(&polls, 1).await, [Some(0)]);
        assert_eq!(n_calls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn one_call_has_no_more_polls_than_its_bound() {
        let (polls, n_calls) = polls().await;
        let of_calls = [0..128, 0..128, 0..44].into_iter().flatten();
        assert_eq!(places(&polls, 300).await, of_calls.map(Some).collect::<Vec<_>>());
        assert_eq!(n_calls.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_takes_no_answer_from_the_others() {
        let (polls, n_calls) = polls().await;
        let program_id = ProgramId(Uuid::nil());
        let gone = polls.gather(program_id, AccountId(Uuid::max()));
        drop(gone);
        assert_eq!(places(&polls, 1).await, [Some(1)]);
        assert_eq!(n_calls.load(Ordering::SeqCst), 1);
    }
}
