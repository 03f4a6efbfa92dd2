//! Rows of reservations, sections and zones, as lists and maps show them.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::seat::MapSeat;
use crate::{
    catalog::{PriceTypeId, ScheduleId, ScheduleSeatId, SeatKind, ZoneId},
    points::Points,
    reservation::model::{
        Item, ItemOfKind, ItemPriceType, ReservationId, ReservationItemId, ReservationStatus,
        ReturnId,
    },
};

/// Reservation in its owner's list.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: ReservationId,
    /// Performance reserved.
    pub schedule_id: ScheduleId,
    /// Current state; a hold past its end is shown as expired.
    pub status: ReservationStatus,
    /// Price of all items together, less the discount.
    pub total: Points,
    /// End of the hold; kept after payment.
    pub expires_at: DateTime<Utc>,
    /// Number of seats and places.
    pub n_places: i64,
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue_name: String,
    /// Time zone of the venue.
    pub time_zone: String,
}

/// Item of a reservation with the names of its seat or zone.
#[derive(Clone, Debug)]
pub struct NamedItem {
    pub id: ReservationItemId,
    /// Seat; `None` for places in a zone.
    pub schedule_seat_id: Option<ScheduleSeatId>,
    /// Zone; `None` for a seat.
    pub zone_id: Option<ZoneId>,
    /// Number of places; 1 for a seat.
    pub quantity: i32,
    /// Price of one seat or place.
    pub unit_price: Points,
    /// Section of the seat.
    pub section: Option<String>,
    /// Row of the seat.
    pub row_label: Option<String>,
    /// Number of the seat in its row.
    pub number: Option<i32>,
    /// Kind of the seat.
    pub kind: Option<SeatKind>,
    /// Price category of the seat.
    pub category: Option<String>,
    /// Name of the zone.
    pub zone_name: Option<String>,
    /// Terms of its price type; `None` at the ordinary price, like the next three fields.
    pub price_type_id: Option<PriceTypeId>,
    /// Price of one place without the type, when it was held.
    pub(crate) ordinary_price: Option<Points>,
    /// Name of the price type.
    pub price_type: Option<String>,
    /// Note of the price type about what to bring; may be empty.
    pub price_type_note: Option<String>,
    /// Return that the place is bought from; `None` for a free place.
    pub return_id: Option<ReturnId>,
    /// Whether the place was on return when it was held, so that no code makes it cheaper.
    pub was_on_return: bool,
    /// Number of its places that were resold since it was paid.
    pub returned: i32,
}

impl NamedItem {
    /// Returns the price of all places together.
    pub(crate) fn price(&self) -> Points {
        self.unit_price.checked_mul(i64::from(self.quantity)).unwrap_or_default()
    }

    pub(crate) fn item(&self) -> ItemOfKind {
        let item = Item {
            id: self.id,
            schedule_seat_id: self.schedule_seat_id,
            zone_id: self.zone_id,
            quantity: self.quantity,
            unit_price: self.unit_price,
            return_id: self.return_id,
            was_on_return: self.was_on_return,
            returned: self.returned,
        };
        let named = self.price_type_id.zip(self.price_type.clone()).zip(self.ordinary_price);
        let price_type =
            named.map(|((id, name), ordinary_price)| ItemPriceType { id, name, ordinary_price });
        ItemOfKind { price_type, ..item.of_kind(self.kind.unwrap_or_default()) }
    }
}

/// Returns the notes of the price types of `items` about what to bring, each once, with the name of
/// the type.
pub fn what_to_bring(items: &[NamedItem]) -> BTreeSet<(&str, &str)> {
    let named = items.iter().filter_map(|item| {
        let note = item.price_type_note.as_deref().filter(|note| !note.is_empty())?;
        Some((item.price_type.as_deref()?, note))
    });
    named.collect()
}

