//! Cells of files that a spreadsheet opens: none of them is a formula.

use std::borrow::Cow;

/// Signs with which a spreadsheet begins a formula; it reads the full-width ones like the others.
const FORMULA_SIGNS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
/// Sign before a cell that would be a formula without it.
const GUARD: char = '\'';

/// Returns a cell that spreadsheets do not take for a formula: names may begin with `=`.
pub fn guarded(cell: &str) -> Cow<'_, str> {
    let is_number = |unsigned: &str| {
        unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && unsigned.parse::<f64>().is_ok()
    };
    match needs_guard(cell) && !cell.strip_prefix(['+', '-']).is_some_and(is_number) {
        true => format!("{GUARD}{cell}").into(),
        false => cell.into(),
    }
}

/// Returns the cell from which [`guarded`] made `cell`, for a file that is read again.
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix(GUARD).filter(|rest| needs_guard(rest)).unwrap_or(cell)
}

/// Whether a cell is a formula, or one behind guards.
fn needs_guard(cell: &str) -> bool {
    cell.trim_start_matches(GUARD).starts_with(FORMULA_SIGNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_each_is_read_as_it_was() {
        let formulas =
            ["=HYPERLINK(\"x\")", "@ada", "-inf", "+1+1", "\u{ff1d}1", "\u{ff20}a", "\tx", "'=1"];
        for cell in formulas {
            assert_eq!(guarded(cell), format!("'{cell}"));
            assert_eq!(unguarded(&guarded(cell)), cell);
        }
        for cell in ["-12", "+82.5", "ada", "", "'ada", "a=b"] {
            assert_eq!(guarded(cell), cell);
            assert_eq!(unguarded(cell), cell);
        }
    }
}
