//! People: their accounts, and the audit log of what staff do.

#![expect(
    missing_docs,
    reason = "many fields are said by their names; tests/house/tidy sees to the rest"
)]

use stagedoor_base::{app, config, infra, outbox, text};
use stagedoor_kit::web;

pub mod accounts;
pub mod audit;
