//! Stagedoor: a ticket office in one binary. The waiting room, the seat map, the point wallet, the
//! payment and the ticket, in front of one PostgreSQL and one Redis.
//!
//! **PostgreSQL decides, Redis shapes traffic.** ARCHITECTURE.md describes the whole; each feature
//! is described at the top of its `mod.rs`. A module may use the modules to its left in this order,
//! never those to its right:
//!
//! `config < telemetry < text < infra < office < app < web < points < events, outbox < accounts < audit
//! < catalog < wallet < entry_queue < reservation < tickets < payment < mail, webhooks <
//! account_deletion, admin, demo, personal_data < verify < workers < rehearsal, witness <
//! api_reference, office_pages < routes < server < lib < fuzz, offline, rehearse_arguments < main`

mod account_deletion;
pub mod accounts;
pub mod admin;
pub mod api_reference;
pub mod app;
mod audit;
pub mod catalog;
pub mod config;
pub mod demo;
pub mod entry_queue;
pub mod events;
#[cfg(test)]
mod fuzz;
pub mod infra;
pub mod mail;
pub mod office;
mod office_pages;
pub mod outbox;
pub mod payment;
mod personal_data;
mod points;
pub mod rehearsal;
pub mod reservation;
pub mod routes;
pub mod server;
pub mod telemetry;
mod text;
mod tickets;
pub mod verify;
pub mod wallet;
pub mod web;
pub mod webhooks;
pub mod witness;
pub mod workers;
