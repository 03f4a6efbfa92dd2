//! What leaves for people and for the systems of others: mails and webhooks.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, events, infra, office, outbox, points, text};
use stagedoor_checkout::tickets;
use stagedoor_kit::web;
use stagedoor_line::entry_queue;
use stagedoor_money::wallet;
use stagedoor_people::accounts;
use stagedoor_sale::reservation;

pub mod mail;
pub mod webhooks;
