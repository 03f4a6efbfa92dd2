//! Locks on the lists of performances whose places are to be freed.

use super::store;
use crate::{
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        model::{LockedLists, ReservationId},
    },
};

/// Locks the lists of the performances of reservations, before the reservations. Fails with
/// `StaleVersion` if the first wish came, or the last one left, between the read and the lock.
pub(crate) async fn lock_lists_of(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<LockedLists, ReservationError> {
    let locked = store::lock_freeing(tx, ids).await?;
    if locked.iter().any(|list| !list.is_idle && !list.is_waited_for) {
        return Err(ReservationError::StaleVersion);
    }
    let waited_for = locked.into_iter().filter(|list| list.is_waited_for);
    Ok(LockedLists { waited_for: waited_for.map(|list| list.schedule_id).collect() })
}
