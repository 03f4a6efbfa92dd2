//! Refund terms as they are sent: the document of programs, the rows of a form, and the names of presets.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Deserialize;
use strum::VariantArray as _;

use crate::{
    admin::pages::{NUMBER, number},
    catalog::{
        RefundTerms,
        programs::refund_terms::{
            DAYS, Deadline, FEE_MAX, FreePeriod, HOURS, Preset, STEPS_MAX, TermStep, TermsMistake,
        },
    },
    points::Points,
    web::form::{Field, FormRefusal, Mistakes},
};

/// Names under which the fields of each step are refused: percent, fee and deadline.
const NAMES: [[&str; 3]; STEPS_MAX] = [
    ["refund_terms.1.percent", "refund_terms.1.fee", "refund_terms.1.until"],
    ["refund_terms.2.percent", "refund_terms.2.fee", "refund_terms.2.until"],
    ["refund_terms.3.percent", "refund_terms.3.fee", "refund_terms.3.until"],
    ["refund_terms.4.percent", "refund_terms.4.fee", "refund_terms.4.until"],
    ["refund_terms.5.percent", "refund_terms.5.fee", "refund_terms.5.until"],
    ["refund_terms.6.percent", "refund_terms.6.fee", "refund_terms.6.until"],
];
const FREE_HOURS: &str = "refund_free_hours";
const FREE_DAYS: &str = "refund_free_days";

/// Range of percentages.
pub(super) const PERCENT: RangeInclusive<i32> = 0..=100;

/// One step as it was sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TypedStep {
    /// Hours before the beginning, or else:
    hours: Field,
    /// Days before the beginning, at the same time of day, or with `at`:
    days: Field,
    /// Time on that day on the clock of the venue, such as `18:00`; `24:00` is its end.
    at: Field,
    /// Share of what was paid, in percent (0-100).
    percent: Field,
    /// Points that an order is given less; empty: 0.
    fee: Field,
}

impl TypedStep {
    /// Reads the step; `None` where a mistake was noted under `names`.
    fn read(&self, mistakes: &mut Mistakes, names: [&'static str; 3]) -> Option<TermStep> {
        let [percent_name, fee_name, until_name] = names;
        let percent = mistakes.note(percent_name, NUMBER, number(&self.percent, &PERCENT));
        let fee = if self.fee.is_empty() { Some(0) } else { self.fee.parse::<i64>() };
        let fee = fee.filter(|fee| *fee <= FEE_MAX).and_then(Points::new);
        let fee = mistakes.note(fee_name, NUMBER, fee);
        let until = mistakes.note(until_name, "admin-refusal-refund-until", self.deadline());
        Some(TermStep { until: until?, percent: percent?, fee: fee? })
    }

    fn deadline(&self) -> Option<Deadline> {
        let days = || number(&self.days, &DAYS);
        match (self.hours.is_empty(), self.days.is_empty(), self.at.is_empty()) {
            (false, true, true) => Some(Deadline::Hours { hours: number(&self.hours, &HOURS)? }),
            (true, false, true) => Some(Deadline::Days { days: days()? }),
            (true, false, false) => Some(Deadline::At { days: days()?, at: self.at.parse()? }),
            _ => None,
        }
    }
}

/// Refund terms as programs send them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TypedTerms {
    /// At most six steps, from early to late; none: nothing is given back.
    pub steps: Vec<TypedStep>,
    /// Hours after the payment in which everything is given back; with `free_until_days`.
    pub(super) free_within_hours: Field,
    /// Days before the beginning at which that ends.
    pub(super) free_until_days: Field,
}

