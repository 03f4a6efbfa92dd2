//! Pen that draws text and rules on a page.

use krilla::{
    color::rgb,
    geom::{PathBuilder, Point},
    paint::{Fill, FillRule, Stroke},
    surface::Surface,
};

use super::{
    line::Line,
    typesetting::{Face, Faces, Paragraph},
};

/// Height of a line's letters above its baseline, as a multiple of the size.
const ASCENT: f32 = 0.96;

/// Ink, its softer shade and the accent, as on the pages of the site.
pub(crate) const INK: (u8, u8, u8) = (0x14, 0x21, 0x1b);
pub(crate) const SOFT: (u8, u8, u8) = (0x4f, 0x5f, 0x57);
pub(crate) const ACCENT: (u8, u8, u8) = (0x0c, 0x5f, 0x47);
pub(crate) const HAIR: (u8, u8, u8) = (0xb8, 0xc4, 0xbd);

/// Pen that draws from the top to the bottom; `y` is the position that it has reached.
pub(crate) struct Pen<'a, 'b> {
    pub(crate) surface: &'a mut Surface<'b>,
    pub(crate) faces: Faces,
    pub(crate) y: f32,
}

impl Pen<'_, '_> {
    /// Draws the lines of a paragraph from `y` on.
    pub(crate) fn paragraph(
        &mut self,
        face: &Face,
        paragraph: &Paragraph,
        left: f32,
        color: (u8, u8, u8),
    ) {
        for line in &paragraph.lines {
            let baseline = self.y + paragraph.size * ASCENT;
            self.line(face, line, (left, baseline), paragraph.size, color);
            self.y += paragraph.line_height();
        }
    }

    /// Draws a line with its baseline at a point.
    pub(crate) fn line(
        &mut self,
        face: &Face,
        line: &Line,
        (x, y): (f32, f32),
        size: f32,
        color: (u8, u8, u8),
    ) {
        self.surface.set_fill(Some(fill(color)));
        for (idx, start_em, glyphs) in line.runs() {
            let Some(font) = face.font(idx) else { continue };
            let start = Point::from_xy(x + start_em * size, y);
            self.surface.draw_glyphs(start, &glyphs, font, &line.text, size, false);
        }
    }

    /// Draws a rule from `left` to `right`.
    pub(crate) fn rule(
        &mut self,
        (left, right): (f32, f32),
        y: f32,
        width: f32,
        (red, green, blue): (u8, u8, u8),
    ) {
        let mut path = PathBuilder::new();
        path.move_to(left, y);
        path.line_to(right, y);
        let Some(path) = path.finish() else { return };
        let paint = rgb::Color::new(red, green, blue).into();
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(Stroke { paint, width, ..Stroke::default() }));
        self.surface.draw_path(&path);
        self.surface.set_stroke(None);
    }
}

pub(crate) fn fill((red, green, blue): (u8, u8, u8)) -> Fill {
    let paint = rgb::Color::new(red, green, blue).into();
    Fill { paint, rule: FillRule::NonZero, ..Fill::default() }
}
