//! Tickets of deleted accounts.
//!
//! An account with a ticket to a future performance cannot be deleted. A ticket to a performance
//! that has begun does not prevent the deletion, and stays as it is until an undone check-in, or a
//! move of the performance into the future, would make it admit again. Then the ticket becomes
//! void.
//!
//! # Invariants
//!
//! * No deleted account has a valid ticket to a future performance: rule A1 of `verify`.
//!
//! # Concurrency
//!
//! A transaction that makes tickets valid locks them, and then the accounts of their holders. A
//! deletion does not wait for such a lock, it starts over. So either the deletion has committed,
//! and the statement that decides sees it, or the deletion finds the ticket and is refused.

mod store;

use chrono::{DateTime, Utc};

pub(super) use self::store::lock_holders;
use crate::{catalog::ScheduleId, infra::postgres::Connection, tickets::store as tickets};

/// Voids the tickets of deleted accounts for a locked performance that was moved, if `begun_at`,
/// its previous start, has passed.
pub async fn void_of_deleted(
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
