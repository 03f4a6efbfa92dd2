//! Inventory of a performance, changed by administrators inside the caller's transaction.
//!
//! The **inventory** is the seats on sale and the **capacity** of the zones. **Blocking** takes
//! seats off sale and unblocking puts them back; **hiding** leaves a section to the accounts to
//! which a code has opened it, and showing opens it to the public; resizing changes a zone's
//! capacity. A hidden section has free and blocked seats like any other; only the functions
//! `free_status` and `is_free` of the database know which status a free seat has.
//!
//! # Invariants
//!
//! * Held and sold seats are never blocked: one of them refuses the whole change.
//! * The seats of a section are all hidden or none is, and seats put on sale later follow.
//! * A capacity is never below the places held or sold: `zones_remaining_within_capacity`. A place
//!   on return counts as sold.

pub(crate) mod error;
pub(crate) mod model;
pub(crate) mod store;

use self::{error::InventoryError, model::SeatPick};

use super::model::SeatStatus;
use crate::{
    catalog::{ScheduleId, ZoneId},
    infra::postgres::{Connection, violated_constraint},
};

/// Number of seats that a refusal names.
const NAMED_MAX: usize = 50;

/// Takes free seats off sale, or puts blocked seats back; returns the number changed. Blocking
/// changes nothing if one of the seats is held or sold.
pub async fn block_seats(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    pick: &SeatPick,
    is_blocked: bool,
) -> Result<u64, InventoryError> {
    let seats = store::lock_picked(tx, schedule_id, pick).await?;
    if seats.is_empty() {
        return Err(InventoryError::NoSuchSeats);
    }
    let in_use: Vec<String> = seats
        .iter()
        .filter(|seat| matches!(seat.status, SeatStatus::Held | SeatStatus::Reserved))
        .map(|seat| seat.name.clone())
        .take(NAMED_MAX)
        .collect();
    if is_blocked && !in_use.is_empty() {
        return Err(InventoryError::SeatsInUse { seats: in_use });
    }
    Ok(store::write_seats_blocked(tx, &seats, is_blocked).await?)
}

/// Hides a section and the zone of that name, or shows them again; returns the number of seats and
/// zones changed. Held and sold seats and places keep their status.
pub async fn hide_section(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    name: &str,
    is_hidden: bool,
) -> Result<u64, InventoryError> {
    let pick = SeatPick { section: name.to_owned(), row: None, numbers: Vec::new() };
    let seats = store::lock_picked(tx, schedule_id, &pick).await?;
    let zone_id = store::find_zone_named(tx, schedule_id, name).await?;
    let zones = store::lock_zones(tx, zone_id.as_slice()).await?;
    if seats.is_empty() && zones.is_empty() {
        return Err(InventoryError::NoSuchSeats);
    }
    let mut n_changed = store::write_seats_hidden(tx, &seats, is_hidden).await?;
    for zone in &zones {
        n_changed += store::write_zone_hidden(tx, zone, is_hidden).await?;
    }
    Ok(n_changed)
}

/// Changes the capacity of a zone; fails when more places are held or sold.
pub async fn resize_zone(
    tx: &mut Connection,
    zone_id: ZoneId,
    capacity: i32,
) -> Result<(), InventoryError> {
    let zone = store::lock_zones(tx, &[zone_id]).await?.pop().ok_or(InventoryError::Stale)?;
    let written = store::write_capacity(tx, &zone, capacity).await;
    let is_written = written.map_err(|error| match violated_constraint(&error) {
        Some("zones_remaining_within_capacity" | "zones_returned_within_remaining") => {
            InventoryError::PlacesInUse
        }
        _ => InventoryError::Database(error),
    })?;
    if is_written { Ok(()) } else { Err(InventoryError::Stale) }
}
