//! Model tests: whatever people do, the office answers as a plain model in memory does.
//!
//! A **machine** is a model of one part of the office, beside a few people who use that part. A **case**
//! is a random sequence of **steps**, each carried out over HTTP and in the model, which predicts the
//! status and the problem code of the answer. After its last step the whole state is compared, and
//! `verify` must find nothing new. Time passes by writing deadlines.
//!
//! [`projection`] has no office: there a checker visits every order of the steps of a small queue.
//!
//! A case that fails is shrunk to a sequence from which no step can be left out. It is printed with the
//! seed that repeats it: CONTRIBUTING.md says how. All cases of a machine share an office, and each has
//! people and performances of its own.

mod after_sale;
mod projection;
mod queue;
mod reservations;
mod transfers;
mod waiting_list;
mod wallet;

use std::{cell::RefCell, collections::HashSet, env, fmt::Debug};

use proptest::{
    collection::vec,
    prelude::{ProptestConfig, Strategy},
    test_runner::{RngSeed, TestError, TestRunner},
};
use serde::Serialize;
use sqlx::PgPool;
use stagedoor::{reservation::expire_lapsed, wallet::expire_transfers};
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, Office, Person, ledger::violations, read_one, read_one_with, run_sql_with,
    until,
};

/// Cases of one machine, unless `PROPTEST_CASES` asks for more.
const CASES: u32 = 10;
/// Shorter sequences that are tried once a case has failed, and the time for them.
const SHRINKS_MAX: u32 = 400;
const SHRINKING_MS_MAX: u32 = 120_000;
/// Times that a request is sent which got no answer of its own: on a slow machine that happens.
const SENT_MAX: usize = 20;

/// Part of the office with its model.
trait Machine {
    type Step: Clone + Debug;

    /// Steps of the longest case.
    const STEPS_MAX: usize = 20;

    /// Returns what may be done next. The indices of a step mean what was made so far, so that every
    /// sequence can be carried out.
    fn step() -> impl Strategy<Value = Self::Step>;

    /// Begins a case: people and what they use, which no other case has.
    async fn begin(office: &Office) -> Self;

    /// Carries out a step, and fails unless it is answered as the model answers it.
    async fn take(&mut self, office: &Office, step: &Self::Step);

    /// Fails unless the state is that of the model.
    async fn compare(&self, office: &Office);
}

/// Runs the cases of a machine. The workers of its office leave to the steps what is late.
async fn check<M: Machine + 'static>(db: PgPool) {
    let settings = [("TEST_EXPIRY_PERIOD_MS", "3600000"), ("TEST_ADMISSION_PERIOD_MS", "3600000")];
    let office = Office::open_with(db, 2, &settings).await;
    check_in(office, M::begin).await;
}

/// Runs the cases of a machine that `begin` begins in an office.
async fn check_in<M: Machine>(office: Office, begin: impl AsyncFn(&Office) -> M + Send + 'static) {
    let runtime = Handle::current();
    // The cases wait for their requests on a thread of their own: this one carries them out.
    let running = tokio::task::spawn_blocking(move || {
        let (seed, outcome) = run_cases(&office, &runtime, &begin);
        (office, seed, outcome)
    });
    let (office, seed, outcome) = running.await.unwrap();
    match outcome {
        Ok(()) => office.close().await,
        Err(failure) => {
            office.close_as_it_is().await;
            panic!("PROPTEST_RNG_SEED={seed} repeats it: {failure}");
        }
    }
}

