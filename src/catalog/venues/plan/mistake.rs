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

impl PlanMistake {
    /// Creates a mistake; a long text is cut.
    pub(super) fn new(line: u64, problem: PlanProblem, text: &str) -> Self {
        const CHARS_MAX: usize = 80;
        Self { line, problem, text: text.chars().take(CHARS_MAX).collect() }
    }
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
    /// The kind is none of those there are, in capital letters.
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
