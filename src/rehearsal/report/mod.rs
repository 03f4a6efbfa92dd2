//! Report of a rehearsal, as text, JSON or a page.

mod estimates;
mod latency;
mod page;
mod timeline;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::Serialize;

use self::{
    estimates::Estimates,
    latency::{Latency, millis},
    timeline::Timeline,
};
use super::{
    checker::Verdict,
    history::{Event, INTERRUPTED, Outcome, Step},
};
use crate::verify::Violation;

/// Reason why the rehearsal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ended {
    /// All shoppers have finished.
    AllFinished,
    /// The rehearsal was interrupted.
    Interrupted,
    /// The time of a rehearsal was over.
    TimeOver,
    /// The number of requests reached its bound.
    HistoryFull,
}

impl Ended {
    fn sentence(self) -> &'static str {
        match self {
            Self::AllFinished => "All shoppers have finished.",
            Self::Interrupted => "It was interrupted.",
            Self::TimeOver => "It took as long as a rehearsal may take, and was ended.",
            Self::HistoryFull => "It asked as often as a rehearsal may ask, and was ended.",
        }
    }
}

/// Facts for the report that are not in the history.
#[derive(Clone, Debug)]
pub(crate) struct Circumstances {
    pub(crate) target: String,
    pub(crate) people: usize,
    pub(crate) open_loop: Option<f64>,
    pub(crate) ended: Ended,
    /// Violations that `verify` found; `Err` says why it could not run.
    pub(crate) violations: Result<Vec<Violation>, String>,
}

/// Count of one reason for requests that did not succeed.
#[derive(Clone, Debug, Serialize)]
struct Refusal {
    step: Step,
    /// Code of the refusal; for an unknown outcome, the error in place of an answer.
    code: String,
    count: usize,
    /// Whether shoppers with these habits must expect the refusal.
    is_expected: bool,
    is_unknown: bool,
}

/// Figures of one kind of request.
#[derive(Clone, Debug, Serialize)]
struct StepReport {
    step: Step,
    requests: usize,
    ok: usize,
    per_second: f64,
    /// Latency from the moment the shopper wanted to send the request, including polls that a late
    /// answer held up.
    latency_ms: Latency,
    /// Latency from sending to answer: the latency as a client that waits for its answers measures it.
    answer_ms: Latency,
}

/// Report of a rehearsal.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    target: String,
    people: usize,
    open_loop: Option<f64>,
    ended: Ended,
    seconds: f64,
    seats_sold: usize,
    order_inversion_max: i64,
    /// Estimated waits that were shown after the first five minutes.
    estimates: Estimates,
    steps: Vec<StepReport>,
    refusals: Vec<Refusal>,
    timeline: Timeline,
    /// Broken promises that clients saw.
    broken: Vec<String>,
    /// Number of shoppers whose final state could not be read.
    unseen: usize,
    /// Violations that `verify` found; `None` if it could not run.
    violations: Option<Vec<String>>,
    /// Reason why `verify` could not run.
    not_verified: Option<String>,
}

impl Report {
    pub(crate) fn of(events: &[Event], verdict: Verdict, about: Circumstances) -> Self {
        let requests: Vec<&Event> = events.iter().filter(|event| !event.is_final).collect();
        let ended_us = requests.iter().map(|event| event.ended_us).max().unwrap_or_default();
        let seconds = millis(ended_us) / 1_000.0;
        let mut by_step: BTreeMap<Step, Vec<&Event>> = BTreeMap::new();
        for event in &requests {
            by_step.entry(event.step).or_default().push(event);
        }
        let (violations, not_verified) = match about.violations {
            Ok(found) => (Some(found.iter().map(ToString::to_string).collect()), None),
            Err(why) => (None, Some(why)),
        };
        Self {
            target: about.target,
            people: about.people,
            open_loop: about.open_loop,
            ended: about.ended,
            seconds,
            seats_sold: places_paid(&requests),
            order_inversion_max: verdict.inversion_max,
            estimates: Estimates::of(&requests),
            steps: by_step
                .iter()
                .map(|(step, events)| step_report(*step, events, seconds))
                .collect(),
            refusals: refusals(&requests),
            timeline: Timeline::of(&requests, ended_us),
            broken: verdict.broken,
            unseen: verdict.unseen,
            violations,
            not_verified,
        }
    }

    /// Whether neither a broken promise nor a violation was found.
    pub fn is_clean(&self) -> bool {
        self.broken.is_empty() && self.violations.as_ref().is_none_or(Vec::is_empty)
    }

    fn verdict(&self) -> &'static str {
        match (self.is_clean(), &self.violations) {
            (true, Some(_)) => "Everything that must be true is true.",
            (true, None) => "Everything that clients saw is as it must be.",
            (false, _) => "NOT CLEAN",
        }
    }

    /// Lists the violations, and promises that could not be checked.
    fn problems(&self) -> impl Iterator<Item = String> {
        let unseen = (self.unseen > 0).then(|| {
            format!("{} people could not be asked in the end what they have.", self.unseen)
        });
        let not_verified = self.not_verified.as_ref().map(|why| format!("Not verified: {why}"));
        let found = self.broken.iter().chain(self.violations.iter().flatten()).cloned();
        found.chain(unseen).chain(not_verified)
    }

    fn arrivals(&self) -> String {
        match self.open_loop {
            Some(rate) => format!("{rate} a second, regardless of answers"),
            None => "all at once".to_owned(),
        }
    }
}

