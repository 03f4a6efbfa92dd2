//! Arguments of the command that rehearses an on-sale.

use std::path::PathBuf;

use clap::Args;
use stagedoor::rehearsal::{Choosing, Rehearsal};
use url::Url;

/// Arguments of `stagedoor rehearse`.
#[derive(Args, Clone)]
pub(crate) struct RehearseArguments {
    /// Address of the deployment.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    target: Url,
    /// Number of people who take part.
    #[arg(long, default_value_t = 500)]
    people: usize,
    /// Arrivals a second, independent of answers; without it all arrive at the beginning.
    #[arg(long, value_name = "RATE")]
    open_loop: Option<f64>,
    /// Seconds that people take to choose, such as `20`, or `20..40` if that changes while the
    /// rehearsal runs; without it they take none.
    #[arg(long, value_name = "SECONDS")]
    choosing: Option<Choosing>,
    /// Write every request with its outcome to this file, as JSON lines.
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Write the report to this file, as a page with charts.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

impl RehearseArguments {
    /// Returns the rehearsal that was asked for.
    pub(crate) fn rehearsal(&self) -> Rehearsal {
        let Self { target, people, open_loop, choosing, history, html, json: _ } = self.clone();
        Rehearsal { target, people, open_loop, choosing, history, html }
    }
}
