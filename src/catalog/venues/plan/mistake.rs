//! Mistakes in a seat plan.

/// Line where a plan cannot be parsed, and why; nothing of the plan is saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem:?} {text:?}")]
pub(crate) struct PlanMistake {
    /// Line, from 1; the header counts.
    pub line: u64,
    /// Kind of mistake.
    pub problem: PlanProblem,
    /// Text at fault, or the number of the earlier line with the same seat.
    pub text: String,
}

/// Kind of mistake in a plan; its name is that in JSON documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum PlanProblem {
    /// The plan has no seat.
    Empty,
    /// The header lacks a column.
    Column,
    /// The line has too few or too many fields, or is not text.
    Shape,
    /// A name is missing, too long or has control characters.
    Name,
    /// The number is not a positive integer in range.
    Number,
    /// A coordinate is not a number in range.
    Place,
    /// An earlier line has the same seat.
    Twice,
    /// More seats than a venue can have.
    TooMany,
}

impl PlanProblem {
    /// Returns the locale key of the mistake.
    pub(crate) fn text_key(self) -> String {
        format!("admin-plan-{}", self.as_ref())
    }
}
