//! What may be wrong with a plan, and where.

/// Where a plan cannot be read, and why. Nothing of it was taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem:?} {text:?}")]
pub struct PlanMistake {
    /// Which line, from 1; the header counts.
    pub line: u64,
    /// What is wrong with it.
    pub problem: Problem,
    /// The words that are wrong, or the line that stands in the way.
    pub text: String,
}

/// What may be wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is no seat in it at all.
    Empty,
    /// The header lacks a column.
    Column,
    /// The line has too few or too many fields, or is no text.
    Shape,
    /// A name is missing or too long.
    Name,
    /// The number is not whole and positive.
    Number,
    /// A place on the map is no number.
    Place,
    /// An earlier line has the same seat.
    Twice,
    /// More seats than a venue can have.
    TooMany,
}

impl Problem {
    /// The locale key of what is wrong.
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

    /// As programs read it.
    pub fn name(self) -> &'static str {
        let key = self.text_key();
        key.strip_prefix(concat!("admin-", "plan-")).unwrap_or(key)
    }
}