fn run_cases<M: Machine>(
    office: &Office,
    runtime: &Handle,
    begin: &impl AsyncFn(&Office) -> M,
) -> (u64, Result<(), String>) {
    let mut config = ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: SHRINKS_MAX,
        max_shrink_time: SHRINKING_MS_MAX,
        ..ProptestConfig::default()
    };
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let seed = match config.rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => rand::random(),
    };
    config.rng_seed = RngSeed::Fixed(seed);
    let known = RefCell::new(HashSet::new());
    let outcome = TestRunner::new(config).run(&vec(M::step(), 1..=M::STEPS_MAX), |steps| {
        runtime.block_on(async {
            let mut machine = begin(office).await;
            for step in &steps {
                machine.take(office, step).await;
            }
            machine.compare(office).await;
            end_what_is_late(office).await;
            // What a failed case has left behind is no fault of the shorter ones.
            let found: HashSet<String> = violations(office).await.into_iter().collect();
            let new: Vec<String> = found.difference(&known.borrow()).cloned().collect();
            known.borrow_mut().extend(found);
            assert!(new.is_empty(), "{new:#?}");
        });
        Ok(())
    });
    let outcome = outcome.map_err(|error| match error {
        TestError::Fail(reason, steps) => format!("{reason}, after\n{steps:#?}"),
        TestError::Abort(reason) => reason.to_string(),
    });
    (seed, outcome)
}

/// Does what the workers of the office would have done: `verify` wants it soon after each end.
async fn end_what_is_late(office: &Office) {
    expire_transfers(&office.app).await.unwrap();
    expire_holds(office).await;
}

/// Ends the holds that have lapsed, as the worker does in more than one turn where another has their rows.
async fn expire_holds(office: &Office) {
    until("every hold that lapsed is ended", async || {
        expire_lapsed(&office.app).await.unwrap();
        let left =
            "select count(*) from reservations where status = 'HELD' and expires_at <= now()";
        read_one::<i64>(&office.db, left).await == 0
    })
    .await;
}

/// Sends a document, again for as long as a deadline ended it or a worker was in its way.
async fn send(person: &Person, path: &str, document: &impl Serialize) -> Answer {
    let mut answer = person.post_json(path, document).await;
    for _ in 1..SENT_MAX {
        let is_late = answer.status == 503;
        if !is_late && !["contended", "already-processing"].contains(&answer.code().as_str()) {
            break;
        }
        answer = person.post_json(path, document).await;
    }
    answer
}

/// Answer of the model: the status, and the code of a refusal.
type Expected = (u16, &'static str);

/// Fails unless `answer` is what the model said.
#[track_caller]
fn assert_answer(answer: &Answer, expected: Expected) {
    let (status, code) = expected;
    let is_right = answer.status == status && answer.code() == code;
    assert!(is_right, "expected {status} {code}: {} {}", answer.status, answer.body);
}

/// Points of a wallet: all of them, and the withheld ones.
async fn points_of(office: &Office, person: &Person) -> (i64, i64) {
    let sql = "select coalesce(sum(balance), 0)::bigint from wallets where account_id = $1";
    let balance = read_one_with(&office.db, sql, person.account_id).await;
    let sql = "select coalesce(sum(pending), 0)::bigint from wallets where account_id = $1";
    (balance, read_one_with(&office.db, sql, person.account_id).await)
}

/// Charges the wallet of a person.
async fn charge(person: &Person, amount: i64) {
    let key = Uuid::now_v7();
    let form = serde_json::json!({ "amount": amount, "request_key": key });
    assert_answer(&send(person, "/wallet/charges", &form).await, (201, ""));
}

/// Lets people join a queue that admits every account at once.
async fn join(concert: &Concert, people: &[Person]) {
    let path = format!("/programs/{}/queue", concert.slug);
    for person in people {
        until("the join is answered", async || {
            person.post(&path, &()).await;
            person.get(&path).await.json()["status"] == "ACTIVE"
        })
        .await;
    }
}

/// Brings a hold to its end, as if it had been made for no time at all. One renewal is 120 s.
async fn lapse(office: &Office, reservation_id: Uuid) {
    run_sql_with(
        &office.db,
        "update reservations set expires_at = created_at,
             hold_ttl_secs = case when renewed_at is null then 0 else -120 end
         where id = $1",
        reservation_id,
    )
    .await;
}
