//! Stagedoor: a ticket office in one binary. The waiting room, the seat map, the point wallet, the
//! payment and the ticket, in front of one PostgreSQL and one Redis.
//!
//! **PostgreSQL decides, Redis shapes traffic.** ARCHITECTURE.md describes the whole; each feature
//! is described at the top of its `mod.rs`. Most are in a crate below this one (`crates/`), and keep here the name that
//! they have in `src/`. A module may use the modules to its left in this order,
//! never those to its right:
//!
//! `config < telemetry < text < infra < office < app < setbacks < points < events, outbox < web < accounts < audit
//! < catalog < wallet < entry_queue < reservation < tickets < payment < receipts < mail, webhooks <
//! account_deletion, admin, demo, personal_data < verify < workers < rehearsal, witness <
//! api_reference, office_pages < routes < server < lib < fuzz, offline, rehearse_arguments < main`

use stagedoor_base::text;
pub use stagedoor_base::{app, config, events, infra, office, outbox, setbacks, telemetry};
pub use stagedoor_checkout::payment;
pub use stagedoor_checkout::receipts;
use stagedoor_checkout::tickets;
pub use stagedoor_kit::web;
pub use stagedoor_line::entry_queue;
use stagedoor_management::{account_deletion, personal_data};
pub use stagedoor_management::{admin, demo};
pub use stagedoor_money::wallet;
pub use stagedoor_outgoing::{mail, webhooks};
pub use stagedoor_people::accounts;
pub use stagedoor_programs::catalog;
pub use stagedoor_sale::reservation;

pub mod api_reference;
#[cfg(test)]
mod fuzz;
mod office_pages;
pub mod rehearsal;
pub mod routes;
pub mod server;
pub mod verify;
pub mod witness;
pub mod workers;
