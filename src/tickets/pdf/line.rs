//! Line of shaped text, which can be joined and split.

use std::ops::Range;

use krilla::text::KrillaGlyph;

/// Glyph with the font that has it.
#[derive(Clone, Debug)]
pub(crate) struct Glyph {
    /// Index of the font in its face.
    pub(crate) font: usize,
    pub(crate) shape: KrillaGlyph,
}

/// Glyphs on one line with the text that they show. Widths and offsets are in ems.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) glyphs: Vec<Glyph>,
    pub(crate) width_em: f32,
}

impl Glyph {
    /// Returns the glyph for a text that is further back by `n_bytes`.
    pub(crate) fn moved(&self, n_bytes: usize) -> Self {
        let mut moved = self.clone();
        moved.shape.text_range.start += n_bytes;
        moved.shape.text_range.end += n_bytes;
        moved
    }
}

/// Returns the width of `glyphs`, in ems.
pub(crate) fn width_em(glyphs: &[Glyph]) -> f32 {
    glyphs.iter().map(|glyph| glyph.shape.x_advance).sum()
}

impl Line {
    /// Width at `size`, in points.
    pub(crate) fn width(&self, size: f32) -> f32 {
        self.width_em * size
    }

    /// Appends `other`.
    pub(crate) fn push(&mut self, other: &Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.width_em += other.width_em;
        self.glyphs.extend(other.glyphs.iter().map(|glyph| glyph.moved(start)));
    }

    /// Lists the parts that have one font: its index, the distance from the line's start in ems, and
    /// the glyphs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, f32, Vec<KrillaGlyph>)> {
        let mut end_em = 0.0;
        self.glyphs.chunk_by(|a, b| a.font == b.font).map(move |run| {
            let start_em = end_em;
            end_em += width_em(run);
            let shapes = run.iter().map(|glyph| glyph.shape.clone()).collect();
            (run.first().map_or(0, |glyph| glyph.font), start_em, shapes)
        })
    }

    /// Returns the longest beginning that is at most `width_em` wide, and the rest. The beginning
    /// has at least one cluster, so that repeated splitting ends at any width.
    pub(crate) fn split(&self, width_em: f32) -> (Self, Self) {
        let (mut width, mut at) = (0.0, 0);
        for (idx, glyph) in self.glyphs.iter().enumerate() {
            width += glyph.shape.x_advance;
            let is_start = self
                .glyphs
                .get(idx + 1)
                .is_none_or(|next| next.shape.text_range.start >= glyph.shape.text_range.end);
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
            self.glyphs.get(idx).map_or(self.text.len(), |glyph| glyph.shape.text_range.start)
        };
        let (start, end) = (start_of(range.start), start_of(range.end));
        let mut glyphs = self.glyphs.get(range).unwrap_or_default().to_vec();
        for Glyph { shape, .. } in &mut glyphs {
            shape.text_range = shape.text_range.start - start..shape.text_range.end - start;
        }
        let (text, width_em) = (self.text.get(start..end).unwrap_or_default(), width_em(&glyphs));
        Self { text: text.to_owned(), glyphs, width_em }
    }
}
