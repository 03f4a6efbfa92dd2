//! View of seats on the stage: its distance and its angle.
//!
//! A plan does not state where the stage is. It is assumed before the middle of the front row,
//! where the drawing shows it. A distance is stated in rows that are as far apart as in a plan
//! without positions.

use super::super::{listing::SectionListing, seat::MapSeat};
use crate::catalog::ROW_PITCH;

/// Distance from the stage to the front row, in seat widths; so the nearest seat is about two rows
/// away.
const APRON: f32 = 2.0;
/// Least distance that is stated, in rows; the nearest seats are about that far away.
const ROWS_MIN: f32 = 2.0;
/// Upper bound of the angle of seats that count as being in the middle, in degrees.
const CENTRE_DEGREES_MAX: f32 = 3.0;

/// Middle of the stage's front edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StagePlace {
    /// Distance from the left and from the front, in seat widths.
    pub x: f32,
    pub y: f32,
    /// Distance to the farthest seat, in rows, or slightly more.
    pub far: f32,
}

/// View of a seat on the stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeatSight {
    /// Distance from the stage in rows, at least 2.
    pub rows: f32,
    /// Angle beside the middle of the stage, in degrees; negative on the left.
    pub(crate) degrees: f32,
}

impl StagePlace {
    /// Returns the stage of a house; `None` if it has no seats, or if its plan does not state where
    /// sections are.
    pub(crate) fn of(sections: &[SectionListing]) -> Option<Self> {
        let mut corners: Vec<(f32, f32)> = sections.iter().map(|each| each.front[0]).collect();
        corners.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        if corners.is_empty() || corners.array_windows().any(|[one, other]| one == other) {
            return None;
        }
        let least =
            |of: fn(&SectionListing) -> f32| sections.iter().map(of).fold(f32::INFINITY, f32::min);
        let most = |of: fn(&SectionListing) -> f32| {
            sections.iter().map(of).fold(f32::NEG_INFINITY, f32::max)
        };
        let (left, right) = (least(|each| each.across.0), most(|each| each.across.1));
        let x = left.midpoint(right);
        // Sections beside the middle may be bent forward, and other sections are behind.
        let middles = sections.iter().map(|each| each.front[1]);
        let score = |(at, y): (f32, f32)| y + (at - x).abs() / 2.0;
        let front = middles.min_by(|one, other| score(*one).total_cmp(&score(*other)))?;
        let y = front.1 - APRON;
        let far = ((right - left) / 2.0).hypot(most(|each| each.deep.1) - y) / ROW_PITCH;
        Some(Self { x, y, far })
    }

    /// Returns the view of `seat` on the stage.
    pub(crate) fn seen_from(&self, seat: &MapSeat) -> SeatSight {
        let (aside, along) = (seat.x - self.x, seat.y - self.y);
        let degrees = aside.atan2(along).to_degrees().round();
        let degrees = if degrees.abs() < CENTRE_DEGREES_MAX { 0.0 } else { degrees };
        let rows = (aside.hypot(along) / ROW_PITCH).round().max(ROWS_MIN);
        SeatSight { rows, degrees }
    }
}