/// Section of a performance and its free seats.
#[derive(Clone, Debug)]
pub struct SectionListing {
    /// Name of the section.
    pub name: String,
    /// Number of free seats.
    pub free: usize,
    /// Price of the cheapest seat, free or not.
    pub price_min: Points,
    /// Price of the most expensive seat, free or not.
    pub price_max: Points,
    /// Most expensive prices, each once, at most [`PRICE_CLASSES`].
    pub prices: Vec<Points>,
    /// Names of the price categories of its seats; empty if none of them has one.
    pub categories: String,
    /// Extent from left to right, in seat widths.
    pub(crate) across: (f32, f32),
    /// Extent from front to back, in seat widths.
    pub(crate) deep: (f32, f32),
    /// First, middle and last seat of the front row, in seat widths from the left and from the front.
    pub front: [(f32, f32); 3],
}

/// Number of price classes with a mark of their own; further prices share the last one.
pub(crate) const PRICE_CLASSES: usize = 4;

/// Returns the prices that begin a class, most expensive first.
pub(crate) fn price_scale(sections: &[SectionListing]) -> Vec<Points> {
    most_expensive(sections.iter().flat_map(|section| &section.prices).copied())
}

/// Returns the class of a price, from 1 (most expensive).
pub(crate) fn class_of(scale: &[Points], price: Points) -> usize {
    let n_above = scale.iter().filter(|each| **each > price).count();
    (n_above + 1).min(PRICE_CLASSES)
}

fn most_expensive(prices: impl Iterator<Item = Points>) -> Vec<Points> {
    let mut prices: Vec<Points> = prices.collect();
    prices.sort_by(|left, right| right.cmp(left));
    prices.dedup();
    prices.truncate(PRICE_CLASSES);
    prices
}

impl SectionListing {
    /// Returns the section of `seats`, which are in map order; `None` if there are none.
    pub(crate) fn of(seats: &[MapSeat]) -> Option<Self> {
        let first = seats.first()?;
        let span = |of: fn(&MapSeat) -> f32| {
            let wider = |(low, high): (f32, f32), at: f32| (low.min(at), high.max(at));
            seats.iter().map(of).fold((f32::INFINITY, f32::NEG_INFINITY), wider)
        };
        Some(Self {
            name: first.section.clone(),
            free: seats.iter().filter(|seat| seat.is_free()).count(),
            price_min: seats.iter().map(|seat| seat.price).min()?,
            price_max: seats.iter().map(|seat| seat.price).max()?,
            prices: most_expensive(seats.iter().map(|seat| seat.price)),
            categories: categories_of(seats.iter()),
            across: span(|seat| seat.x),
            deep: span(|seat| seat.y),
            front: front_row(seats),
        })
    }
}

/// Returns the names of the price categories of `seats`, each once.
pub(crate) fn categories_of<'a>(seats: impl Iterator<Item = &'a MapSeat>) -> String {
    let categories: BTreeSet<&str> = seats.filter_map(|seat| seat.category.as_deref()).collect();
    categories.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the first, the middle and the last seat of the first row of `seats`, which are in map order.
fn front_row(seats: &[MapSeat]) -> [(f32, f32); 3] {
    let mut rows = seats.chunk_by(|left, right| left.row_label == right.row_label);
    let row = rows.next().unwrap_or_default();
    let place = |seat: Option<&MapSeat>| seat.map_or((0.0, 0.0), |seat| (seat.x, seat.y));
    [place(row.first()), place(row.get(row.len() / 2)), place(row.last())]
}

/// Zone of a performance and its free places.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ZoneState {
    /// Id of the zone.
    pub id: ZoneId,
    /// Name of the zone.
    pub name: String,
    /// Price of one place.
    pub price: Points,
    /// Number of free places.
    pub remaining: i32,
    /// Number of remaining places that are back on sale by their ticket holders. They are sold
    /// last, cost what their sellers paid, and neither a price type nor a code reduces their price.
    pub on_return: i32,
}

impl ZoneState {
    /// Whether only places on return are left.
    pub(crate) fn is_on_return(&self) -> bool {
        self.on_return == self.remaining
    }
}
