//! Receipt as a PDF file on A4: who sold what to whom, the total, the tax in it, and what the receipt is about.

use krilla::{Document, geom::Size, page::PageSettings};

use super::shown::ShownReceipt;
use crate::{
    text::{
        i18n::Locale,
        times::{home, in_full, zone},
    },
    tickets::pdf::{
        finished,
        pen::{ACCENT, HAIR, INK, Pen, SOFT},
        typesetting::Faces,
    },
};

/// Width and height of A4, in points.
const PAGE: (f32, f32) = (595.28, 841.89);
const MARGIN: f32 = 56.0;
const RIGHT: f32 = PAGE.0 - MARGIN;
const WIDTH: f32 = RIGHT - MARGIN;
/// Width of a column of amounts, and of what stands before it.
const AMOUNT: f32 = 120.0;
const WHAT: f32 = WIDTH - AMOUNT;
/// Height that a row of the table needs at most; one that does not fit begins a page.
const ROW: f32 = 42.0;

/// Sizes in points with the lines that a text may take at each.
const TITLE: [(f32, usize); 1] = [(20.0, 1)];
const NAME: [(f32, usize); 3] = [(11.0, 2), (9.0, 3), (7.5, 5)];
const TEXT: [(f32, usize); 2] = [(9.5, 4), (8.0, 8)];
const CELL: [(f32, usize); 2] = [(10.0, 1), (8.0, 2)];
const TOTAL: [(f32, usize); 2] = [(13.0, 1), (9.0, 1)];
const LABEL: [(f32, usize); 1] = [(8.0, 1)];

/// Row of the table: what, and the amount.
struct Row {
    what: String,
    amount: String,
}

/// Texts of a receipt in the reader's language.
pub(super) struct ReceiptSheet {
    title: String,
    /// Labels of the sides and their lines.
    seller: (String, Vec<String>),
    buyer: Option<(String, String)>,
    dates: String,
    occasion: String,
    rows: Vec<Row>,
    total: Row,
    tax: Option<String>,
    notes: Vec<String>,
}

impl ReceiptSheet {
    /// Writes the texts of a receipt.
    pub(super) fn of(shown: &ShownReceipt) -> Self {
        let (row, locale) = (&shown.row, shown.locale);
        let text = |key: &'static str| locale.text(key).to_string();
        let tax_number = locale.text("sale-receipt-tax-number").word("number", &row.tax_number);
        let tax_number =
            if row.tax_number.is_empty() { String::new() } else { tax_number.to_string() };
        let lines = [row.seller.clone(), row.seller_address.clone(), tax_number];
        let lines = lines.into_iter().filter(|line| !line.is_empty()).collect();
        let mut rows: Vec<Row> = Vec::new();
        for line in &shown.lines {
            let places = locale.text("places-count").number("count", line.places.abs());
            let what = format!("{} \u{b7} {places}", shown.line_name(line));
            rows.push(Row { what, amount: shown.line_amount(line) });
        }
        let extra = |key: &'static str, amount: Option<String>| {
            amount.map(|amount| Row { what: text(key), amount })
        };
        rows.extend(extra("sale-receipt-discount", shown.discount()));
        rows.extend(extra("sale-receipt-fee", shown.fee()));
        let total =
            if row.kind.is_payment() { "sale-receipt-total" } else { "sale-receipt-refunded" };
        let moment = |at| in_full(at, home(), locale);
        let dates = shown.dates(moment(row.issued_at), moment(row.at));
        let when = in_full(row.starts_at, zone(&row.time_zone), locale);
        Self {
            title: shown.title(),
            seller: (text("sale-receipt-seller"), lines),
            buyer: Some(row.buyer.clone())
                .filter(|buyer| !buyer.is_empty())
                .map(|buyer| (text("sale-receipt-buyer"), buyer)),
            dates,
            occasion: format!("{} \u{b7} {when}", row.title),
            rows,
            total: Row { what: text(total), amount: shown.total() },
            tax: shown.tax(),
            notes: shown.notes(),
        }
    }
}

/// Draws the file; `None` if a page cannot be drawn.
pub(super) fn render(sheet: &ReceiptSheet, locale: Locale) -> Option<Vec<u8>> {
    let faces = Faces::embedded()?;
    let mut document = Document::new();
    let mut rest = sheet.rows.as_slice();
    let mut is_first = true;
    loop {
        let mut page = document.start_page_with(PageSettings::new(Size::from_wh(PAGE.0, PAGE.1)?));
        let mut surface = page.surface();
        let mut pen = Pen { surface: &mut surface, faces, y: MARGIN };
        pen.title(sheet);
        if is_first {
            pen.sides(sheet);
        }
        rest = pen.rows(rest);
        let is_last = rest.is_empty() && pen.has_room_for_end(sheet);
        if is_last {
            pen.end(sheet);
        }
        surface.finish();
        page.finish();
        if is_last {
            return finished(document, sheet.title.clone(), locale);
        }
        is_first = false;
    }
}

