//! Page of one ticket: its texts, and where they stand.
//!
//! A page is DIN A6, upright. It fills the screen of a phone with text that can be read, and its
//! shape is that of A4: a printer enlarges it to a sheet, or puts four on one, without a margin
//! to cut away. Nothing is filled but the letters and the code, so it takes little ink.

use krilla::{
    geom::{PathBuilder, Rect, Size, Transform},
    page::PageSettings,
    surface::Surface,
};
use qrcode::{Color, EcLevel, QrCode};

use super::{
    line::Line,
    pen::{ACCENT, HAIR, INK, Pen, SOFT, fill},
    typesetting::{Face, Faces},
};

/// Width and height of A6, in points.
const PAGE: (f32, f32) = (297.64, 419.53);
const MARGIN: f32 = 24.0;
const WIDTH: f32 = PAGE.0 - 2.0 * MARGIN;
const RIGHT: f32 = PAGE.0 - MARGIN;
/// Width of the names' column; prices stand beside it.
const NAME_WIDTH: f32 = 158.0;
/// Side of the code, in points, at most; long texts above it leave less.
const QR_MAX: f32 = 144.0;
/// White modules around the code, which scanners need (ISO/IEC 18004).
const QUIET_ZONE: u16 = 4;
/// Height of the code in letters and of the line below it.
const FOOT: f32 = 23.0;
const GAP: f32 = 12.0;

/// Sizes in points with the lines that a text may take at each.
const TITLE_SIZES: [(f32, usize); 3] = [(19.0, 2), (15.0, 2), (12.0, 3)];
/// Sizes of a title above the line that says when its performance was to begin.
const MOVED_TITLE_SIZES: [(f32, usize); 2] = [(15.0, 2), (12.0, 2)];
const WHEN_SIZES: [(f32, usize); 2] = [(11.0, 1), (9.0, 1)];
const MOVED_SIZES: [(f32, usize); 2] = [(8.5, 1), (7.0, 1)];
const VENUE_SIZES: [(f32, usize); 2] = [(10.0, 1), (8.5, 2)];
const ADDRESS_SIZES: [(f32, usize); 2] = [(8.5, 1), (7.5, 2)];
/// Sizes of an address on a ticket that says what to bring, or when it was to begin, which must not make the
/// code smaller.
const SHORT_ADDRESS_SIZES: [(f32, usize); 2] = [(8.5, 1), (7.5, 1)];
const SEAT_SIZES: [(f32, usize); 3] = [(14.0, 1), (11.0, 1), (9.0, 2)];
const FACT_SIZES: [(f32, usize); 2] = [(10.0, 1), (8.0, 2)];
const BRING_SIZES: [(f32, usize); 2] = [(8.5, 1), (7.0, 2)];
const OFFICE_SIZES: [(f32, usize); 3] = [(9.0, 1), (7.5, 1), (5.5, 2)];
const SMALL: f32 = 7.5;
const CODE_SIZE: f32 = 8.5;

/// Name of a fact and the fact.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) value: String,
}

/// Texts of one page, in the reader's language.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    /// Name of the office.
    pub(super) office: String,
    pub(super) title: String,
    pub(super) when: String,
    /// Sentence about the start that was agreed before; empty if it is the same.
    pub(super) moved: String,
    pub(super) venue: String,
    /// Address of the venue; empty if it is not known.
    pub(super) address: String,
    pub(super) seat: Fact,
    pub(super) holder: Fact,
    pub(super) price: Fact,
    /// What to bring for the price type; empty if there is nothing to bring.
    pub(super) what_to_bring: String,
    /// Position of the ticket among the tickets of the file's reservation, as text.
    pub(super) position: String,
    /// Text that says what the code is for.
    pub(super) note: String,
    pub(super) reservation: String,
    /// Code of the ticket, as the door reads it.
    pub(super) code: String,
    /// Code in groups of four letters, as people read it.
    pub(super) grouped_code: String,
}

