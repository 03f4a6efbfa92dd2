//! Line of shaped text, which can be joined and split.

use std::ops::Range;

use krilla::text::KrillaGlyph;

/// Glyphs on one line with the text that they show. Widths and offsets are in ems.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) glyphs: Vec<KrillaGlyph>,
    pub(super) width_em: f32,
}

impl Line {
    /// Width at `size`, in points.
    pub(super) fn width(&self, size: f32) -> f32 {
        self.width_em * size
    }

    /// Appends `other`.
    pub(super) fn push(&mut self, other: &Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.width_em += other.width_em;
        self.glyphs.extend(other.glyphs.iter().cloned().map(|mut glyph| {
            glyph.text_range = glyph.text_range.start + start..glyph.text_range.end + start;
            glyph
        }));
    }

    /// Returns the longest beginning that is at most `width_em` wide, and the rest. The beginning
    /// has at least one glyph, so that a narrow width ends.
    pub(super) fn split(&self, width_em: f32) -> (Self, Self) {
        let (mut width, mut at) = (0.0, 0);
        for (idx, glyph) in self.glyphs.iter().enumerate() {
            width += glyph.x_advance;
            let is_start = self
                .glyphs
                .get(idx + 1)
                .is_none_or(|next| next.text_range.start >= glyph.text_range.end);
            if width > width_em && at > 0 {
                break;
            }
            if is_start {
                at = idx + 1;
            }
            if width > width_em {
                break;
            }
        }
        (self.part(0..at), self.part(at..self.glyphs.len()))
    }

    /// Returns the glyphs `range`, which ends between two clusters, with their text.
    fn part(&self, range: Range<usize>) -> Self {
        let start_of = |idx: usize| {
            self.glyphs.get(idx).map_or(self.text.len(), |glyph| glyph.text_range.start)
        };
        let (start, end) = (start_of(range.start), start_of(range.end));
        let mut glyphs = self.glyphs.get(range).unwrap_or_default().to_vec();
        for glyph in &mut glyphs {
            glyph.text_range = glyph.text_range.start - start..glyph.text_range.end - start;
        }
        let width_em = glyphs.iter().map(|glyph| glyph.x_advance).sum();
        Self { text: self.text.get(start..end).unwrap_or_default().to_owned(), glyphs, width_em }
    }
}
