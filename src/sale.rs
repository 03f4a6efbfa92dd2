//! The sale itself: holds and reservations of seats and places, seat maps and waiting lists.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, events, infra, outbox, points, telemetry, text};
use stagedoor_kit::web;
use stagedoor_line::entry_queue;
use stagedoor_money::wallet;
use stagedoor_people::accounts;
use stagedoor_programs::catalog;

pub mod reservation;
