//! What lists and maps show of reservations, sections and zones.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::seat::MapSeat;
use crate::{
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    points::Points,
    reservation::model::{Item, ReservationId, ReservationItemId, ReservationStatus},
};

/// A reservation as its owner's list shows it.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Its id.
    pub(crate) id: ReservationId,
    /// For which performance.
    pub(crate) schedule_id: ScheduleId,
    /// Where it stands.
    pub(crate) status: ReservationStatus,
    /// What all items cost together.
    pub(crate) total: Points,
    /// When the hold ends, or would have.
    pub(crate) expires_at: DateTime<Utc>,
    /// Seats and places.
    pub(crate) n_places: i64,
    /// What is performed.
    pub(crate) title: String,
    /// When it starts.
    pub(crate) starts_at: DateTime<Utc>,
    /// Where.
    pub(crate) venue_name: String,
    /// The clock on the venue's wall.
    pub(crate) time_zone: String,
}

/// One line of a reservation with its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedItem {
    /// Its id.
    pub(crate) id: ReservationItemId,
    /// Which seat.
    pub(crate) schedule_seat_id: Option<ScheduleSeatId>,
    /// Which zone.
    pub(crate) zone_id: Option<ZoneId>,
    /// How many places; 1 for a seat.
    pub(crate) quantity: i32,
    /// What one of them costs.
    pub(crate) unit_price: Points,
    /// The seat's section.
    pub(crate) section: Option<String>,
    /// The seat's row.
    pub(crate) row_label: Option<String>,
    /// The seat's number in its row.
    pub(crate) number: Option<i32>,
    /// The zone's name.
    pub(crate) zone_name: Option<String>,
}

impl NamedItem {
    /// What all of it costs.
    pub(crate) fn price(&self) -> Points {
        self.unit_price.checked_mul(i64::from(self.quantity)).unwrap_or_default()
    }

    pub(crate) fn item(&self) -> Item {
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
pub(crate) struct SectionListing {
    /// Its name.
    pub(crate) name: String,
    /// All its seats.
    pub(crate) n_seats: usize,
    /// Those that are free.
    pub(crate) free: usize,
    /// What its cheapest seat costs, free or not.
    pub(crate) price_min: Points,
    /// What its dearest seat costs.
    pub(crate) price_max: Points,
    /// Where it stands in the room, in seat widths: from left to right.
    pub(crate) across: (f32, f32),
    /// The same from the front to the back.
    pub(crate) deep: (f32, f32),
}

impl SectionListing {
    /// The section that `seats` make; none without any.
    pub(crate) fn of(seats: &[MapSeat]) -> Option<Self> {
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
