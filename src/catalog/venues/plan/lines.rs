//! Line numbers of a text as an editor shows them.

/// Line counter that only moves forward: `\r\n`, `\n` and a lone `\r` end a line. A CSV reader
/// counts only `\n`, and reports a record where the one before it ended.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0, line: 1 }
    }

    /// Returns the line of the first byte at or after `byte` that is not a line end.
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
