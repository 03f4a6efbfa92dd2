//! Form of a queue's capacity and rate.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{parse_limit, parse_version},
    catalog::Program,
    web::form::{Field, Mistakes},
};

/// Limits of a queue, to be predicted or saved.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitsForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// People inside at once.
    queue_capacity: Field,
    /// Admissions a second.
    queue_rate_per_second: Field,
    /// Set to predict the effect of the limits instead of saving them.
    predict: Field,
}

/// Capacity, and admissions per second; `None` is unlimited.
type Limits = (Option<i32>, Option<i32>);

impl LimitsForm {
    /// Returns the form of the current limits.
    pub(crate) fn of(edition: &Program) -> Self {
        let or_empty = |number: Option<i32>| number.map_or_else(Field::default, Field::of);
        Self {
            version: Field::of(edition.version),
            queue_capacity: or_empty(edition.details.queue_capacity),
            queue_rate_per_second: or_empty(edition.details.queue_rate_per_second),
            predict: Field::default(),
        }
    }

    /// Returns the form as typed, for the current version of `edition`.
    pub(crate) fn on(&self, edition: &Program) -> Self {
        Self { version: Field::of(edition.version), ..self.clone() }
    }

    pub(crate) fn version(&self) -> &str {
        self.version.text()
    }

    pub(crate) fn capacity(&self) -> &str {
        self.queue_capacity.text()
    }

    pub(crate) fn rate(&self) -> &str {
        self.queue_rate_per_second.text()
    }

    /// Returns whether the query string asks for no prediction.
    pub(crate) fn is_no_question(&self) -> bool {
        self.predict.is_empty()
    }

    /// Parses the limits alone.
    pub(crate) fn read(&self) -> Result<Limits, Mistakes> {
        let mut mistakes = Mistakes::default();
        let limits = self.note(&mut mistakes);
        mistakes.or(limits)
    }

    /// Parses the limits and the version of the edition that they were made of.
    pub(crate) fn parse(&self) -> Result<(i64, Limits), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let limits = self.note(&mut mistakes);
        mistakes.or(version.zip(limits))
    }

    fn note(&self, mistakes: &mut Mistakes) -> Option<Limits> {
        let capacity = parse_limit(mistakes, "queue_capacity", &self.queue_capacity);
        let rate = parse_limit(mistakes, "queue_rate_per_second", &self.queue_rate_per_second);
        capacity.zip(rate)
    }
}
