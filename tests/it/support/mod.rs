//! Test support: real instances over real HTTP, accounts that use them, and fixtures to sell and
//! buy.

mod answer;
pub(crate) mod api_document;
pub(crate) mod browser;
mod catalog;
mod child;
mod child_witness;
mod counted_wire;
mod cut_wire;
mod held_wire;
mod holds;
mod hook_receiver;
pub(crate) mod ledger;
mod linger;
mod mail_server;
mod odd_witness;
mod office;
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
pub(crate) mod signed_log;
mod silent_wire;
pub(crate) mod stripe;
mod wait;
mod wrong_clock;

pub(crate) use answer::Answer;
pub(crate) use catalog::{Concert, ConcertOptions};
pub(crate) use child::ChildInstance;
pub(crate) use child_witness::ChildWitness;
pub(crate) use counted_wire::{CountedWire, Waits};
pub(crate) use cut_wire::CutWire;
pub(crate) use held_wire::HeldWire;
pub(crate) use holds::{Hold, agree_on, lapse_holds};
pub(crate) use hook_receiver::{HookAnswer, HookReceiver};
pub(crate) use linger::Death;
pub(crate) use mail_server::{AttachedFile, MailServer, Received};
pub(crate) use odd_witness::OddWitness;
pub(crate) use office::{Office, app, config, empty, pool};
pub(crate) use overtaking::{overtaken, until_it_waits};
pub(crate) use pdf::Pdf;
pub(crate) use person::Person;
pub(crate) use pictures::{picture, picture_bomb, picture_form};
pub(crate) use pooler_wire::PoolerWire;
pub(crate) use private_postgres::PrivatePostgres;
pub(crate) use private_redis::{PrivateCluster, PrivateRedis, free_port};
pub(crate) use private_sentinels::PrivateSentinels;
pub(crate) use private_standby::PrivateStandby;
pub(crate) use purchase::Purchase;
pub(crate) use raw::Raw;
pub(crate) use rows::{
    acts, email_of, let_write, read_all, read_all_with, read_one, read_one_with, run_sql,
    run_sql_with,
};
pub(crate) use scripted::Scripted;
pub(crate) use silent_wire::SilentWire;
pub(crate) use stripe::StripeStandIn;
pub(crate) use wait::{LOCK_WAITERS, eventually, until, until_locks_wait};
pub(crate) use wrong_clock::WrongClock;

use std::future::Future;

use tokio::task::JoinSet;

/// Runs all `attempts` at once and returns their answers in no particular order.
pub(crate) async fn storm<F>(attempts: impl IntoIterator<Item = F>) -> Vec<Answer>
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
pub(crate) fn count(answers: &[Answer], status: u16, code: &str) -> usize {
    answers
        .iter()
        .filter(|answer| answer.status == status && (code.is_empty() || answer.code() == code))
        .count()
}
