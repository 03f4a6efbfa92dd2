//! The house: how an instance runs and answers, what always holds, upgrades, and the rules of the source.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod api_reference;
mod browser;
mod clock;
mod fault_histories;
mod guards;
mod metrics;
mod pool;
mod pooler;
mod production;
mod rehearsal;
mod request_keys;
mod roles;
mod round_trips;
mod server;
mod setbacks;
mod silence;
mod standby;
mod statistics;
mod support;
mod tidy;
mod upgrade;
mod verify;
mod web;
