//! The fault suite: an office with all its servers and wires, which are broken in the middle of sales.
//!
//! A **strike** is a fault while work is parked at a failpoint, a moment inside the program. A **sweep**
//! loses each message of a purchase in turn; a **history** is what many people were answered
//! while faults came one after the other.
//!
//! A **world** is an office in processes of its own. A **fault** is something that happens to it, at a
//! moment that the seed decides. A **try** is one fault in one world during one sale, with the checks
//! afterwards. What a sale is and what people must see is `stagedoor rehearse`'s matter.
#![expect(clippy::indexing_slicing, reason = "a try that cannot go on has failed")]

mod arguments;
mod attempt;
mod clock;
mod disk;
mod failpoints;
mod fault;
mod haproxy;
mod history;
mod instance;
mod leg;
mod names;
mod outcome;
mod postgres;
mod processes;
mod purchase;
mod servers;
mod strike;
mod subject;
mod support;
mod sweep;
mod table;
mod template;
mod wire;
mod world;

use std::{
    io::{self, Write},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

use arguments::Arguments;
use outcome::Outcome;
use subject::Subject;
use table::Row;
use template::Template;

/// Why the suite cannot go on.
type Failure = Box<dyn std::error::Error>;

/// Where what was said during tries with violations is kept.
const KEPT: &str = "target/faults";

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            // A failed write is ignored: nothing is left to report that standard error is closed.
            let _ = writeln!(io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what was asked for; whether no try found a violation.
async fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let mut out = io::stdout();
    let subjects = chosen(arguments)?;
    if arguments.list {
        for subject in &subjects {
            writeln!(out, "{:<38}{}", subject.name(), subject.what())?;
        }
        return Ok(true);
    }
    let seed = arguments.seed.unwrap_or_else(rand::random);
    writeln!(out, "Repeat with --seed {seed}")?;
    let mut rows: Vec<Row> = subjects.iter().map(|subject| Row::new(*subject)).collect();
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    order.shuffle(&mut StdRng::seed_from_u64(seed));
    let template = Template::make().await?;
    let began = Instant::now();
    let is_sampled = arguments.seconds.is_some();
    let is_over =
        || arguments.seconds.is_some_and(|secs| began.elapsed() > Duration::from_secs(secs));
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for round in 0..arguments.tries {
        for nth in order.iter().copied().take_while(|_| !is_over()) {
            let (subject, seed) = (&subjects[nth], seed.wrapping_add(round));
            let outcome = subject.attempt(&template, seed, is_sampled, KEPT.as_ref()).await;
            let outcome = outcome.unwrap_or_else(|failure| Some(Outcome::failed(&*failure)));
            let Some(outcome) = outcome else {
                writeln!(out, "{:<38}SKIPPED: this machine lacks what it needs", subject.name())?;
                skipped += 1;
                continue;
            };
            tell(&mut out, subject, seed, &outcome)?;
            if outcome.violations.is_empty() {
                passed += 1;
            } else {
                failed += 1;
            }
            rows[nth].add(outcome);
        }
    }
    if let Some(report) = &arguments.report {
        std::fs::write(report, table::page(&rows, seed))?;
    }
    writeln!(out, "{passed} passed, {failed} failed, {skipped} skipped")?;
    Ok(failed == 0)
}

fn tell(
    out: &mut impl Write,
    subject: &Subject,
    seed: u64,
    outcome: &Outcome,
) -> Result<(), Failure> {
    let Outcome { violations, recovered_in, requests, unknown, sold } = outcome;
    let secs = recovered_in.map_or(f64::INFINITY, |took| took.as_secs_f64());
    let verdict = if violations.is_empty() { "ok" } else { "FAILED" };
    writeln!(
        out,
        "{:<38}{verdict:<8}{unknown:>5} unknown of {requests:>5}, {sold:>3} sold, {secs:>5.1} s  (seed {seed})",
        subject.name()
    )?;
    for violation in violations {
        writeln!(out, "    {violation}")?;
    }
    Ok(())
}

/// Returns what was asked for.
fn chosen(arguments: &Arguments) -> Result<Vec<Subject>, Failure> {
    let all = Subject::all(arguments.operations);
    let is_known = |name: &String| all.iter().any(|subject| subject.name() == *name);
    if let Some(unknown) = arguments.only.iter().find(|name| !is_known(name)) {
        return Err(format!("{unknown} is no fault: see --list").into());
    }
    let is_meant = |subject: &Subject| {
        arguments.only.is_empty() || arguments.only.iter().any(|name| *name == subject.name())
    };
    Ok(all.into_iter().filter(is_meant).collect())
}
