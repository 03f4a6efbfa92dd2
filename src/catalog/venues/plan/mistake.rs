//! Mistakes in a seat plan.

/// Line where a plan cannot be parsed, and why; nothing of the plan is saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem:?} {text:?}")]
pub struct PlanMistake {
    /// Line, from 1; the header counts.
    pub line: u64,
    /// Kind of mistake.
    pub problem: PlanProblem,
    /// Text at fault, or the number of the earlier line with the same seat.
    pub text: String,
}

/// Kind of mistake in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanProblem {
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
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Empty => "admin-plan-empty",
            Self::Column => "admin-plan-column",
            Self::Shape => "admin-plan-shape",
            Self::Name => "admin-plan-name",
            Self::Number => "admin-plan-number",
            Self::Place => "admin-plan-place",
            Self::Twice => "admin-plan-twice",
            Self::TooMany => "admin-plan-too-many",
        }
    }

    /// Returns the name in JSON documents.
    pub fn name(self) -> &'static str {
        let key = self.text_key();
        key.strip_prefix(concat!("admin-", "plan-")).unwrap_or(key)
    }
}