/// Returns the settings of a page; `None` never happens for a positive size.
pub(super) fn page_settings() -> Option<PageSettings> {
    Some(PageSettings::new(Size::from_wh(PAGE.0, PAGE.1)?))
}

/// Draws a page; `None` if the code cannot be drawn.
pub(super) fn draw(surface: &mut Surface<'_>, faces: Faces, sheet: &Sheet) -> Option<()> {
    let mut pen = Pen { surface, faces, y: MARGIN };
    pen.head(sheet);
    pen.occasion(sheet);
    pen.facts(sheet);
    pen.foot(sheet)
}

impl Pen<'_, '_> {
    fn head(&mut self, sheet: &Sheet) {
        let Faces { regular, bold } = self.faces;
        let baseline = self.y + 8.0;
        let position = regular.line(&sheet.position);
        let left = RIGHT - position.width(SMALL);
        let office = bold.fit(&sheet.office, left - MARGIN - GAP, &OFFICE_SIZES);
        for (below, line) in (0_u8..).zip(office.lines.iter().rev()) {
            let y = baseline - f32::from(below) * office.line_height();
            self.line(bold, line, (MARGIN, y), office.size, ACCENT);
        }
        self.line(regular, &position, (left, baseline), SMALL, SOFT);
        self.rule((MARGIN, RIGHT), baseline + 7.0, 1.0, ACCENT);
        self.y = baseline + 7.0 + GAP;
    }

    fn occasion(&mut self, sheet: &Sheet) {
        let Faces { regular, bold } = self.faces;
        let sizes = match sheet.moved.is_empty() {
            true => TITLE_SIZES.as_slice(),
            false => MOVED_TITLE_SIZES.as_slice(),
        };
        let title = bold.fit(&sheet.title, WIDTH, sizes);
        self.paragraph(bold, &title, MARGIN, INK);
        self.y += 4.0;
        let when = bold.fit(&sheet.when, WIDTH, &WHEN_SIZES);
        self.paragraph(bold, &when, MARGIN, INK);
        if !sheet.moved.is_empty() {
            let moved = regular.fit(&sheet.moved, WIDTH, &MOVED_SIZES);
            self.paragraph(regular, &moved, MARGIN, INK);
        }
        let venue = regular.fit(&sheet.venue, WIDTH, &VENUE_SIZES);
        self.paragraph(regular, &venue, MARGIN, INK);
        if !sheet.address.is_empty() {
            let sizes = match sheet.what_to_bring.is_empty() && sheet.moved.is_empty() {
                true => &ADDRESS_SIZES,
                false => &SHORT_ADDRESS_SIZES,
            };
            let address = regular.fit(&sheet.address, WIDTH, sizes);
            self.paragraph(regular, &address, MARGIN, SOFT);
        }
        self.y += 7.0;
        self.rule((MARGIN, RIGHT), self.y, 0.5, HAIR);
        self.y += 8.0;
    }

    fn facts(&mut self, sheet: &Sheet) {
        self.fact(&sheet.seat, MARGIN, WIDTH, &SEAT_SIZES);
        self.y += 4.0;
        let top = self.y;
        self.fact(&sheet.holder, MARGIN, NAME_WIDTH, &FACT_SIZES);
        let end = self.y;
        self.y = top;
        let left = MARGIN + NAME_WIDTH + GAP;
        self.fact(&sheet.price, left, RIGHT - left, &FACT_SIZES);
        self.y = self.y.max(end);
        if !sheet.what_to_bring.is_empty() {
            let text = self.faces.regular.fit(&sheet.what_to_bring, WIDTH, &BRING_SIZES);
            self.paragraph(self.faces.regular, &text, MARGIN, INK);
        }
    }

    fn fact(&mut self, fact: &Fact, left: f32, width: f32, sizes: &[(f32, usize)]) {
        let Faces { regular, bold } = self.faces;
        let name = regular.fit(&fact.name, width, &[(SMALL, 1)]);
        self.paragraph(regular, &name, left, SOFT);
        let value = bold.fit(&fact.value, width, sizes);
        self.paragraph(bold, &value, left, INK);
    }