/// Counts seats and places that were paid; a reservation paid by a double click counts once.
fn places_paid(events: &[&Event]) -> usize {
    let done = |step| events.iter().filter(move |event| event.step == step && event.is_ok());
    let paid: BTreeSet<_> = done(Step::Pay).filter_map(|event| event.reservation_id).collect();
    let held: BTreeMap<_, _> =
        done(Step::Hold).filter_map(|event| Some((event.reservation_id?, event.places))).collect();
    paid.iter().filter_map(|id| held.get(id)).sum()
}

/// Whether shoppers who click twice, come too late and cancel must expect `code`; `is_repeated` says that
/// an earlier try at the same cancellation got no answer, and may have been carried out.
fn is_expected(step: Step, code: &str, is_repeated: bool) -> bool {
    match step {
        Step::Join => code == "token-already-issued",
        Step::Leave => code == "no-token",
        Step::Hold => {
            matches!(code, "seat-unavailable" | "sold-out" | "waiting" | "already-processing")
        }
        Step::Pay => matches!(code, "already-paid" | "already-processing"),
        Step::Cancel => code == "invalid-state" && is_repeated,
        Step::Poll | Step::Map | Step::Reservations | Step::Wallet => false,
    }
}

fn refusals(events: &[&Event]) -> Vec<Refusal> {
    let unanswered: BTreeSet<_> = events
        .iter()
        .filter(|event| event.step == Step::Cancel && event.is_unknown())
        .filter_map(|event| event.reservation_id)
        .collect();
    let mut refusals: BTreeMap<(Step, bool, &str), Refusal> = BTreeMap::new();
    for event in events {
        let (step, is_unknown, code) = match &event.outcome {
            Outcome::Ok => continue,
            Outcome::Refused(code) => (event.step, false, code),
            Outcome::Unknown(why) => (event.step, true, why),
        };
        let is_repeated = event.reservation_id.is_some_and(|id| unanswered.contains(&id));
        let is_expected = match is_unknown {
            true => code == INTERRUPTED,
            false => is_expected(step, code, is_repeated),
        };
        let (key, code) = (code.as_str(), code.clone());
        let none = Refusal { step, code, count: 0, is_expected: true, is_unknown };
        let refusal = refusals.entry((step, is_unknown, key)).or_insert(none);
        refusal.count += 1;
        refusal.is_expected &= is_expected;
    }
    refusals.into_values().collect()
}

fn step_report(step: Step, events: &[&Event], seconds: f64) -> StepReport {
    let n = f64::from(u32::try_from(events.len()).unwrap_or(u32::MAX));
    StepReport {
        step,
        requests: events.len(),
        ok: events.iter().filter(|event| event.is_ok()).count(),
        per_second: if seconds > 0.0 { n / seconds } else { 0.0 },
        latency_ms: Latency::corrected(events),
        answer_ms: Latency::of_answers(events),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { people, seconds, seats_sold, .. } = self;
        writeln!(f, "{people} people came to {}, {}.", self.target, self.arrivals())?;
        writeln!(f, "{} {seconds:.1} s; {seats_sold} places sold.", self.ended.sentence())?;
        writeln!(f, "Largest order inversion: {}.", self.order_inversion_max)?;
        if let Some(percent) = self.estimates.percent() {
            let n = self.estimates.compared;
            writeln!(f, "{n} waits were estimated, {percent} % of them within a fifth.")?;
        }
        writeln!(
            f,
            "\n{:<8}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>10}{:>12}",
            "", "requests", "ok", "per s", "p50 ms", "p90 ms", "p99 ms", "max ms", "p99 answer"
        )?;
        for step in &self.steps {
            let Latency { p50, p90, p99, max } = step.latency_ms;
            let (n, ok, rate) = (step.requests, step.ok, step.per_second);
            writeln!(
                f,
                "{:<8}{n:>9}{ok:>9}{rate:>9.1}{p50:>10.1}{p90:>10.1}{p99:>10.1}{max:>10.1}{:>12.1}",
                step.step.as_ref(),
                step.answer_ms.p99
            )?;
        }
        if !self.refusals.is_empty() {
            writeln!(f)?;
        }
        for refusal in &self.refusals {
            let Refusal { step, code, count, is_unknown, .. } = refusal;
            let kind = if *is_unknown { "unknown" } else { "refused" };
            let note = if refusal.is_expected { "" } else { "  UNEXPECTED" };
            writeln!(f, "{:<8}{count:>9} {kind}: {code}{note}", step.as_ref())?;
        }
        writeln!(f)?;
        for sentence in self.problems() {
            writeln!(f, "{sentence}")?;
        }
        write!(f, "{}", self.verdict())
    }
}
