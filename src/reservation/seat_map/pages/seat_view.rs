//! Seat of a drawing: its place, its price class and its symbols.

use crate::reservation::{model::SeatStatus, seat_map::seat::MapSeat};

/// Place of the symbol of a kind, from the upper left corner of its seat.
const KIND_OFFSET: (f32, f32) = (10.0, -4.0);

/// Seat in a drawing.
#[derive(Debug)]
pub struct SeatView {
    pub seat: MapSeat,
    pub x: f32,
    pub y: f32,
    /// Price class, from 1 (most expensive).
    pub class: usize,
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

    /// Returns the left edge of the symbol of the seat's kind, which is over its upper right
    /// corner.
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
