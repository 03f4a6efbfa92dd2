//! Rehearsals: an on-sale with made-up shoppers over HTTP, against a program of its own.
//!
//! A **rehearsal** is an on-sale whose **shoppers** are accounts made for it, on a **stage**: a
//! program with its venue, performance and zone. All ids of the stage and of the accounts are
//! marked (`infra::throwaway`). Its **history** is the list of requests with their outcomes; its
//! **verdict** compares the history with the promises of the product.
//!
//! # Invariants
//!
//! - A rehearsal touches only its own program and accounts, and removes them; the rows of a killed
//!   rehearsal are removed by the next one.
//! - No shopper joins a real queue or moves points to a real account, and no real account joins a
//!   rehearsal's queue.
//! - No rehearsal page answers over HTTP without the deployment's rehearsal token.
//! - A rehearsal ends: after a bounded time, and after a bounded number of requests.
//!
//! # Concurrency
//!
//! Shoppers run as concurrent tasks, and rehearsals may run beside each other up to a bound.
//! Shoppers are added to a stage under a lock on its program, so that their number stays bounded.
//! Two rehearsals may remove the same old stage: one of them does, and the other goes on.

mod browser;
mod checker;
mod choosing;
pub(crate) mod error;
mod final_check;
pub(crate) mod fixtures;
mod history;
mod output;
pub(crate) mod pages;
mod progress;
mod provisioning;
mod rehearse;
mod report;
mod shopper;

pub use choosing::Choosing;
pub use error::RehearsalError;
pub use progress::Bar;
pub use rehearse::{Access, Rehearsal, RehearsalResult};
