//! Tickets of accounts that were deleted.
//!
//! An account with a ticket to what is still to come cannot be deleted. What has begun keeps none, and its
//! tickets stay as they are, until something makes one of them admit again: a check-in that is undone, or
//! a performance that is moved behind the present. Such a ticket is void.
//!
//! # Invariants
//!
//! * No deleted account has a valid ticket to what is still to come: rule A1 of `verify`.
//!
//! # Concurrency
//!
//! What makes tickets valid locks them, and then the accounts of their holders, for which a deletion
//! starts over. So a deletion comes before, and is seen by the statement that decides, or finds what keeps
//! the account.

mod store;

use chrono::{DateTime, Utc};

pub(super) use self::store::lock_holders;
use crate::{catalog::ScheduleId, infra::postgres::Connection, tickets::store as tickets};

/// Voids the tickets of deleted accounts for a locked performance that was moved, if `begun_at`, its start
/// before, has passed.
pub(crate) async fn void_of_deleted(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    begun_at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    let valid = store::list_valid_of_begun(tx, schedule_id, begun_at).await?;
    if valid.is_empty() {
        return Ok(());
    }
    tickets::lock_all(tx, &valid).await?;
    lock_holders(tx, &valid).await?;
    store::write_void_of_deleted(tx, &valid).await
}
