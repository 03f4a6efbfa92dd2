//! Drawing of a map's seats: their positions, marks and price classes.

use super::{price_mark::PriceMark, seat_view::SeatView, stage::StagePlace};
use crate::{
    points::Points,
    reservation::seat_map::{listing::class_of, seat::MapSeat},
};

/// Distance between two seats, in units of the drawing.
const PITCH: f32 = 26.0;
/// Distance from the upper left corner of a seat to its middle, in units of the drawing.
const SEAT_HALF: f32 = 10.0;
/// Margin around the seats, in units of the drawing.
const MARGIN: f32 = 24.0;
/// Depth of the stage above the seats, in units of the drawing.
const STAGE: f32 = 64.0;
/// Minimum width of the drawing, which must contain the stage.
const WIDTH_MIN: f32 = 480.0;
/// Place of a row's name: its middle is this far left of the first seat, its base line this far
/// below the upper edge of that seat.
const ROW_NAME_OFFSET: (f32, f32) = (10.0, 14.0);

/// Drawing of a performance, or of one section.
#[derive(Debug)]
pub struct Drawing {
    pub width: f32,
    pub height: f32,
    pub sections: Vec<SectionView>,
    /// Distinct prices, most expensive first.
    pub prices: Vec<PriceMark>,
    /// Stage as seats see it; `None` if the plan does not state it.
    pub sight: Option<StageView>,
}

/// Facts of the house that a drawing needs.
#[derive(Debug)]
pub struct HouseView<'a> {
    /// Prices that begin a class, most expensive first.
    pub scale: &'a [Points],
    pub stage: Option<StagePlace>,
    /// Whether the drawing shows one of several sections, turned towards the stage.
    pub is_section: bool,
}

/// Stage in the drawing, for the script that describes the view from a seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageView {
    pub stage: StagePlace,
    /// Middle of the stage's front edge, in units of the drawing; it may lie outside.
    pub x: f32,
    pub y: f32,
    /// Angle by which the drawing is turned, in degrees.
    pub turn: f32,
}

/// Section of a drawing.
#[derive(Debug)]
pub struct SectionView {
    pub name: String,
    pub free: usize,
    /// Position of the section's name.
    pub x: f32,
    pub y: f32,
    pub rows: Vec<RowView>,
}

/// Row of a drawn section.
#[derive(Debug)]
pub struct RowView {
    pub name: String,
    pub seats: Vec<SeatView>,
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

    /// Returns the SVG path through the row's seats: an arc by its ends and its middle.
    pub(crate) fn line(&self) -> String {
        let middle_of = |at: usize| {
            self.seats.get(at).map_or((0.0, 0.0), |seat| (seat.x + SEAT_HALF, seat.y + SEAT_HALF))
        };
        let last = self.seats.len().saturating_sub(1);
        let between =
            |(x, y): (f32, f32), (to_x, to_y): (f32, f32)| (x.midpoint(to_x), y.midpoint(to_y));
        let (from, to) = (middle_of(0), middle_of(last));
        let middle = between(middle_of(last / 2), middle_of(last.div_ceil(2)));
        let chord = between(from, to);
        let bend = (2.0 * middle.0 - chord.0, 2.0 * middle.1 - chord.1);
        format!("M{} {}Q{} {} {} {}", from.0, from.1, bend.0, bend.1, to.0, to.1)
    }
}

impl Drawing {
    /// Creates the drawing of `seats`, which must be in map order.
    pub fn of(seats: Vec<MapSeat>, house: &HouseView<'_>) -> Self {
        let turn = if house.is_section { slant(&seats) } else { 0.0 };
        let turned = |x: f32, y: f32| {
            let (sin, cos) = turn.sin_cos();
            (x * cos + y * sin, y * cos - x * sin)
        };
        let places: Vec<(f32, f32)> = seats.iter().map(|seat| turned(seat.x, seat.y)).collect();
        let least =
            |of: fn(&(f32, f32)) -> f32| places.iter().map(of).fold(f32::INFINITY, f32::min);
        let (left, top) = (least(|place| place.0), least(|place| place.1));
        let right = places.iter().map(|place| place.0).fold(f32::NEG_INFINITY, f32::max);
        let seats_width = (right - left) * PITCH + PITCH + 2.0 * MARGIN;
        let width = seats_width.max(WIDTH_MIN);
        let inset = (width - seats_width) / 2.0 + MARGIN;
        let drawn = |(x, y): (f32, f32)| {
            (((x - left) * PITCH + inset).round(), ((y - top) * PITCH + MARGIN + STAGE).round())
        };

        let prices = PriceMark::list(&seats, house.scale);
        let mut sections: Vec<SectionView> = Vec::new();
        let mut bottom = 0.0_f32;
        for (seat, place) in seats.into_iter().zip(&places) {
            let (x, y) = drawn(*place);
            bottom = bottom.max(y + PITCH);
            let class = class_of(house.scale, seat.price);
            place_seat(&mut sections, SeatView { seat, x, y, class });
        }
        for section in &mut sections {
            section.sign();
        }
        let sight = house.stage.filter(|_| !places.is_empty()).map(|stage| {
            let (x, y) = drawn(turned(stage.x, stage.y));
            StageView { stage, x, y, turn: turn.to_degrees().round() }
        });
        let (width, height) = (width.round(), (bottom + MARGIN).round());
        Self { width, height, sections, prices, sight }
    }

