//! Paper that tickets are set on: a page of their own, or four on a sheet of A4.
//!
//! A4 is as large as four pages of A6, so nothing is made smaller. The sheet has dashed lines to cut
//! along.

use krilla::{
    Document,
    color::rgb,
    geom::{PathBuilder, Size, Transform},
    page::PageSettings,
    paint::{Stroke, StrokeDash},
    surface::Surface,
};

use super::{
    sheet::{self, Sheet},
    typesetting::Faces,
};

/// Width and height of A4, in points.
const A4: (f32, f32) = (595.28, 841.89);
/// Color of the lines to cut along, their width, and the length of a dash and of a gap, in points.
const LINE: (u8, u8, u8) = (0x76, 0x85, 0x7d);
const LINE_WIDTH: f32 = 0.5;
const DASH: f32 = 4.0;

/// Paper of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    /// A6, one ticket a page: for a phone.
    OneTicket,
    /// A4, four tickets a page: for a printer.
    FourTickets,
}

impl Paper {
    fn tickets_a_page(self) -> usize {
        match self {
            Self::OneTicket => 1,
            Self::FourTickets => 4,
        }
    }

    /// Adds the pages of `sheets` to `document`; `None` if one of them cannot be drawn.
    pub(super) fn draw(
        self,
        document: &mut Document,
        faces: Faces,
        sheets: &[Sheet],
    ) -> Option<()> {
        for together in sheets.chunks(self.tickets_a_page()) {
            let mut page = document.start_page_with(self.settings()?);
            let mut surface = page.surface();
            match self {
                Self::OneTicket => sheet::draw(&mut surface, faces, together.first()?)?,
                Self::FourTickets => draw_four(&mut surface, faces, together)?,
            }
            surface.finish();
            page.finish();
        }
        Some(())
    }

    fn settings(self) -> Option<PageSettings> {
        match self {
            Self::OneTicket => sheet::page_settings(),
            Self::FourTickets => Some(PageSettings::new(Size::from_wh(A4.0, A4.1)?)),
        }
    }
}

/// Draws up to four tickets from the left to the right and from the top to the bottom.
fn draw_four(surface: &mut Surface<'_>, faces: Faces, sheets: &[Sheet]) -> Option<()> {
    let (width, height) = (A4.0 / 2.0, A4.1 / 2.0);
    let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
    for (sheet, (left, top)) in sheets.iter().zip(corners) {
        surface.push_transform(&Transform::from_translate(left, top));
        sheet::draw(surface, faces, sheet)?;
        surface.pop();
    }
    let mut lines = PathBuilder::new();
    lines.move_to(width, 0.0);
    lines.line_to(width, A4.1);
    lines.move_to(0.0, height);
    lines.line_to(A4.0, height);
    let (red, green, blue) = LINE;
    let dash = Some(StrokeDash { array: vec![DASH, DASH], offset: 0.0 });
    let paint = rgb::Color::new(red, green, blue).into();
    surface.set_fill(None);
    surface.set_stroke(Some(Stroke { paint, width: LINE_WIDTH, dash, ..Stroke::default() }));
    surface.draw_path(&lines.finish()?);
    surface.set_stroke(None);
    Some(())
}
