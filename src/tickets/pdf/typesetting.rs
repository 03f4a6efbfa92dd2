//! Text set in the embedded fonts: shaping, line breaks, and boxes for characters that no font has.
//!
//! A **face** is the letters of one weight, from two fonts in `fonts/` (SIL Open Font License 1.1):
//! Pretendard has Latin, Cyrillic, Greek, Hangul and kana, and a part of Noto Sans CJK JP has the
//! kanji. A run of characters that both lack (emoji, other scripts) is drawn as one box; the
//! original text stays behind the box, so it can be selected and searched.

use std::sync::LazyLock;

use krilla::text::{Font, GlyphId, KrillaGlyph};

use super::{
    line::{Glyph, Line, width_em},
    typeface::Typeface,
};

/// Number of characters of a text that are set; the rest is replaced by an ellipsis.
const CHARS_MAX: usize = 400;
/// Glyph that stands for characters that the fonts lack.
const BOX: &str = "\u{25a1}";
const ELLIPSIS: &str = "\u{2026}";

static REGULAR: LazyLock<Option<Face>> = LazyLock::new(|| {
    Face::new([
        include_bytes!("../../../fonts/Pretendard-Regular.otf"),
        include_bytes!("../../../fonts/NotoSansKanji-Regular.otf"),
    ])
});
static BOLD: LazyLock<Option<Face>> = LazyLock::new(|| {
    Face::new([
        include_bytes!("../../../fonts/Pretendard-Bold.otf"),
        include_bytes!("../../../fonts/NotoSansKanji-Bold.otf"),
    ])
});

/// Letters of one weight. A character is taken from the first font that has it.
pub(crate) struct Face {
    typefaces: Vec<Typeface>,
}

/// The faces of a ticket.
#[derive(Clone, Copy)]
pub(crate) struct Faces {
    pub(crate) regular: &'static Face,
    pub(crate) bold: &'static Face,
}

impl Faces {
    /// Returns the embedded fonts; `None` if one cannot be read, which a test rules out.
    pub(crate) fn embedded() -> Option<Self> {
        Some(Self { regular: REGULAR.as_ref()?, bold: BOLD.as_ref()? })
    }
}

/// Text broken into lines of one size.
#[derive(Clone, Debug)]
pub(crate) struct Paragraph {
    pub(crate) lines: Vec<Line>,
    /// Size of the font, in points.
    pub(crate) size: f32,
}

impl Paragraph {
    /// Distance between two lines, as a multiple of the size.
    const LEADING: f32 = 1.28;

    /// Distance between two lines, in points.
    pub(crate) fn line_height(&self) -> f32 {
        self.size * Self::LEADING
    }
}

impl Face {
    fn new(files: [&'static [u8]; 2]) -> Option<Self> {
        let typefaces = files.into_iter().map(Typeface::new).collect::<Option<_>>()?;
        Some(Self { typefaces })
    }

    /// Returns the font with this index.
    pub(crate) fn font(&self, idx: usize) -> Option<Font> {
        self.typefaces.get(idx).map(|typeface| typeface.font.clone())
    }

    /// Breaks `text` at white space into at most so many lines of `width` points, at the first of
    /// `sizes` (size in points, lines) at which it fits; at the last one it ends with an ellipsis if
    /// it does not fit. A word that is longer than a line is broken inside.
    pub(crate) fn fit(&self, text: &str, width: f32, sizes: &[(f32, usize)]) -> Paragraph {
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
    pub(crate) fn line(&self, text: &str) -> Line {
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

    /// Shapes one word. Each run of characters that no font has becomes one box.
    fn shape(&self, word: &str) -> Line {
        let glyphs = self.glyphs(word, 0);
        Line { text: word.to_owned(), width_em: width_em(&glyphs), glyphs }
    }

    /// Shapes `text` with the font `idx`, and each run that it lacks with the next one.
    fn glyphs(&self, text: &str, idx: usize) -> Vec<Glyph> {
        let Some(typeface) = self.typefaces.get(idx) else { return self.boxed(text) };
        let shaped = typeface.shape(text);
        let is_missing = |glyph: &KrillaGlyph| glyph.glyph_id == GlyphId::new(0);
        let mut glyphs = Vec::with_capacity(shaped.len());
        for run in shaped.chunk_by(|a, b| is_missing(a) == is_missing(b)) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            if is_missing(first) {
                let start = first.text_range.start;
                let lacked = text.get(start..last.text_range.end).unwrap_or_default();
                glyphs.extend(self.glyphs(lacked, idx + 1).iter().map(|glyph| glyph.moved(start)));
            } else {
                glyphs.extend(run.iter().cloned().map(|shape| Glyph { font: idx, shape }));
            }
        }
        glyphs
    }

    /// Returns one box for all of `text`.
    fn boxed(&self, text: &str) -> Vec<Glyph> {
        let stand_in = self.typefaces.first().and_then(|typeface| typeface.shape(BOX).pop());
        let stand_in = stand_in.map(|mut shape| {
            shape.text_range = 0..text.len();
            Glyph { font: 0, shape }
        });
        stand_in.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::i18n::Locale;

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
        let boxed = face.boxed(BOX)[0].shape.glyph_id;
        assert_ne!(boxed, GlyphId::new(0));
        for (text, boxes) in [("Ada 🎻🎼", 1), ("\u{5d0}\u{5d1}\u{5d2} Ada", 1), ("🎻a🎻", 2)]
        {
            let line = face.line(text);
            assert_eq!(line.text, text);
            let ids: Vec<GlyphId> = line.glyphs.iter().map(|glyph| glyph.shape.glyph_id).collect();
            assert!(!ids.contains(&GlyphId::new(0)), "{text}");
            assert_eq!(ids.iter().filter(|id| **id == boxed).count(), boxes, "{text}");
        }
    }

    #[test]
    fn a_character_is_taken_from_the_font_that_has_it() {
        for face in [regular(), Faces::embedded().unwrap().bold] {
            let line = face.line("冬の夜A🎻髙橋");
            let runs: Vec<(usize, usize)> =
                line.runs().map(|(font, _, glyphs)| (font, glyphs.len())).collect();
            assert_eq!(runs[..4], [(1, 1), (0, 1), (1, 1), (0, 2)]);
            let mut end = 0;
            for glyph in &line.glyphs {
                assert_eq!(glyph.shape.text_range.start, end);
                end = glyph.shape.text_range.end;
            }
            assert_eq!(end, line.text.len());
        }
    }

    #[test]
    fn a_text_of_every_language_is_set_without_a_box() {
        let boxed = regular().boxed(BOX)[0].shape.glyph_id;
        for locale in Locale::all() {
            let texts = ["ticket-pdf-note", "ticket-seat", "ticket-holder", "points-unit"];
            for text in texts.map(|key| locale.text(key).to_string()) {
                let line = regular().line(&text);
                assert!(line.glyphs.iter().all(|glyph| glyph.shape.glyph_id != boxed), "{text}");
            }
        }
    }
}
