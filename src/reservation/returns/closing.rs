//! Writes of returns that end unsold, on locked seats and zones. The caller decides about the holds
//! that awaited them (`ending`, `lifecycle`).

use super::{
    model::{OpenReturn, ReturnStatus},
    store::{self, changes},
};
use crate::{
    catalog::ZoneId,
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        inventory::store::lock_zones,
        lifecycle::store::write_places_returned,
        model::{ReturnId, SeatStatus},
        row_counts::expect_all,
    },
};

/// Ends the returns among `ids` that their sellers want back, after their holds have ended. The
/// seats and zones are locked.
pub(crate) async fn end_wanted_back(
    tx: &mut Connection,
    ids: &[ReturnId],
) -> Result<(), ReservationError> {
    let mut open = store::list_open(tx, ids).await?;
    open.retain(|open| open.is_wanted_back);
    close(tx, &open, ReturnStatus::TakenBack).await
}

/// Writes the end of returns, and takes their places off sale. Places in a hold stay with the hold.
pub(super) async fn close(
    tx: &mut Connection,
    open: &[OpenReturn],
    status: ReturnStatus,
) -> Result<(), ReservationError> {
    let ids: Vec<ReturnId> = open.iter().map(|open| open.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let n_written = changes::write_ended(tx, &ids, status).await?;
    expect_all(ids.len(), n_written, ReservationError::Inconsistent)?;
    let n_seats = open.iter().filter(|open| open.schedule_seat_id.is_some()).count();
    let n_written = changes::write_off_return(tx, &ids, SeatStatus::Reserved).await?;
    expect_all(n_seats, n_written, ReservationError::Inconsistent)?;
    // A held place was already taken from the remaining ones.
    let free = open.iter().filter(|open| open.buyer.is_none());
    let zone_ids: Vec<_> = free.filter_map(|open| open.zone_id).collect();
    let returned: Vec<i32> = vec![-1; zone_ids.len()];
    take_places(tx, &zone_ids, &returned).await
}

/// Takes one place from the remaining ones for each entry of `zone_ids`; `returned` is added to the
/// number on return.
pub(super) async fn take_places(
    tx: &mut Connection,
    zone_ids: &[ZoneId],
    returned: &[i32],
) -> Result<(), ReservationError> {
    if zone_ids.is_empty() {
        return Ok(());
    }
    let zones = lock_zones(tx, zone_ids).await?;
    let taken = vec![-1; zone_ids.len()];
    let n_written = write_places_returned(tx, &zones, zone_ids, &taken, returned).await?;
    expect_all(zones.len(), n_written, ReservationError::StaleVersion)
}
