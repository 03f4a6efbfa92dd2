//! What follows a hold: its payment, and its tickets.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, events, infra, office, outbox, points, setbacks, text};
use stagedoor_kit::web;
use stagedoor_line::entry_queue;
use stagedoor_money::wallet;
use stagedoor_people::{accounts, audit};
use stagedoor_programs::catalog;
use stagedoor_sale::reservation;

pub mod payment;
pub mod receipts;
pub mod tickets;
