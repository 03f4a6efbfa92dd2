//! What became of a try.

use std::time::Duration;

/// What was found and counted.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What must not be, one sentence each.
    pub(crate) violations: Vec<String>,
    /// Longest time until a ticket was bought: after the end of the fault by a new person, in a
    /// sweep by the person whose message was lost. `None` if no ticket was.
    pub(crate) recovered_in: Option<Duration>,
    /// Requests of a sale; purchases of a sweep.
    pub(crate) requests: usize,
    /// Requests whose outcome the answer did not tell; in a sweep, lost messages.
    pub(crate) unknown: usize,
    /// Places sold.
    pub(crate) sold: usize,
}

impl Outcome {
    /// Returns that of a try that could not be carried to its end.
    pub(crate) fn failed(failure: &dyn std::error::Error) -> Self {
        Self { violations: vec![failure.to_string()], ..Self::default() }
    }

    /// Keeps the longest of these times.
    pub(crate) fn took(&mut self, time: Duration) {
        self.recovered_in = self.recovered_in.max(Some(time));
    }
}
