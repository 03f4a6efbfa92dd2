//! Text set in the embedded fonts: shaping, line breaks, and what no font has.
//!
//! The fonts are Pretendard's (SIL Open Font License 1.1, `fonts/OFL.txt`): Latin, Cyrillic, Greek
//! and Hangul. A run of characters that they lack (emoji, other scripts) is drawn as one box; the
//! text behind the box stays what was written, so it can be selected and searched.

use std::sync::LazyLock;

use harfrust::{Direction, FontRef, GlyphInfo, ShapeOptions, ShaperData, UnicodeBuffer};
use krilla::text::{Font, GlyphId, KrillaGlyph};

use super::line::Line;

/// Characters of a text that are set; what follows is left out, with an ellipsis.
const CHARS_MAX: usize = 400;
/// Glyph that stands for characters that the fonts lack.
const BOX: &str = "\u{25a1}";
const ELLIPSIS: &str = "\u{2026}";

static REGULAR: LazyLock<Option<Face>> =
    LazyLock::new(|| Face::new(include_bytes!("../../../fonts/Pretendard-Regular.otf")));
static BOLD: LazyLock<Option<Face>> =
    LazyLock::new(|| Face::new(include_bytes!("../../../fonts/Pretendard-Bold.otf")));

/// Font, ready to be shaped with and to be embedded.
pub(super) struct Face {
    pub(super) font: Font,
    reader: FontRef<'static>,
    shaper: ShaperData,
    units_per_em: f32,
}

/// The fonts of a ticket.
#[derive(Clone, Copy)]
pub(super) struct Faces {
    pub(super) regular: &'static Face,
    pub(super) bold: &'static Face,
}

impl Faces {
    /// Returns the embedded fonts; `None` if one cannot be read, which a test rules out.
    pub(super) fn embedded() -> Option<Self> {
        Some(Self { regular: REGULAR.as_ref()?, bold: BOLD.as_ref()? })
    }
}

/// Text broken into lines of one size.
#[derive(Clone, Debug)]
pub(super) struct Paragraph {
    pub(super) lines: Vec<Line>,
    /// Size of the font, in points.
    pub(super) size: f32,
}

impl Paragraph {
    /// Distance between two lines, as a multiple of the size.
    const LEADING: f32 = 1.28;

    /// Distance between two lines, in points.
    pub(super) fn line_height(&self) -> f32 {
        self.size * Self::LEADING
    }
}

impl Face {
    fn new(bytes: &'static [u8]) -> Option<Self> {
        let font = Font::new(bytes.into(), 0)?;
        let reader = FontRef::from_index(bytes, 0).ok()?;
        let shaper = ShaperData::new(&reader);
        Some(Self { units_per_em: font.units_per_em(), font, reader, shaper })
    }

    /// Breaks `text` at white space into at most so many lines of `width` points, at the first of
    /// `sizes` (size in points, lines) at which it fits; at the last one it ends with an ellipsis if
    /// it does not fit. A word that is longer than a line is broken inside.
    pub(super) fn fit(&self, text: &str, width: f32, sizes: &[(f32, usize)]) -> Paragraph {
        let words = self.words(text);
        let mut fitted = Paragraph { lines: Vec::new(), size: 0.0 };
        for &(size, lines_max) in sizes {
            let (lines, is_whole) = self.broken(&words, width / size, lines_max);
            fitted = Paragraph { lines, size };
            if is_whole {
                break;
            }
        }
        fitted
    }

    /// Shapes `text` as one line.
    pub(super) fn line(&self, text: &str) -> Line {
        let mut line = Line::default();
        for word in self.words(text) {
            self.append(&mut line, &word);
        }
        line
    }

    /// Shapes each word of `text`, whose control characters separate words too.
    fn words(&self, text: &str) -> Vec<Line> {
        let is_space = |c: char| c.is_whitespace() || c.is_control();
        let mut chars = text.char_indices().map(|(at, _)| at);
        let cut = chars.nth(CHARS_MAX);
        let kept = cut.and_then(|at| text.get(..at)).unwrap_or(text);
        let words = kept.split(is_space).filter(|word| !word.is_empty());
        words.chain(cut.map(|_| ELLIPSIS)).map(|word| self.shape(word)).collect()
    }

    fn append(&self, line: &mut Line, word: &Line) {
        if !line.glyphs.is_empty() {
            line.push(&self.shape(" "));
        }
        line.push(word);
    }

    /// Breaks `words` into at most `lines_max` lines; returns whether all of them fit.
    fn broken(&self, words: &[Line], width_em: f32, lines_max: usize) -> (Vec<Line>, bool) {
        let (mut lines, mut open) = (Vec::new(), Line::default());
        for word in words {
            let mut rest = word.clone();
            while !rest.glyphs.is_empty() {
                let mut longer = open.clone();
                self.append(&mut longer, &rest);
                if longer.width_em <= width_em {
                    open = longer;
                    break;
                }
                if open.glyphs.is_empty() {
                    (open, rest) = rest.split(width_em);
                }
                lines.push(std::mem::take(&mut open));
            }
        }
        if !open.glyphs.is_empty() {
            lines.push(open);
        }
        let is_whole = lines.len() <= lines_max;
        if !is_whole {
            lines.truncate(lines_max);
            self.cut(&mut lines, width_em);
        }
        (lines, is_whole)
    }

