//! Columns of a CSV, which its header names.

use std::collections::HashMap;

use csv::StringRecord;

use super::{
    categories,
    header::{NEEDED, OF_CATEGORY, OF_KIND, OF_NOTE, OF_PLACE},
    kinds::LineKind,
    lines::first_line,
    mistake::{PlanMistake, PlanProblem},
    seat::FAR,
};
use crate::text::cell::unguarded;

/// Columns that need another one beside them.
const PARTNERS: [(&str, &str); 3] = [("x", "y"), ("y", "x"), ("companion_of", "kind")];
/// Signs between the fields of a line; programs that write a decimal comma take another one.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Where a CSV has its columns, and how it writes numbers.
pub(super) struct Columns {
    found: HashMap<&'static str, usize>,
    /// Fields of the header without a name.
    nameless: Vec<usize>,
    has_decimal_comma: bool,
}

/// Seat as a line describes it.
pub(super) struct SeatLine<'a> {
    pub(super) names: [&'a str; 3],
    pub(super) place: Option<(f32, f32)>,
    pub(super) kind: LineKind,
    pub(super) category: Option<String>,
}

/// Returns the sign between the fields of a text: the most frequent one in its header.
pub(super) fn delimiter_of(text: &str) -> u8 {
    let header = first_line(text);
    let count = |sign: &u8| header.matches(char::from(*sign)).count();
    // Of equal ones `max_by_key` returns the last.
    DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

impl Columns {
    /// Reads a header. Each name is that of a column, in large or small letters; none is doubled, and
    /// none lacks the one that belongs to it.
    pub(super) fn of(header: &StringRecord, line: u64, delimiter: u8) -> Result<Self, PlanMistake> {
        let mistake = |problem, column: &str, text: &str| {
            PlanMistake::new(line, problem, text).in_column(column)
        };
        let known = || {
            let optional = OF_PLACE.into_iter().chain(OF_KIND).chain([OF_CATEGORY, OF_NOTE]);
            NEEDED.into_iter().chain(optional)
        };
        let (mut found, mut nameless) = (HashMap::new(), Vec::new());
        for (idx, name) in header.iter().enumerate() {
            if name.is_empty() {
                nameless.push(idx);
                continue;
            }
            let column = known().find(|column| column.eq_ignore_ascii_case(name));
            let column = column.ok_or_else(|| mistake(PlanProblem::UnknownColumn, name, name))?;
            if found.insert(column, idx).is_some() {
                return Err(mistake(PlanProblem::DoubledColumn, name, name));
            }
        }
        let is_found = |column: &str| found.contains_key(column);
        if let Some(missing) = NEEDED.into_iter().find(|column| !is_found(column)) {
            return Err(mistake(PlanProblem::Column, missing, missing));
        }
        let is_lone = |(column, partner): &(&str, &str)| is_found(column) && !is_found(partner);
        if let Some((column, partner)) = PARTNERS.into_iter().find(is_lone) {
            return Err(mistake(PlanProblem::LoneColumn, column, partner));
        }
        Ok(Self { found, nameless, has_decimal_comma: delimiter != b',' })
    }

    /// Reads a line; its mistake names the column.
    pub(super) fn read<'a>(
        &self,
        line: u64,
        record: &'a StringRecord,
    ) -> Result<SeatLine<'a>, PlanMistake> {
        let fields = self.nameless.iter().filter_map(|idx| record.get(*idx));
        if let Some(text) = fields.into_iter().find(|text| !text.is_empty()) {
            return Err(PlanMistake::new(line, PlanProblem::UnknownColumn, text));
        }
        let field = |column: &str| {
            let idx = self.found.get(column);
            idx.and_then(|idx| record.get(*idx)).map(unguarded).unwrap_or_default()
        };
        let [x, y] = OF_PLACE;
        let place = match self.have_places() {
            true => {
                Some((self.coordinate(line, x, field(x))?, self.coordinate(line, y, field(y))?))
            }
            false => None,
        };
        let [kind, companion_of] = OF_KIND;
        Ok(SeatLine {
            names: NEEDED.map(field),
            place,
            kind: LineKind::parse(line, field(kind), field(companion_of))?,
            category: categories::parse(line, field(OF_CATEGORY))?,
        })
    }

    /// Whether the columns say where seats stand.
    pub(super) fn have_places(&self) -> bool {
        OF_PLACE.iter().all(|column| self.found.contains_key(column))
    }

    fn coordinate(&self, line: u64, column: &str, text: &str) -> Result<f32, PlanMistake> {
        let parsed = match self.has_decimal_comma {
            true => text.replace(',', ".").parse(),
            false => text.parse(),
        };
        let parsed = parsed.ok().filter(|place: &f32| place.abs() <= FAR);
        parsed.ok_or_else(|| PlanMistake::new(line, PlanProblem::Place, text).in_column(column))
    }
}