impl TypedTerms {
    /// Reads the terms; `None` where a mistake was noted.
    pub(super) fn read(&self, mistakes: &mut Mistakes) -> Option<RefundTerms> {
        let fits = Some(&self.steps).filter(|steps| steps.len() <= STEPS_MAX);
        let typed = mistakes.note("refund_terms", "admin-refusal-refund-steps", fits)?;
        let steps = typed.iter().zip(NAMES).map(|(step, names)| step.read(mistakes, names));
        // Each step notes its own mistakes, also behind another one.
        let steps: Vec<_> = steps.collect();
        let free = self.read_free(mistakes);
        let steps = steps.into_iter().collect::<Option<Vec<_>>>()?;
        match RefundTerms::new(steps, free?) {
            Ok(terms) => Some(terms),
            Err(mistake) => {
                let (name, reason) = named(mistake)?;
                mistakes.note(name, reason, None)
            }
        }
    }

    /// Reads the period in which everything is given back: `Some(None)` without one.
    #[expect(clippy::option_option, reason = "a period that is not there is no mistake")]
    fn read_free(&self, mistakes: &mut Mistakes) -> Option<Option<FreePeriod>> {
        if self.free_within_hours.is_empty() && self.free_until_days.is_empty() {
            return Some(None);
        }
        let hours = number(&self.free_within_hours, &HOURS).filter(|hours| *hours > 0);
        let within_hours = mistakes.note(FREE_HOURS, NUMBER, hours);
        let until_days = mistakes.note(FREE_DAYS, NUMBER, number(&self.free_until_days, &DAYS));
        Some(Some(FreePeriod { within_hours: within_hours?, until_days: until_days? }))
    }
}

/// Returns the field of a mistake, and why it is refused.
fn named(mistake: TermsMistake) -> Option<(&'static str, &'static str)> {
    let (idx, part, reason) = match mistake {
        TermsMistake::OutOfOrder(idx) => (idx, 2, "admin-refusal-refund-order"),
        TermsMistake::PercentRises(idx) => (idx, 0, "admin-refusal-refund-rises"),
        TermsMistake::FeeFalls(idx) => (idx, 1, "admin-refusal-refund-fee"),
    };
    Some((NAMES.get(idx)?.get(part)?, reason))
}

/// Row of the form, as it is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefundRow {
    pub percent: Field,
    pub fee: Field,
    pub count: Field,
    pub is_in_hours: bool,
    pub time: Field,
}

impl RefundRow {
    pub(super) fn of(step: &TermStep) -> Self {
        let (count, is_in_hours, time) = match step.until {
            Deadline::Hours { hours } => (hours, true, Field::default()),
            Deadline::Days { days } => (days, false, Field::default()),
            Deadline::At { days, at } => (days, false, Field::of(at)),
        };
        let fee =
            if step.fee == Points::ZERO { Field::default() } else { Field::of(step.fee.get()) };
        Self { percent: Field::of(step.percent), fee, count: Field::of(count), is_in_hours, time }
    }

    pub(super) fn is_empty(&self) -> bool {
        [&self.percent, &self.fee, &self.count, &self.time].iter().all(|field| field.is_empty())
    }

    pub(super) fn step(self) -> TypedStep {
        let none = Field::default();
        let (hours, days) = if self.is_in_hours { (self.count, none) } else { (none, self.count) };
        TypedStep { hours, days, at: self.time, percent: self.percent, fee: self.fee }
    }

    /// Returns the locale key of why a field of row `idx` is refused.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
    pub(crate) fn mistake(refusal: &FormRefusal, idx: &usize) -> Option<&'static str> {
        let names = NAMES.get(*idx)?;
        let first: &[&str] =
            if *idx == 0 { &["refund_percent", "refund_until_hours"] } else { &[] };
        names.iter().chain(first).find_map(|name| refusal.of(name))
    }
}

/// Lists the presets with their names in the form and their locale keys.
pub(crate) fn presets() -> impl Iterator<Item = (String, String)> {
    Preset::VARIANTS.iter().map(|preset| {
        let name = preset.as_ref().to_owned();
        let key = format!("admin-program-refund-preset-{name}");
        (name, key)
    })
}