    /// Ends the last line with an ellipsis, within the width.
    fn cut(&self, lines: &mut [Line], width_em: f32) {
        let ellipsis = self.shape(ELLIPSIS);
        let Some(last) = lines.last_mut() else { return };
        if last.width_em + ellipsis.width_em > width_em {
            *last = last.split(width_em - ellipsis.width_em).0;
        }
        last.push(&ellipsis);
    }

    /// Shapes one word. Its characters that the font lacks become one box a run.
    fn shape(&self, word: &str) -> Line {
        let mut line = self.shape_as_is(word);
        let is_missing = |glyph: &KrillaGlyph| glyph.glyph_id == GlyphId::new(0);
        if !line.glyphs.iter().any(is_missing) {
            return line;
        }
        let mut shown: Vec<KrillaGlyph> = Vec::new();
        let stand_in = self.shape_as_is(BOX).glyphs;
        let mut is_open = false;
        for glyph in line.glyphs {
            match (is_missing(&glyph), is_open, shown.last_mut()) {
                (true, true, Some(last)) => last.text_range.end = glyph.text_range.end,
                (true, ..) => shown.extend(stand_in.first().cloned().map(|mut stand_in| {
                    stand_in.text_range = glyph.text_range.clone();
                    stand_in
                })),
                (false, ..) => shown.push(glyph.clone()),
            }
            is_open = is_missing(&glyph);
        }
        line.width_em = shown.iter().map(|glyph| glyph.x_advance).sum();
        Line { glyphs: shown, ..line }
    }

    /// Shapes one word from left to right: the fonts have no script that runs the other way.
    fn shape_as_is(&self, word: &str) -> Line {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(word);
        buffer.guess_segment_properties();
        buffer.set_direction(Direction::LeftToRight);
        let result = self.shaper.shaper(&self.reader).build().shape(buffer, ShapeOptions::new());
        let infos = result.glyph_infos();
        let start_of = |info: &GlyphInfo| usize::try_from(info.cluster).unwrap_or_default();
        let mut glyphs = Vec::with_capacity(infos.len());
        for (info, position) in infos.iter().zip(result.glyph_positions()) {
            let start = start_of(info);
            let end = infos.iter().map(start_of).find(|other| *other > start);
            glyphs.push(KrillaGlyph::new(
                GlyphId::new(info.glyph_id),
                self.ems(position.x_advance),
                self.ems(position.x_offset),
                self.ems(position.y_offset),
                self.ems(position.y_advance),
                start..end.unwrap_or(word.len()),
                None,
            ));
        }
        let width_em = glyphs.iter().map(|glyph| glyph.x_advance).sum();
        Line { text: word.to_owned(), glyphs, width_em }
    }

    /// Converts units of the font, which fit into 16 bits, to ems.
    fn ems(&self, units: i32) -> f32 {
        f32::from(i16::try_from(units).unwrap_or_default()) / self.units_per_em
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [(f32, usize); 2] = [(12.0, 1), (9.0, 2)];

    fn regular() -> &'static Face {
        Faces::embedded().unwrap().regular
    }

    fn texts(paragraph: &Paragraph) -> Vec<&str> {
        paragraph.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_text_shrinks_then_wraps_then_ends_with_an_ellipsis() {
        let face = regular();
        let short = face.fit("Night of\r\nthe  Sonatas", 200.0, &SIZES);
        assert_eq!((texts(&short), short.size), (vec!["Night of the Sonatas"], 12.0));
        let long =
            face.fit("겨울밤의 소나타 그리고 아주 긴 제목이 끝없이 이어지는 밤", 200.0, &SIZES);
        assert_eq!((long.lines.len(), long.size), (2, 9.0));
        let endless = face.fit(&"soprano ".repeat(100), 200.0, &SIZES);
        assert_eq!(endless.lines.len(), 2);
        assert!(texts(&endless)[1].ends_with(ELLIPSIS), "{:?}", texts(&endless));
        for line in &endless.lines {
            assert!(line.width(endless.size) <= 200.0);
        }
    }

    #[test]
    fn a_word_longer_than_a_line_is_broken_and_keeps_every_letter() {
        let word = "가나다라마바사아자차카타파하".repeat(3);
        let paragraph = regular().fit(&word, 200.0, &[(10.0, 9)]);
        assert!(paragraph.lines.len() > 1);
        assert_eq!(texts(&paragraph).concat(), word);
        let narrow = regular().fit("WW", 1.0, &[(10.0, 2)]);
        assert_eq!(texts(&narrow), ["W", "W"]);
    }

    #[test]
    fn what_no_font_has_becomes_a_box_with_its_text_behind_it() {
        let face = regular();
        let boxed = face.shape_as_is(BOX).glyphs[0].glyph_id;
        assert_ne!(boxed, GlyphId::new(0));
        for (text, boxes) in [("Ada 🎻🎼", 1), ("\u{5d0}\u{5d1}\u{5d2} Ada", 1), ("🎻a🎻", 2)]
        {
            let line = face.line(text);
            assert_eq!(line.text, text);
            assert!(line.glyphs.iter().all(|glyph| glyph.glyph_id != GlyphId::new(0)));
            let n_boxes = line.glyphs.iter().filter(|glyph| glyph.glyph_id == boxed).count();
            assert_eq!(n_boxes, boxes, "{text}");
        }
    }
}
