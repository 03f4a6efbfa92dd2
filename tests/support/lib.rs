//! Test support: real instances over real HTTP, accounts that use them, and fixtures to sell and
//! buy. The integration tests of every target in `tests/` use it as `crate::support`.
#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]
#![expect(clippy::missing_panics_doc, reason = "a test that cannot go on has failed")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod answer;
pub mod api_document;
pub mod browser;
mod catalog;
mod checkout;
mod child;
mod child_witness;
mod counted_wire;
mod cut_wire;
mod held_wire;
mod holds;
mod hook_receiver;
pub mod ledger;
mod linger;
mod mail_server;
mod odd_witness;
mod office;
mod orders;
mod overtaking;
mod page;
mod pdf;
mod person;
mod pictures;
mod pooler_wire;
mod private_postgres;
mod private_redis;
mod private_sentinels;
mod private_standby;
mod purchase;
mod raw;
mod rows;
mod scripted;
mod sign_up;
pub mod signed_log;
mod silent_wire;
pub mod stripe;
mod wait;
mod wrong_clock;

pub use answer::Answer;
pub use catalog::{Concert, ConcertOptions};
pub use child::ChildInstance;
pub use child_witness::ChildWitness;
pub use counted_wire::{CountedWire, Waits};
pub use cut_wire::CutWire;
pub use held_wire::HeldWire;
pub use holds::{Hold, agree_on, lapse_holds};
pub use hook_receiver::{HookAnswer, HookReceiver};
pub use linger::Death;
pub use mail_server::{AttachedFile, MailServer, Received};
pub use odd_witness::OddWitness;
pub use office::{Office, app, config, empty, pool};
pub use orders::{
    admit, admit_logged, admit_projected, hold, hold_places, order_path, order_until_known,
};
pub use overtaking::{overtaken, until_it_waits};
pub use page::expect_money;
pub use pdf::Pdf;
pub use person::Person;
pub use pictures::{picture, picture_bomb, picture_form};
pub use pooler_wire::PoolerWire;
pub use private_postgres::PrivatePostgres;
pub use private_redis::{PrivateCluster, PrivateRedis, free_port};
pub use private_sentinels::PrivateSentinels;
pub use private_standby::PrivateStandby;
pub use purchase::Purchase;
pub use raw::Raw;
pub use rows::{
    acts, email_of, let_write, read_all, read_all_with, read_one, read_one_with, run_sql,
    run_sql_with,
};
pub use scripted::Scripted;
pub use sign_up::{PASSWORD, Signed, secret_of, sign_up};
pub use silent_wire::SilentWire;
pub use stripe::StripeStandIn;
pub use wait::{LOCK_WAITERS, eventually, until, until_locks_wait};
pub use wrong_clock::WrongClock;

use std::future::Future;

use tokio::task::JoinSet;

/// Runs all `attempts` at once and returns their answers in no particular order.
pub async fn storm<F>(attempts: impl IntoIterator<Item = F>) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let mut running: JoinSet<Answer> = attempts.into_iter().collect();
    let mut answers = Vec::with_capacity(running.len());
    while let Some(answer) = running.join_next().await {
        answers.push(answer.unwrap());
    }
    answers
}

/// Counts the answers with `status` and, unless it is empty, `code`.
pub fn count(answers: &[Answer], status: u16, code: &str) -> usize {
    answers
        .iter()
        .filter(|answer| answer.status == status && (code.is_empty() || answer.code() == code))
        .count()
}
