//! What a run of the suite is asked for.

use std::path::PathBuf;

use clap::Parser;

/// Breaks an office in the middle of sales, and checks that nothing is lost, sold twice or reordered.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// Seed of what happens when; printed by each run, so that it can be repeated.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Only these faults.
    #[arg(long, num_args = 1.., value_name = "FAULT")]
    pub(crate) only: Vec<String>,
    /// Tries of each fault.
    #[arg(long, default_value_t = 1)]
    pub(crate) tries: u64,
    /// Requests of a history.
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub(crate) operations: usize,
    /// Begin no further try after this many seconds; the faults come in an order of the seed's.
    #[arg(long)]
    pub(crate) seconds: Option<u64>,
    /// Write the table of what happened to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// List the faults and end.
    #[arg(long)]
    pub(crate) list: bool,
}
