//! What a performance has to sell, changed by the management as permits of its
//! transaction: seats taken off sale and put back, zones made larger and smaller.

pub(crate) mod pages;
pub(crate) mod store;

use serde::Serialize;

use super::model::SeatStatus;
use crate::{
    catalog::{ScheduleId, ZoneId},
    infra::postgres::{Connection, violated_constraint},
};

/// Seats that a refusal names.
const NAMED_MAX: usize = 50;

/// Why the stock stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum StockError {
    /// The performance has no such seats.
    #[error("there are no such seats")]
    NoSuchSeats,
    /// Some of the seats are held or sold.
    #[error("{} of the seats are held or sold", .seats.len())]
    SeatsInUse {
        /// Which, as a person reads them; at most [`NAMED_MAX`].
        seats: Vec<String>,
    },
    /// More places of the zone are held or sold than it would have.
    #[error("more places are held or sold")]
    PlacesInUse,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Seats of one section: all of them, those of one row, or some numbers of it.
#[derive(Clone, Debug, Serialize)]
pub struct SeatPick {
    /// The section.
    pub section: String,
    /// The row; `None`: all of them.
    pub row: Option<String>,
    /// The numbers; none: all of them.
    pub numbers: Vec<i32>,
}

/// Takes free seats off sale, or puts them back; says how many it changed. When one of
/// them is held or sold, none is.
pub async fn block_seats(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    pick: &SeatPick,
    is_blocked: bool,
) -> Result<u64, StockError> {
    let seats = store::lock_picked(tx, schedule_id, pick).await?;
    if seats.is_empty() {
        return Err(StockError::NoSuchSeats);
    }
    let in_use: Vec<String> = seats
        .iter()
        .filter(|seat| matches!(seat.status, SeatStatus::Held | SeatStatus::Reserved))
        .map(|seat| seat.name.clone())
        .take(NAMED_MAX)
        .collect();
    if is_blocked && !in_use.is_empty() {
        return Err(StockError::SeatsInUse { seats: in_use });
    }
    let (from, to) = match is_blocked {
        true => (SeatStatus::Available, SeatStatus::Blocked),
        false => (SeatStatus::Blocked, SeatStatus::Available),
    };
    Ok(store::write_seat_status(tx, &seats, from, to).await?)
}

/// Gives a zone another number of places; those that are held or sold stay.
pub async fn resize_zone(
    tx: &mut Connection,
    zone_id: ZoneId,
    capacity: i32,
) -> Result<(), StockError> {
    store::write_capacity(tx, zone_id, capacity).await.map_err(|error| {
        match violated_constraint(&error) {
            Some("zones_remaining_within_capacity") => StockError::PlacesInUse,
            _ => StockError::Database(error),
        }
    })
}
