//! The integration tests: one binary, laid out like `src/`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod support;

mod access;
mod account_deletion;
mod accounts;
mod admin;
mod api_reference;
mod browser;
mod catalog;
mod clock;
mod demo;
mod entry_queue;
mod events;
mod fault_histories;
mod guards;
mod locks;
mod mail;
mod metrics;
mod models;
mod payment;
mod pool;
mod pooler;
mod production;
mod rehearsal;
mod request_keys;
mod reservation;
mod roles;
mod round_trips;
mod security;
mod server;
mod silence;
mod standby;
mod statistics;
mod tickets;
mod tidy;
mod upgrade;
mod verify;
mod wallet;
mod web;
mod webhooks;
mod witness;
