//! The line in front of a sale: the queue of a program, and its public logs.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, events, infra, outbox, points, setbacks, text};
use stagedoor_kit::web;
use stagedoor_people::{accounts, audit};
use stagedoor_programs::catalog;

pub mod entry_queue;
