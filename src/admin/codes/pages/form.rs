//! Forms of codes, as sent.

use std::ops::RangeInclusive;

use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{parse_limit, parse_optional, parse_text},
    catalog::ScheduleId,
    entry_queue::NewAccessGate,
    points::Points,
    reservation::codes::model::{CodeLimits, CodeWord, NewCode},
    web::form::{Field, Mistakes, local_time::parse_optional_time},
};

/// Random codes that one form makes.
const COUNT: RangeInclusive<i32> = 1..=1_000;
const PERCENT: RangeInclusive<i32> = 1..=100;
/// Highest number of points taken off, as the highest price.
const AMOUNT_MAX: i64 = 1_000_000_000;
const SECTION_CHARS_MAX: usize = 100;

/// New codes: one with a word, or some with random ones.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodesForm {
    /// Word; empty for random ones.
    pub code: Field,
    /// Number of random codes; empty: one.
    pub count: Field,
    /// Box: the codes open their section instead of taking something off.
    pub access: Field,
    /// Percentage that they take off.
    pub percent: Field,
    /// Points that they take off an order.
    pub amount: Field,
    /// Local times in the program's time zone, or RFC 3339; empty: without a bound.
    pub valid_from: Field,
    /// End, likewise.
    pub valid_until: Field,
    /// Reservations that may use it; empty: any number.
    pub uses_max: Field,
    /// Places that they may have together; empty: any number, as with access codes.
    pub places_max: Field,
    /// Uses of one account; empty: any number.
    pub uses_per_account_max: Field,
    /// Performance they are for; empty: all.
    pub schedule_id: Field,
    /// Section they are for; empty: all.
    pub section: Field,
    /// Access gate that the codes share: when it opens, a local time, and its capacity; both empty: none.
    pub gate_opens_at: Field,
    /// Capacity of the access gate.
    pub gate_capacity: Field,
}

impl CodesForm {
    /// Whether the box is checked.
    pub(crate) fn is_access(&self) -> bool {
        self.access.flag() == Some(true)
    }

    /// Returns the words and their terms; times are in `zone`.
    pub(super) fn parse(&self, zone: Tz) -> Result<(Vec<CodeWord>, NewCode), Mistakes> {
        let mut mistakes = Mistakes::default();
        let words = self.words(&mut mistakes);
        let is_access = mistakes.note("access", "admin-refusal-flag", self.access.flag());
        let terms = self.discount(&mut mistakes, is_access.unwrap_or(false));
        let valid_from = parse_optional_time(&mut mistakes, "valid_from", &self.valid_from, zone);
        let valid_until =
            parse_optional_time(&mut mistakes, "valid_until", &self.valid_until, zone);
        let valid = valid_from.zip(valid_until).filter(|(from, until)| match (from, until) {
            (Some(from), Some(until)) => from < until,
            _ => true,
        });
        let valid = mistakes.note("valid_until", "admin-refusal-code-valid", valid);
        let uses_max = parse_limit(&mut mistakes, "uses_max", &self.uses_max);
        let places_max = parse_limit(&mut mistakes, "places_max", &self.places_max);
        let places_max = places_max.filter(|max| is_access != Some(true) || max.is_none());
        let places_max = mistakes.note("places_max", "admin-refusal-code-places", places_max);
        let own = parse_limit(&mut mistakes, "uses_per_account_max", &self.uses_per_account_max);
        let schedule_id = match self.schedule_id.is_empty() {
            true => Some(None),
            false => self.schedule_id.parse().map(|id| Some(ScheduleId(id))),
        };
        let schedule_id = mistakes.note("schedule_id", "admin-refusal-schedule", schedule_id);
        let section = match self.section.is_empty() {
            true => Some(None),
            false => parse_text(&self.section, 1, SECTION_CHARS_MAX)
                .filter(|section| !section.chars().any(char::is_control))
                .map(Some),
        };
        let own = own.filter(|own| is_access != Some(true) || own.is_none());
        let own = mistakes.note("uses_per_account_max", "admin-refusal-code-once", own);
        let gate = self.gate(&mut mistakes, is_access.unwrap_or(false), zone);
        // An access code opens something.
        let has_gate = gate.as_ref().is_some_and(Option::is_some);
        let opens = |section: &Option<String>| section.is_some() || has_gate;
        let section = section.filter(|section| is_access != Some(true) || opens(section));
        let section = mistakes.note("section", "admin-refusal-code-section", section);
        let limits = uses_max.zip(places_max).zip(own);
        let scope = schedule_id.zip(section).zip(gate);
        let terms = is_access.zip(terms);
        let new =
            terms.zip(valid).zip(limits).zip(scope).map(|(((terms, valid), limits), scope)| {
                NewCode {
                    is_access: terms.0,
                    percent: terms.1.0,
                    amount: terms.1.1,
                    valid_from: valid.0,
                    valid_until: valid.1,
                    uses_max: limits.0.0,
                    places_max: limits.0.1,
                    uses_per_account_max: limits.1,
                    schedule_id: scope.0.0,
                    section: scope.0.1,
                    gate: scope.1,
                }
            });
        mistakes.or(words.zip(new))
    }

