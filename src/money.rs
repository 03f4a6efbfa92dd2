//! Points: every wallet, and every change of one.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, infra, outbox, points, text};
use stagedoor_kit::web;
use stagedoor_people::accounts;

pub mod wallet;
