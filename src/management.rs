//! Work on a whole office or a whole account: the pages of administrators, demo data, the deletion
//! and the export of personal data.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, events, infra, office, outbox, points, setbacks, text};
use stagedoor_checkout::{payment, receipts, tickets};
use stagedoor_kit::web;
use stagedoor_line::entry_queue;
use stagedoor_money::wallet;
use stagedoor_outgoing::{mail, webhooks};
use stagedoor_people::{accounts, audit};
use stagedoor_programs::catalog;
use stagedoor_sale::reservation;

pub mod account_deletion;
pub mod admin;
pub mod demo;
pub mod personal_data;