    /// Returns every seat.
    pub fn seats(&self) -> impl Iterator<Item = &MapSeat> {
        let rows = self.sections.iter().flat_map(|section| &section.rows);
        rows.flat_map(|row| &row.seats).map(|view| &view.seat)
    }

    /// Returns the middle of the stage.
    pub fn center(&self) -> f32 {
        (self.width / 2.0).round()
    }

    /// Returns the SVG path of the stage.
    pub fn stage(&self) -> String {
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

/// Returns the angle of the front row against the front of the house, in radians.
fn slant(seats: &[MapSeat]) -> f32 {
    let mut rows = seats.chunk_by(|left, right| left.row_label == right.row_label);
    let row = rows.next().unwrap_or_default();
    let ends = row.first().zip(row.last());
    ends.map_or(0.0, |(first, last)| (last.y - first.y).atan2(last.x - first.x))
}

/// Appends a seat to the current row, starting a new row or section when its name differs.
fn place_seat(sections: &mut Vec<SectionView>, view: SeatView) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::{ROW_PITCH, ScheduleSeatId, SeatKind},
        reservation::{
            model::SeatStatus,
            seat_map::{listing::SectionListing, seat::in_map_order},
        },
    };

    /// Returns two rows of seats that stand around the point (0, 0), in the direction `middle`.
    fn bent(section: &str, middle: f32, radius: f32) -> Vec<MapSeat> {
        let seat = |row: u8, number: u8| {
            let radius = radius + f32::from(row);
            let angle = middle + (f32::from(number) - 5.5) / radius;
            MapSeat {
                id: ScheduleSeatId(i64::from(row) * 100 + i64::from(number)),
                section: section.to_owned(),
                row_label: char::from(b'A' + row).to_string(),
                number: number.into(),
                x: radius * angle.sin(),
                y: radius * angle.cos(),
                price: Points::ZERO,
                status: SeatStatus::Available,
                kind: SeatKind::Standard,
                companion_of: None,
                category: None,
                is_on_return: false,
            }
        };
        let row = |row: u8| (1..=10).map(move |number| seat(row, number));
        in_map_order((0..2).flat_map(row).collect())
    }

    #[test]
    fn a_section_faces_the_stage_and_a_seat_sees_it_as_it_does_in_the_house() {
        let (left, middle) = (bent("Left", -0.8, 30.0), bent("Middle", 0.0, 30.0));
        let listings: Vec<_> = [&left, &middle]
            .into_iter()
            .filter_map(|section| SectionListing::of(section))
            .collect();
        let stage = StagePlace::of(&listings);
        let house = HouseView { scale: &[], stage, is_section: true };
        let drawing = Drawing::of(left.clone(), &house);
        let row = &drawing.sections[0].rows[0].seats;
        assert!((row[0].y - row[9].y).abs() <= 1.0 && row[0].x < row[9].x, "{row:?}");
        let sight = drawing.sight.unwrap();
        assert!(sight.turn.abs() > 40.0);
        for view in drawing.sections.iter().flat_map(|each| &each.rows).flat_map(|row| &row.seats) {
            // The script computes it in this way.
            let (aside, along) = (view.x - sight.x, view.y - sight.y);
            let degrees = aside.atan2(along).to_degrees() - sight.turn;
            let seen = stage.unwrap().seen_from(&view.seat);
            assert!((degrees - seen.degrees).abs() < 3.0, "{degrees} and {seen:?}");
            let rows = aside.hypot(along) / (PITCH * ROW_PITCH);
            assert!((rows - seen.rows).abs() < 0.6, "{seen:?}");
        }
        let whole = Drawing::of(left, &HouseView { is_section: false, ..house });
        let turn = whole.sight.unwrap().turn;
        assert!(turn.abs() < f32::EPSILON, "a whole house is drawn as it is");
    }

    #[test]
    fn the_link_of_a_row_lies_over_each_of_its_seats() {
        let house = HouseView { scale: &[], stage: None, is_section: false };
        let drawing = Drawing::of(bent("Left", 0.4, 12.0), &house);
        let row = &drawing.sections[0].rows[0];
        let line = row.line().replace(['M', 'Q'], " ");
        let numbers: Vec<f32> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let [ax, ay, bx, by, cx, cy] = numbers[..] else { panic!("{line}") };
        for (nth, seat) in (0_u8..).zip(&row.seats) {
            let t = f32::from(nth) / 9.0;
            let on = |a: f32, b: f32, c: f32| (a * (1.0 - t) + 2.0 * b * t) * (1.0 - t) + c * t * t;
            let (x, y) = (on(ax, bx, cx) - SEAT_HALF, on(ay, by, cy) - SEAT_HALF);
            assert!((x - seat.x).hypot(y - seat.y) < SEAT_HALF / 2.0, "{line}");
        }
    }

    #[test]
    fn nothing_is_said_of_a_stage_where_sections_begin_at_one_place() {
        let listing = |name: &str| SectionListing::of(&bent(name, 0.0, 20.0)).unwrap();
        assert!(StagePlace::of(&[listing("Left")]).is_some());
        assert_eq!(StagePlace::of(&[listing("Left"), listing("Right")]), None);
        assert_eq!(StagePlace::of(&[]), None);
    }
}
