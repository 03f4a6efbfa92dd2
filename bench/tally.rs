//! Outcome of many requests.

use crate::http::Answer;

/// What became of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// What was carried out.
    pub(crate) done: u64,
    /// What was not.
    pub(crate) refused: u64,
    /// The first refusal's own words.
    pub(crate) refusal: Option<String>,
    /// From the first request to the last answer.
    pub(crate) secs: f64,
}

impl Tally {
    /// Counts one answer.
    pub(crate) fn count(&mut self, answer: Answer) {
        if (200..300).contains(&answer.status) {
            self.done += 1;
        } else {
            self.refused += 1;
            self.refusal.get_or_insert(answer.body);
        }
    }

    /// Adds what another one counted.
    pub(crate) fn add(&mut self, other: Self) {
        self.done += other.done;
        self.refused += other.refused;
        self.refusal = self.refusal.take().or(other.refusal);
    }

    /// What was carried out in a second.
    pub(crate) fn per_sec(&self) -> f64 {
        let done = u32::try_from(self.done).unwrap_or(u32::MAX);
        f64::from(done) / self.secs
    }
}
