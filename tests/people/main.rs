//! People and their office: accounts, who may do what, the pages of staff, and what people and programs are sent.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use stagedoor_testing as support;

mod access;
mod accounts;
mod admin;
mod demo;
mod events;
mod mail;
mod security;
mod webhooks;
