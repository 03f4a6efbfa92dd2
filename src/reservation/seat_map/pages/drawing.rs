//! Drawing of a map's seats: their positions, marks and price classes.

use crate::{
    points::Points,
    reservation::{model::SeatStatus, seat_map::seat::MapSeat},
};

/// Distance between two seats, in units of the drawing.
const PITCH: f32 = 26.0;
/// Margin around the seats, in units of the drawing.
const MARGIN: f32 = 24.0;
/// Depth of the stage above the seats, in units of the drawing.
const STAGE: f32 = 64.0;
/// Minimum width of the drawing, which must contain the stage.
const WIDTH_MIN: f32 = 480.0;
/// Place of the symbol of a kind, from the upper left corner of its seat.
const KIND_OFFSET: (f32, f32) = (10.0, -4.0);
/// Place of a row's name: its middle this far before the first seat, its base line this far below that
/// seat's upper edge.
const ROW_NAME_OFFSET: (f32, f32) = (10.0, 14.0);
/// Number of price classes with a mark of their own.
const CLASSES: usize = 4;

/// Drawing of a performance, or of one section.
#[derive(Debug)]
pub(crate) struct Drawing {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) sections: Vec<SectionView>,
    /// Distinct prices, most expensive first.
    pub(crate) prices: Vec<Points>,
}

#[derive(Debug)]
pub(crate) struct SectionView {
    pub(crate) name: String,
    pub(crate) free: usize,
    /// Position of the section's name.
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) rows: Vec<RowView>,
}

#[derive(Debug)]
pub(crate) struct RowView {
    pub(crate) name: String,
    pub(crate) seats: Vec<SeatView>,
}

#[derive(Debug)]
pub(crate) struct SeatView {
    pub(crate) seat: MapSeat,
    pub(crate) x: f32,
    pub(crate) y: f32,
    /// Price class, from 1 (most expensive).
    pub(crate) class: usize,
}

impl RowView {
    /// Returns the middle of the row's name, which stands before its first seat.
    pub(crate) fn name_x(&self) -> f32 {
        self.seats.first().map_or(0.0, |first| first.x - ROW_NAME_OFFSET.0)
    }

    /// Returns the base line of the row's name.
    pub(crate) fn name_y(&self) -> f32 {
        self.seats.first().map_or(0.0, |first| first.y + ROW_NAME_OFFSET.1)
    }
}

impl SeatView {
    /// Returns the last part of the status's locale key.
    pub(crate) fn word(&self) -> &'static str {
        match self.seat.status {
            SeatStatus::Available => "free",
            SeatStatus::Held => "taken",
            SeatStatus::Reserved | SeatStatus::Blocked | SeatStatus::Hidden => "sold",
        }
    }

    /// Returns the left edge of the symbol of the seat's kind, which lies over its upper right corner.
    pub(crate) fn kind_x(&self) -> f32 {
        self.x + KIND_OFFSET.0
    }

    /// Returns the upper edge of the symbol of the seat's kind.
    pub(crate) fn kind_y(&self) -> f32 {
        self.y + KIND_OFFSET.1
    }

    /// Returns the name of the seat's symbol.
    pub(crate) fn mark(&self) -> String {
        match self.word() {
            "free" => format!("free-{}", self.class),
            word => word.to_owned(),
        }
    }
}

impl Drawing {
    /// Creates the drawing of `seats`, which must be in map order.
    pub(crate) fn of(seats: Vec<MapSeat>) -> Self {
        let least = |of: fn(&MapSeat) -> f32| seats.iter().map(of).fold(f32::INFINITY, f32::min);
        let most = |of: fn(&MapSeat) -> f32| seats.iter().map(of).fold(0.0_f32, f32::max);
        let (left, top) = (least(|seat| seat.x), least(|seat| seat.y));
        let seats_width = (most(|seat| seat.x) - left) * PITCH + PITCH + 2.0 * MARGIN;
        let width = seats_width.max(WIDTH_MIN);
        let inset = (width - seats_width) / 2.0 + MARGIN;

        let mut prices: Vec<Points> = seats.iter().map(|seat| seat.price).collect();
        prices.sort_by(|left, right| right.cmp(left));
        prices.dedup();
        let mut sections: Vec<SectionView> = Vec::new();
        let mut bottom = 0.0_f32;
        for seat in seats {
            let x = ((seat.x - left) * PITCH + inset).round();
            let y = ((seat.y - top) * PITCH + MARGIN + STAGE).round();
            bottom = bottom.max(y + PITCH);
            place(&mut sections, SeatView { x, y, class: class_of(&prices, seat.price), seat });
        }
        for section in &mut sections {
            section.sign();
        }
        Self { width: width.round(), height: (bottom + MARGIN).round(), sections, prices }
    }

    /// Returns every seat.
    pub(crate) fn seats(&self) -> impl Iterator<Item = &MapSeat> {
        let rows = self.sections.iter().flat_map(|section| &section.rows);
        rows.flat_map(|row| &row.seats).map(|view| &view.seat)
    }

    /// Returns the prices with their classes; prices beyond the last class share it.
    pub(crate) fn legend(&self) -> impl Iterator<Item = (usize, &Points)> {
        self.prices.iter().enumerate().map(|(idx, price)| ((idx + 1).min(CLASSES), price))
    }

    /// Returns the middle of the stage.
    pub(crate) fn center(&self) -> f32 {
        (self.width / 2.0).round()
    }

    /// Returns the SVG path of the stage.
    pub(crate) fn stage(&self) -> String {
        const HALF: f32 = 190.0;
        format!("M{} 12h380l-24 36q-166 22-332 0z", self.center() - HALF)
    }
}

impl SectionView {
    /// Places the section's name below its seats.
    fn sign(&mut self) {
        let (mut left, mut right, mut bottom) = (f32::INFINITY, 0.0_f32, 0.0_f32);
        for view in self.rows.iter().flat_map(|row| &row.seats) {
            left = left.min(view.x);
            right = right.max(view.x + PITCH);
            bottom = bottom.max(view.y + PITCH);
        }
        self.x = left.midpoint(right).round();
        self.y = (bottom + MARGIN / 2.0).round();
    }
}

fn class_of(prices: &[Points], price: Points) -> usize {
    prices.iter().position(|each| *each == price).map_or(CLASSES, |idx| (idx + 1).min(CLASSES))
}

/// Appends a seat to the current row, starting a new row or section when its name differs.
fn place(sections: &mut Vec<SectionView>, view: SeatView) {
    if sections.last().is_none_or(|section| section.name != view.seat.section) {
        let name = view.seat.section.clone();
        sections.push(SectionView { name, free: 0, x: 0.0, y: 0.0, rows: Vec::new() });
    }
    let Some(section) = sections.last_mut() else { return };
    section.free += usize::from(view.seat.is_free());
    if section.rows.last().is_none_or(|row| row.name != view.seat.row_label) {
        section.rows.push(RowView { name: view.seat.row_label.clone(), seats: Vec::new() });
    }
    if let Some(row) = section.rows.last_mut() {
        row.seats.push(view);
    }
}