    /// Returns the access gate: both of its fields are filled in, or none.
    #[expect(clippy::option_option, reason = "no gate is an answer, nonsense is none")]
    fn gate(
        &self,
        mistakes: &mut Mistakes,
        is_access: bool,
        zone: Tz,
    ) -> Option<Option<NewAccessGate>> {
        let opens_at = parse_optional_time(mistakes, "gate_opens_at", &self.gate_opens_at, zone);
        let capacity = parse_limit(mistakes, "gate_capacity", &self.gate_capacity);
        let gate = match (opens_at?, capacity?) {
            (None, None) => Some(None),
            (Some(opens_at), Some(capacity)) if is_access => {
                Some(Some(NewAccessGate { opens_at, capacity }))
            }
            _ => None,
        };
        mistakes.note("gate_capacity", "admin-refusal-code-gate", gate)
    }

    fn words(&self, mistakes: &mut Mistakes) -> Option<Vec<CodeWord>> {
        if !self.code.is_empty() {
            // One word is one code.
            let is_one = self.count.is_empty() || self.count.parse() == Some(1);
            let word = self.code.parse().filter(|_| is_one);
            return mistakes.note("code", "admin-refusal-code", word).map(|word| vec![word]);
        }
        let count = parse_optional(&self.count, &COUNT);
        let count = mistakes.note("count", "admin-refusal-number", count)?.unwrap_or(1);
        Some((0..count).map(|_| CodeWord::generate()).collect())
    }

    /// Returns the percentage or the points: exactly one of them, none of an access code.
    fn discount(
        &self,
        mistakes: &mut Mistakes,
        is_access: bool,
    ) -> Option<(Option<i32>, Option<Points>)> {
        let percent = parse_optional(&self.percent, &PERCENT);
        let percent = mistakes.note("percent", "admin-refusal-code-percent", percent);
        let amount = if self.amount.is_empty() {
            Some(None)
        } else {
            let amount = self.amount.parse().filter(|amount| (1..=AMOUNT_MAX).contains(amount));
            amount.and_then(Points::new).map(Some)
        };
        let amount = mistakes.note("amount", "admin-refusal-code-amount", amount);
        let terms = percent.zip(amount)?;
        let n_terms = usize::from(terms.0.is_some()) + usize::from(terms.1.is_some());
        let terms = Some(terms).filter(|_| n_terms == usize::from(!is_access));
        mistakes.note("percent", "admin-refusal-code-one", terms)
    }
}

/// Limits of a code's uses and places.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodeLimitForm {
    /// Reservations that may use it; empty: any number.
    uses_max: Field,
    /// Places that they may have together; empty: any number, left out: as it is.
    places_max: Option<Field>,
}

impl CodeLimitForm {
    pub(super) fn parse(&self) -> Result<CodeLimits, Mistakes> {
        let mut mistakes = Mistakes::default();
        let uses_max = parse_limit(&mut mistakes, "uses_max", &self.uses_max);
        let places_max = match &self.places_max {
            None => Some(None),
            Some(field) => parse_limit(&mut mistakes, "places_max", field).map(Some),
        };
        let limits = uses_max.zip(places_max);
        mistakes.or(limits.map(|(uses_max, places_max)| CodeLimits { uses_max, places_max }))
    }
}
