//! Mistakes in a seat plan.

use super::lines::Lines;

/// Line where a plan cannot be parsed, and why; nothing of the plan is saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column:?}: {problem:?} {text:?}")]
pub struct PlanMistake {
    /// Line of the file, from 1; the header and empty lines count.
    pub line: u64,
    /// Column of a CSV, where it is one column's mistake.
    pub column: Option<String>,
    /// Kind of mistake.
    pub problem: PlanProblem,
    /// Text at fault, or the number of the earlier line with the same seat.
    pub text: String,
}

impl PlanMistake {
    /// Creates a mistake of a whole line; a long text is cut.
    pub(super) fn new(line: u64, problem: PlanProblem, text: &str) -> Self {
        Self { line, column: None, problem, text: cut(text) }
    }

    /// Names the column of the mistake; a long name is cut.
    #[must_use]
    pub(super) fn in_column(self, column: &str) -> Self {
        Self { column: Some(cut(column)), ..self }
    }

    /// Returns the mistake of a file whose charset is not known, at its first line with such letters.
    pub fn of_charset(text: &str) -> Self {
        let byte = text.find(char::REPLACEMENT_CHARACTER).unwrap_or_default();
        let byte = u64::try_from(byte).unwrap_or(u64::MAX);
        let mut lines = Lines::of(text, 0);
        let line = lines.line_at(byte);
        Self::new(line, PlanProblem::Charset, lines.text())
    }
}

fn cut(text: &str) -> String {
    const CHARS_MAX: usize = 80;
    text.chars().take(CHARS_MAX).collect()
}

/// Kind of mistake in a plan; its name is that in JSON documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PlanProblem {
    /// The plan has no seat.
    Empty,
    /// The charset of the file is not known.
    Charset,
    /// The header lacks a column.
    Column,
    /// No column has the name in the header, or the header has no name above a value.
    UnknownColumn,
    /// The header has a column twice.
    DoubledColumn,
    /// The header has a column without the one that belongs to it.
    LoneColumn,
    /// The line has too few or too many fields, or is not text.
    Shape,
    /// A name is missing, too long or has control characters.
    Name,
    /// The number is not a positive integer in range.
    Number,
    /// A coordinate is not a number in range.
    Place,
    /// Seats would stand farther away than a map reaches.
    TooFar,
    /// An earlier line has the same seat.
    Twice,
    /// The seat of an earlier line stands at the same point.
    SamePoint,
    /// More seats than a venue can have.
    TooMany,
    /// The kind, in capital letters, does not exist.
    Kind,
    /// A companion's place names no wheelchair place, or another seat names one.
    Companion,
    /// The row has no seat with the number that a companion's place names.
    NoSuchPlace,
    /// The seat that a companion's place names is no wheelchair place.
    NotWheelchair,
    /// The name of the price category is too long or has control characters.
    Category,
}

impl PlanProblem {
    /// Returns the locale key of the mistake.
    pub(crate) fn text_key(self) -> String {
        format!("admin-plan-{}", self.as_ref())
    }

    /// Returns whether the mistake is one of the header, whose text names the column.
    pub(crate) fn is_of_header(self) -> bool {
        matches!(self, Self::Column | Self::UnknownColumn | Self::DoubledColumn | Self::LoneColumn)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{SeatPlan, seat::NAME_CHARS_MAX},
        *,
    };

    #[test]
    fn names_and_places_have_their_bounds() {
        let problem = |section: &str, x: &str| {
            let text = format!("section,row,number,x,y\n{section},1,1,{x},0\n");
            SeatPlan::from_csv(&text).err().map(|mistake| mistake.problem)
        };
        let longest = "é".repeat(NAME_CHARS_MAX);
        assert_eq!(problem(&longest, "0"), None);
        for name in [format!("{longest}é"), "a\tb".to_owned(), "a\u{fffd}".to_owned()] {
            assert_eq!(problem(&name, "0"), Some(PlanProblem::Name), "{name}");
        }
        for x in ["10000", "-10000"] {
            assert_eq!(problem("A", x), None, "{x}");
        }
        for x in ["10000.5", "-10000.5", "inf"] {
            assert_eq!(problem("A", x), Some(PlanProblem::Place), "{x}");
        }
    }
}
