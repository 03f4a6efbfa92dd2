//! What lists and maps show of reservations, sections and zones.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    model::{Item, ReservationId, ReservationItemId, ReservationStatus},
    seat_map::MapSeat,
};
use crate::{
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    points::Points,
};

/// A reservation as its owner's list shows it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// Its id.
    pub(super) id: ReservationId,
    /// For which performance.
    pub(super) schedule_id: ScheduleId,
    /// Where it stands.
    pub(super) status: ReservationStatus,
    /// What all items cost together.
    pub(super) total: Points,
    /// When the hold ends, or would have.
    pub(super) expires_at: DateTime<Utc>,
    /// Seats and places.
    pub(super) n_places: i64,
    /// What is performed.
    pub(super) title: String,
    /// When it starts.
    pub(super) starts_at: DateTime<Utc>,
    /// Where.
    pub(super) venue_name: String,
    /// The clock on the venue's wall.
    pub(super) time_zone: String,
}

/// One line of a reservation with its name.
#[derive(Clone, Debug)]
pub(super) struct NamedItem {
    /// Its id.
    pub(super) id: ReservationItemId,
    /// Which seat.
    pub(super) schedule_seat_id: Option<ScheduleSeatId>,
    /// Which zone.
    pub(super) zone_id: Option<ZoneId>,
    /// How many places; 1 for a seat.
    pub(super) quantity: i32,
    /// What one of them costs.
    pub(super) unit_price: Points,
    /// The seat's section.
    pub(super) section: Option<String>,
    /// The seat's row.
    pub(super) row_label: Option<String>,
    /// The seat's number in its row.
    pub(super) number: Option<i32>,
    /// The zone's name.
    pub(super) zone_name: Option<String>,
}

impl NamedItem {
    /// What all of it costs.
    pub(super) fn price(&self) -> Points {
        self.unit_price.checked_mul(i64::from(self.quantity)).unwrap_or_default()
    }

    pub(super) fn item(&self) -> Item {
        Item {
            id: self.id,
            schedule_seat_id: self.schedule_seat_id,
            zone_id: self.zone_id,
            quantity: self.quantity,
            unit_price: self.unit_price,
        }
    }
}

/// A section of a performance and what is free in it.
#[derive(Clone, Debug)]
pub(super) struct SectionListing {
    /// Its name.
    pub(super) name: String,
    /// All its seats.
    pub(super) n_seats: usize,
    /// Those that are free.
    pub(super) free: usize,
    /// What its cheapest seat costs, free or not.
    pub(super) price_min: Points,
    /// What its dearest seat costs.
    pub(super) price_max: Points,
    /// Where it stands in the room, in seat widths: from left to right.
    pub(super) across: (f32, f32),
    /// The same from the front to the back.
    pub(super) deep: (f32, f32),
}

impl SectionListing {
    /// The section that `seats` make; none without any.
    pub(super) fn of(seats: &[MapSeat]) -> Option<Self> {
        let first = seats.first()?;
        let span = |of: fn(&MapSeat) -> f32| {
            let wider = |(low, high): (f32, f32), at: f32| (low.min(at), high.max(at));
            seats.iter().map(of).fold((f32::INFINITY, f32::NEG_INFINITY), wider)
        };
        Some(Self {
            name: first.section.clone(),
            n_seats: seats.len(),
            free: seats.iter().filter(|seat| seat.is_free()).count(),
            price_min: seats.iter().map(|seat| seat.price).min()?,
            price_max: seats.iter().map(|seat| seat.price).max()?,
            across: span(|seat| seat.x),
            deep: span(|seat| seat.y),
        })
    }
}

/// A zone of a performance and what is left of it.
#[derive(Clone, Debug, Serialize)]
pub struct ZoneState {
    /// Its id.
    pub id: ZoneId,
    /// Its name.
    pub name: String,
    /// What one place costs.
    pub price: Points,
    /// How many are left.
    pub remaining: i32,
}