impl Pen<'_, '_> {
    fn title(&mut self, sheet: &ReceiptSheet) {
        let title = self.faces.bold.fit(&sheet.title, WIDTH, &TITLE);
        self.paragraph(self.faces.bold, &title, MARGIN, ACCENT);
        let dates = self.faces.regular.fit(&sheet.dates, WIDTH, &TEXT);
        self.paragraph(self.faces.regular, &dates, MARGIN, SOFT);
        self.y += 10.0;
        self.rule((MARGIN, RIGHT), self.y, 1.0, ACCENT);
        self.y += 16.0;
    }

    /// Draws the seller and the buyer, and what was sold.
    fn sides(&mut self, sheet: &ReceiptSheet) {
        let Faces { regular, bold } = self.faces;
        let (label, lines) = &sheet.seller;
        self.label(label);
        for (nth, line) in (0..).zip(lines) {
            let (face, sizes) = if nth == 0 { (bold, &NAME[..]) } else { (regular, &TEXT[..]) };
            let fitted = face.fit(line, WIDTH, sizes);
            self.paragraph(face, &fitted, MARGIN, INK);
        }
        self.y += 12.0;
        if let Some((label, buyer)) = &sheet.buyer {
            self.label(label);
            let fitted = bold.fit(buyer, WIDTH, &NAME);
            self.paragraph(bold, &fitted, MARGIN, INK);
            self.y += 12.0;
        }
        let occasion = bold.fit(&sheet.occasion, WIDTH, &NAME);
        self.paragraph(bold, &occasion, MARGIN, INK);
        self.y += 8.0;
        self.rule((MARGIN, RIGHT), self.y, 0.5, HAIR);
        self.y += 8.0;
    }

    fn label(&mut self, text: &str) {
        let label = self.faces.regular.fit(text, WIDTH, &LABEL);
        self.paragraph(self.faces.regular, &label, MARGIN, SOFT);
    }

    /// Draws the rows that the page has room for, and returns the others.
    fn rows<'r>(&mut self, rows: &'r [Row]) -> &'r [Row] {
        let mut drawn = 0;
        for row in rows {
            if self.y + ROW > PAGE.1 - MARGIN {
                break;
            }
            self.row(row, &CELL, false);
            drawn += 1;
        }
        rows.get(drawn..).unwrap_or_default()
    }

    fn row(&mut self, row: &Row, sizes: &[(f32, usize)], is_total: bool) {
        let Faces { regular, bold } = self.faces;
        let face = if is_total { bold } else { regular };
        let top = self.y;
        let what = face.fit(&row.what, WHAT, sizes);
        self.paragraph(face, &what, MARGIN, INK);
        let bottom = self.y;
        self.y = top;
        let amount = face.fit(&row.amount, AMOUNT, sizes);
        let width = amount.lines.iter().map(|line| line.width(amount.size)).fold(0.0, f32::max);
        self.paragraph(face, &amount, RIGHT - width, INK);
        self.y = self.y.max(bottom) + 4.0;
    }

    /// Whether the total and the notes fit below the rows.
    fn has_room_for_end(&self, sheet: &ReceiptSheet) -> bool {
        let n_notes = u16::try_from(sheet.notes.len()).unwrap_or(u16::MAX);
        self.y + 3.0 * ROW + f32::from(n_notes) * 2.0 * 13.0 <= PAGE.1 - MARGIN
    }

    fn end(&mut self, sheet: &ReceiptSheet) {
        self.y += 4.0;
        self.rule((MARGIN, RIGHT), self.y, 0.5, HAIR);
        self.y += 8.0;
        self.row(&sheet.total, &TOTAL, true);
        if let Some(tax) = &sheet.tax {
            let tax = self.faces.regular.fit(tax, WIDTH, &CELL);
            self.paragraph(self.faces.regular, &tax, MARGIN, INK);
        }
        self.y += 12.0;
        for note in &sheet.notes {
            let note = self.faces.regular.fit(note, WIDTH, &[(8.5, 2), (7.5, 2)]);
            self.paragraph(self.faces.regular, &note, MARGIN, SOFT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(text: &str, n_rows: usize) -> ReceiptSheet {
        let row = || Row { what: text.to_owned(), amount: "\u{20a9}1,000,000".to_owned() };
        ReceiptSheet {
            title: "Receipt 12".to_owned(),
            seller: ("Seller".to_owned(), vec![text.to_owned(), text.to_owned()]),
            buyer: Some(("For".to_owned(), text.to_owned())),
            dates: "Issued today".to_owned(),
            occasion: text.to_owned(),
            rows: std::iter::repeat_with(row).take(n_rows).collect(),
            total: row(),
            tax: Some(text.to_owned()),
            notes: vec![text.to_owned(); 5],
        }
    }

    #[test]
    fn no_name_and_no_number_of_rows_keeps_a_receipt_from_being_drawn() {
        let odd = ["", "\u{202e}\u{5d0}\u{5d1} <b>", "\r\n\0", "\u{1f3bb}"].map(str::to_owned);
        for text in odd.into_iter().chain(["가".repeat(2_000), "Ltd ".repeat(50)]) {
            for n_rows in [0, 1, 17, 18, 19, 20, 1_000] {
                let drawn = render(&sheet(&text, n_rows), Locale::default());
                assert!(drawn.is_some_and(|file| file.starts_with(b"%PDF-")), "{text:?} {n_rows}");
            }
        }
    }
}
