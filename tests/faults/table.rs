//! The table of what happened, docs/FAULTS.md.

use std::{fmt, time::Duration};

use crate::{outcome::Outcome, subject::Subject};

/// What became of all tries of one subject.
#[derive(Debug)]
pub(crate) struct Row {
    subject: Subject,
    outcomes: Vec<Outcome>,
}

impl Row {
    pub(crate) fn new(subject: Subject) -> Self {
        Self { subject, outcomes: Vec::new() }
    }

    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    pub(crate) fn n_violations(&self) -> usize {
        self.outcomes.iter().map(|outcome| outcome.violations.len()).sum()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, what) = (self.subject.name(), self.subject.what());
        if self.outcomes.is_empty() {
            return writeln!(f, "| {name} | {what} | 0 | | | | |");
        }
        let sum = |of: fn(&Outcome) -> usize| self.outcomes.iter().map(of).sum::<usize>();
        let mut secs: Vec<f64> = self
            .outcomes
            .iter()
            .map(|outcome| outcome.recovered_in.unwrap_or(Duration::MAX).as_secs_f64())
            .collect();
        secs.sort_by(f64::total_cmp);
        let median = secs.get(secs.len() / 2).copied().unwrap_or_default();
        let longest = secs.last().copied().unwrap_or_default();
        writeln!(
            f,
            "| {name} | {what} | {} | {} of {} | {} | {} | {median:.1}, at most {longest:.1} |",
            self.outcomes.len(),
            sum(|outcome| outcome.unknown),
            sum(|outcome| outcome.requests),
            sum(|outcome| outcome.sold),
            self.n_violations(),
        )
    }
}

const HEAD: &str = "\
# Faults

Written by `make test-faults`. Each try is a sale to 120 people who come at 12 a second to two or more
instances, buy seats and standing places, click twice, change devices, leave and change their mind;
the fault comes at a random moment of it. Whoever gets no answer asks again with the same request key.

Then each fault strikes inside the program: people go through everything at once (line, holds, payments,
shares, points, refunds, tickets that are offered, accepted and scanned, waiting lists, accounts, what
administrators change), and the first who comes to a failpoint is parked there until the fault has
begun. Failpoints stand before and after each commit, after each script of Redis and each single
statement that writes, and before the answer of each change. Counted are failpoints, those where the
fault came, and the people who bought afterwards. Left out are faults that lose messages one by one.

After that come the sweeps: a purchase for each message of a purchase, which loses just this one.
Counted are purchases, those that lost a message, and the seconds from the beginning of a purchase to its
tickets. The last row is a history; its seconds are those of reading all wallets afterwards.

A violation is whatever must not be: a refusal that no sale has; a 500; a seat given twice, an
acknowledged hold, payment or cancellation that is not there in the end; points that do not add up; a
place in line that goes back or is passed; a violation that `stagedoor verify` finds, during the sale
or after it; a panic in a log; or more than 10 seconds from the end of the fault, without a hand,
until somebody new has bought a ticket.

| fault | what happens | tries | unknown outcomes, of requests | places sold | violations | seconds to the next purchase |
|---|---|---|---|---|---|---|
";

/// Returns the table as a page.
pub(crate) fn page(rows: &[Row], seed: u64) -> String {
    let rows: String = rows.iter().map(ToString::to_string).collect();
    format!("{HEAD}{rows}\nSeed {seed}.\n")
}
