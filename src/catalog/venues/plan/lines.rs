//! Lines of a text, counted as whoever wrote it sees them.

/// Says which line a byte stands in, going forward: `\r\n`, `\n` and a lone `\r` end one.
/// A CSV reader counts only `\n`, and a record's place is where the one before ended.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0, line: 1 }
    }

    /// The line of the first byte from `byte` on that ends no line.
    pub(crate) fn line_at(&mut self, byte: u64) -> u64 {
        let byte = usize::try_from(byte).unwrap_or(usize::MAX);
        while let Some(found) = self.text.get(self.at) {
            let is_break = matches!(found, b'\r' | b'\n');
            if self.at >= byte && !is_break {
                break;
            }
            self.at += 1;
            if is_break && !(*found == b'\r' && self.text.get(self.at) == Some(&b'\n')) {
                self.line += 1;
            }
        }
        self.line
    }
}
