//! What a rehearsal was like, for people and for programs.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

use super::{
    browser::{Event, Outcome, Step},
    checker::Verdict,
    model::Violation,
};

/// One kind of request.
#[derive(Clone, Debug, Serialize)]
struct StepReport {
    step: Step,
    requests: usize,
    ok: usize,
    per_second: f64,
    /// From the moment the person wanted to ask: a request that waited to be sent waited.
    latency_ms: Latency,
    /// How many were refused, by code.
    refused: BTreeMap<String, usize>,
    /// How many nobody knows the end of, by reason.
    unknown: BTreeMap<String, usize>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Latency {
    p50: f64,
    p90: f64,
    p99: f64,
    max: f64,
}

impl Latency {
    fn of(mut latencies_us: Vec<u64>) -> Self {
        latencies_us.sort_unstable();
        let at = |per_thousand: usize| {
            let idx =
                (latencies_us.len() * per_thousand / 1_000).min(latencies_us.len().max(1) - 1);
            millis(latencies_us.get(idx).copied().unwrap_or_default())
        };
        Self { p50: at(500), p90: at(900), p99: at(990), max: at(1_000) }
    }
}

/// Microseconds as milliseconds with their fraction.
fn millis(us: u64) -> f64 {
    f64::from(u32::try_from(us).unwrap_or(u32::MAX)) / 1_000.0
}

/// The whole report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    people: usize,
    seconds: f64,
    seats_sold: usize,
    order_inversion_max: i64,
    steps: Vec<StepReport>,
    /// What clients saw and must not have seen.
    broken: Vec<String>,
    /// What `verify` found, where it could look.
    violations: Vec<String>,
}

impl Report {
    pub(super) fn of(
        people: usize,
        events: &[Event],
        verdict: Verdict,
        violations: &[Violation],
    ) -> Self {
        let ended_us = events.iter().map(|event| event.ended_us).max().unwrap_or_default();
        let seconds = millis(ended_us) / 1_000.0;
        let mut by_step: BTreeMap<Step, Vec<&Event>> = BTreeMap::new();
        for event in events {
            by_step.entry(event.step).or_default().push(event);
        }
        let steps: Vec<StepReport> =
            by_step.into_iter().map(|(step, events)| step_report(step, &events, seconds)).collect();
        let sold = steps.iter().find(|report| report.step == Step::Pay);
        Self {
            people,
            seconds,
            seats_sold: sold.map_or(0, |report| report.ok),
            order_inversion_max: verdict.inversion_max,
            steps,
            broken: verdict.broken,
            violations: violations.iter().map(ToString::to_string).collect(),
        }
    }

    /// Whether everything was as it must be.
    pub fn is_clean(&self) -> bool {
        self.broken.is_empty() && self.violations.is_empty()
    }
}

fn step_report(step: Step, events: &[&Event], seconds: f64) -> StepReport {
    let (mut refused, mut unknown, mut ok) = (BTreeMap::new(), BTreeMap::new(), 0);
    for event in events {
        match &event.outcome {
            Outcome::Ok => ok += 1,
            Outcome::Refused(code) => *refused.entry(code.clone()).or_default() += 1,
            Outcome::Unknown(why) => *unknown.entry(why.clone()).or_default() += 1,
        }
    }
    let n = f64::from(u32::try_from(events.len()).unwrap_or(u32::MAX));
    StepReport {
        step,
        requests: events.len(),
        ok,
        per_second: if seconds > 0.0 { n / seconds } else { 0.0 },
        latency_ms: Latency::of(events.iter().map(|event| event.latency_us()).collect()),
        refused,
        unknown,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} people in {:.1} s; {} paid", self.people, self.seconds, self.seats_sold)?;
        writeln!(f, "largest order inversion: {}", self.order_inversion_max)?;
        writeln!(
            f,
            "{:<8}{:>9}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "", "requests", "ok", "per s", "p50 ms", "p90 ms", "p99 ms", "max ms"
        )?;
        for step in &self.steps {
            let Latency { p50, p90, p99, max } = step.latency_ms;
            let name = format!("{:?}", step.step).to_lowercase();
            let (n, ok, rate) = (step.requests, step.ok, step.per_second);
            writeln!(
                f,
                "{name:<8}{n:>9}{ok:>9}{rate:>10.1}{p50:>10.1}{p90:>10.1}{p99:>10.1}{max:>10.1}"
            )?;
            for (code, n) in &step.refused {
                writeln!(f, "{n:>17} refused: {code}")?;
            }
            for (why, n) in &step.unknown {
                writeln!(f, "{n:>17} unknown: {why}")?;
            }
        }
        for sentence in self.broken.iter().chain(&self.violations) {
            writeln!(f, "{sentence}")?;
        }
        let verdict =
            if self.is_clean() { "Everything that must be true is true." } else { "NOT CLEAN" };
        write!(f, "{verdict}")
    }
}
