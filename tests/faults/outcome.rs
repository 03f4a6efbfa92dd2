//! What became of a try.

use std::time::Duration;

/// What was found and counted.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What must not be, one sentence each.
    pub(crate) violations: Vec<String>,
    /// Longest time until somebody had bought a ticket: after the end of the fault somebody new, in a
    /// sweep whoever the message was lost for. `None` if nobody did.
    pub(crate) recovered_in: Option<Duration>,
    /// Requests of a sale; purchases of a sweep.
    pub(crate) requests: usize,
    /// Those that people did not learn the outcome of from their answer; those that lost a message.
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
