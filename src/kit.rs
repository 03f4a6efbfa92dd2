//! The HTTP kit, which every page uses and no feature owns.

/// Named by what `problems!` writes into other crates.
pub use stagedoor_base::infra;
use stagedoor_base::{app, config, office, telemetry, text};

pub mod web;