    /// Draws the code, as large as the space above the lower margin allows, and the lines below it.
    fn foot(&mut self, sheet: &Sheet) -> Option<()> {
        let Faces { regular, bold } = self.faces;
        let bottom = PAGE.1 - MARGIN;
        self.qr_code(&sheet.code, bottom - FOOT)?;
        let code = bold.line(&sheet.grouped_code);
        self.centered(bold, &code, bottom - 16.0, CODE_SIZE, INK);
        let note = regular.line(&format!("{} \u{b7} {}", sheet.note, sheet.reservation));
        self.centered(regular, &note, bottom - 2.0, 7.0, SOFT);
        Some(())
    }

    /// Draws the code black on white, as its page does, in the middle of the space above `bottom`.
    fn qr_code(&mut self, code: &str, bottom: f32) -> Option<()> {
        let matrix = QrCode::with_error_correction_level(code, EcLevel::Q).ok()?;
        let n_modules = u16::try_from(matrix.width()).ok()?;
        let module = self.module(n_modules, bottom);
        let side = module * f32::from(n_modules);
        let (left, top) = ((PAGE.0 - side) / 2.0, (self.y + bottom - side) / 2.0);
        let colors = matrix.to_colors();
        let mut squares = PathBuilder::new();
        for (y, row) in (0u16..).zip(colors.chunks(matrix.width())) {
            for (x, _) in (0u16..).zip(row).filter(|(_, color)| **color == Color::Dark) {
                squares.push_rect(Rect::from_xywh(x.into(), y.into(), 1.0, 1.0)?);
            }
        }
        self.surface.push_transform(&Transform::from_row(module, 0.0, 0.0, module, left, top));
        self.surface.set_fill(Some(fill((0, 0, 0))));
        self.surface.draw_path(&squares.finish()?);
        self.surface.pop();
        Some(())
    }

    /// Returns the side of a module, in points: the code and its quiet zone fit above `bottom`.
    fn module(&self, n_modules: u16, bottom: f32) -> f32 {
        let fitting = (bottom - self.y) / f32::from(n_modules + 2 * QUIET_ZONE);
        fitting.min(QR_MAX / f32::from(n_modules))
    }

    fn centered(&mut self, face: &Face, line: &Line, y: f32, size: f32, color: (u8, u8, u8)) {
        let size = size.min(size * WIDTH / line.width(size).max(1.0));
        self.line(face, line, ((PAGE.0 - line.width(size)) / 2.0, y), size, color);
    }
}

#[cfg(test)]
mod tests {
    use krilla::Document;

    use super::*;

    /// Smallest side that is printed: a module of 1.3 mm.
    const QR_MIN: f32 = 96.0;

    #[test]
    fn the_longest_texts_leave_room_for_the_code() {
        let long = "Night of the Sonatas 겨울밤의 소나타 ".repeat(40);
        let fact = || Fact { name: long.clone(), value: long.clone() };
        let sheet = Sheet {
            office: long.clone(),
            title: long.clone(),
            when: long.clone(),
            moved: long.clone(),
            venue: long.clone(),
            address: long.clone(),
            seat: fact(),
            holder: fact(),
            price: fact(),
            what_to_bring: long.clone(),
            position: long.clone(),
            note: long.clone(),
            reservation: long.clone(),
            code: String::new(),
            grouped_code: long.clone(),
        };
        let mut document = Document::new();
        let mut page = document.start_page_with(page_settings().unwrap());
        let mut surface = page.surface();
        let faces = Faces::embedded().unwrap();
        let mut pen = Pen { surface: &mut surface, faces, y: MARGIN };
        pen.head(&sheet);
        pen.occasion(&sheet);
        pen.facts(&sheet);
        let side = pen.module(25, PAGE.1 - MARGIN - FOOT) * 25.0;
        assert!(side >= QR_MIN, "{side}");
    }
}
