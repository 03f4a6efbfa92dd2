//! What can be sold: programs, performances and venues.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, events, infra, outbox, points, text};
use stagedoor_kit::web;
use stagedoor_people::accounts;

pub mod catalog;
