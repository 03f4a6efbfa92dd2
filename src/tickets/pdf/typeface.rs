//! Font file that text is shaped with and that a file embeds.

use harfrust::{Direction, FontRef, GlyphInfo, ShapeOptions, ShaperData, UnicodeBuffer};
use krilla::text::{Font, GlyphId, KrillaGlyph};

/// Font, ready to be shaped with and to be embedded.
pub(super) struct Typeface {
    pub(super) font: Font,
    reader: FontRef<'static>,
    shaper: ShaperData,
    units_per_em: f32,
}

impl Typeface {
    /// Reads a font file; `None` if it is none.
    pub(super) fn new(bytes: &'static [u8]) -> Option<Self> {
        let font = Font::new(bytes.into(), 0)?;
        let reader = FontRef::from_index(bytes, 0).ok()?;
        let shaper = ShaperData::new(&reader);
        Some(Self { units_per_em: font.units_per_em(), font, reader, shaper })
    }

    /// Shapes `text` from left to right, because the fonts have no script that runs the other way;
    /// a character that this font lacks has glyph 0.
    pub(super) fn shape(&self, text: &str) -> Vec<KrillaGlyph> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
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
                start..end.unwrap_or(text.len()),
                None,
            ));
        }
        glyphs
    }

    /// Converts units of the font, which fit into 16 bits, to ems.
    fn ems(&self, units: i32) -> f32 {
        f32::from(i16::try_from(units).unwrap_or_default()) / self.units_per_em
    }
}
