//! Line numbers of a text as an editor shows them.

/// Line counter that only moves forward: `\r\n`, `\n` and a lone `\r` end a line. A CSV reader
/// counts only `\n`, and reports a record where the one before it ended.
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    /// Byte of the text that a reader calls its first.
    offset: usize,
}

impl<'a> Lines<'a> {
    /// Returns the lines of a text whose reader begins at the byte `offset`.
    pub(crate) fn of(text: &'a str, offset: usize) -> Self {
        Self { text, at: 0, line: 1, offset }
    }

    /// Returns the line of the first byte at or after `byte` of the reader that is not a line end.
    pub(crate) fn line_at(&mut self, byte: u64) -> u64 {
        let byte = usize::try_from(byte).unwrap_or(usize::MAX).saturating_add(self.offset);
        let bytes = self.text.as_bytes();
        while let Some(found) = bytes.get(self.at) {
            let is_break = matches!(found, b'\r' | b'\n');
            if self.at >= byte && !is_break {
                break;
            }
            self.at += 1;
            if is_break && !(*found == b'\r' && bytes.get(self.at) == Some(&b'\n')) {
                self.line += 1;
            }
        }
        self.line
    }

    /// Returns the text of the line that was asked for last, from where it was asked for.
    pub(crate) fn text(&self) -> &'a str {
        first_line(self.text.get(self.at..).unwrap_or_default())
    }
}

/// Returns the text before the first line end.
pub(super) fn first_line(text: &str) -> &str {
    text.split(['\r', '\n']).next().unwrap_or_default()
}

/// Returns the byte at which the first line begins that is not blank.
pub(super) fn first_filled(text: &str) -> usize {
    let filled = text.len() - text.trim_start().len();
    let before = text.get(..filled).unwrap_or_default();
    before.rfind(['\r', '\n']).map_or(0, |end| end + 1)
}
