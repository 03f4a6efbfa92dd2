//! State changes of a reservation after it was made, run inside the caller's transaction.
//!
//! A **hold** is **confirmed** by payment, **released** by its owner, **renewed** once, or
//! **expired** by the clock; a confirmed reservation is **refunded**. `pages` shows reservations to
//! their owner.
//!
//! # Invariants
//!
//! * Every change starts from a locked row. A reservation or a zone is written only if its version
//!   is still the one read under the lock; otherwise the change fails with
//!   [`ReservationError::StaleVersion`] and is tried again.
//! * A change that writes fewer seats than it should fails with [`ReservationError::Inconsistent`].
//!   After either error the caller must roll back.
//! * Ending a reservation frees its seats and places, and the use of its code, in the same transaction.
//! * A hold is renewed at most once, and only while no account waits in the queue. An offer of a waiting
//!   list is not renewed.
//!
//! # Concurrency
//!
//! Payment, release, renewal and expiry race for the reservation's row. Time is compared after the
//! lock, so a request that waited for the row is judged by the time after the wait and sees what
//! the first one wrote. Expiry skips locked rows.

pub mod expiry;
pub mod pages;
pub(crate) mod refunding;
pub mod store;

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use self::store::{
    LockedRow, OwnedRow, holds,
    status::{self, Confirmation, EndedUse},
};
pub(crate) use super::row_counts::expect_all;
use super::{
    codes::return_uses,
    error::ReservationError,
    inventory::store::lock_zones,
    model::{Held, Item, Locked, LockedLists, Reservation, ReservationId, ReservationStatus},
    returns::{end_wanted_back, error::ReturnRefusal},
    waiting_list::{lock_lists_of, offer_freed},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    entry_queue::{self, TokenStatus},
    infra::postgres::{Connection, retry_stale},
};

/// Time added by a renewal, in seconds.
const RENEWAL_SECS: i32 = 120;

/// Returns the reservation if `account_id` owns it.
pub async fn find_owned(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
    id: ReservationId,
) -> Result<Option<Reservation>, sqlx::Error> {
    store::find_owned(db, account_id, id).await
}

/// Locks a hold for payment. Whether the hold has ended is decided by the time after the wait for
/// the row.
pub async fn lock_held(
    tx: &mut Connection,
    account_id: AccountId,
    id: ReservationId,
) -> Result<Held, ReservationError> {
    let (head, locked) = lock(tx, account_id, id).await?;
    match head.status {
        ReservationStatus::Held if head.is_cancelled() => Err(ReservationError::ProgramCancelled),
        ReservationStatus::Held if head.is_lapsed => Err(ReservationError::HoldExpired),
        ReservationStatus::Held => Ok(Held(locked)),
        ReservationStatus::Confirmed => Err(ReservationError::AlreadyPaid),
        ReservationStatus::Expired => Err(ReservationError::HoldExpired),
        ReservationStatus::Cancelled if head.buys_return => Err(ReturnRefusal::Gone.into()),
        other => Err(ReservationError::InvalidState(other)),
    }
}

/// Returns the holds among locked reservations that can be paid, with their accounts. Holds with
/// shares, holds of places on return, and holds of an exchange are left out. All have the same `locked_at`.
pub fn payable(rows: &[OwnedRow]) -> Vec<(AccountId, Held)> {
    let reservations =
        rows.chunk_by(|left, right| left.row.reservation_id == right.row.reservation_id);
    let payable = reservations.filter_map(|rows| {
        let [OwnedRow { account_id, version, row: head }, ..] = rows else { return None };
        let is_payable = head.status == ReservationStatus::Held
            && !head.is_lapsed
            && !head.is_cancelled()
            && !head.is_shared
            && !head.buys_return
            && head.exchange_id.is_none();
        let items = rows.iter().map(|owned| owned.row.item()).collect();
        is_payable.then(|| (*account_id, Held(locked(*version, head, items))))
    });
    payable.collect()
}

/// Marks holds as paid and their seats as sold. All were locked together.
pub async fn confirm(tx: &mut Connection, holds: &[Held]) -> Result<(), ReservationError> {
    let confirmation = Confirmation::of(holds);
    let written = status::write_confirmed(tx, &confirmation).await?;
    confirmation.require(&written)
}

/// Releases an unpaid hold: its seats and places become free, and are offered to the waiting list.
pub async fn release(
    tx: &mut Connection,
    account_id: AccountId,
    id: ReservationId,
) -> Result<Held, ReservationError> {
    let lists = lock_lists_of(tx, &[id]).await?;
    let (head, locked) = lock(tx, account_id, id).await?;
    match head.status {
        ReservationStatus::Held if head.is_lapsed => {
            Err(ReservationError::InvalidState(ReservationStatus::Expired))
        }
        ReservationStatus::Held => {
            end(tx, &[id], &[locked.version], ReservationStatus::Cancelled, &lists).await?;
            Ok(Held(locked))
        }
        other => Err(ReservationError::InvalidState(other)),
    }
}

/// Extends a hold by [`RENEWAL_SECS`]: once, and only while no account waits in the queue. Returns
/// the new end.
pub async fn renew(
    app: &App,
    account_id: AccountId,
    id: ReservationId,
) -> Result<DateTime<Utc>, ReservationError> {
    let found = store::find_owned(&app.db, account_id, id).await?;
    let program_id = found.ok_or(ReservationError::NotFound)?.program_id;
    retry_stale(|_| renew_once(app, account_id, id, program_id)).await
}

async fn renew_once(
    app: &App,
    account_id: AccountId,
    id: ReservationId,
    program_id: ProgramId,
) -> Result<DateTime<Utc>, ReservationError> {
    let mut tx = app.db.begin().await?;
    // The token comes before the reservation in the order of locks.
    let token = entry_queue::lock_live_token(&mut tx, account_id, program_id).await?;
    let held = lock_held(&mut tx, account_id, id).await?;
    if held.wish_id.is_some()
        || held.renewed_at.is_some()
        || entry_queue::is_anybody_waiting(&mut *tx, program_id).await?
    {
        return Err(ReservationError::NotRenewable);
    }
    let written = store::write_renewal(&mut tx, id, held.version, RENEWAL_SECS).await?;
    let expires_at = written.ok_or(ReservationError::StaleVersion)?;
    let stay = token.filter(|token| token.status == TokenStatus::Active);
    if let Some(stay) = &stay {
        entry_queue::extend_stays(&mut tx, &[(stay.id, expires_at)]).await?;
    }
    tx.commit().await?;
    if stay.is_some() {
        entry_queue::project(app, program_id, &[account_id]).await;
    }
    Ok(expires_at)
}

/// Marks a locked hold as shared, unless it is. From then on a payment of the whole hold reads its
/// shares first.
pub async fn mark_shared(tx: &mut Connection, held: &mut Held) -> Result<(), ReservationError> {
    if held.is_shared {
        return Ok(());
    }
    let n_written = holds::write_shared(tx, held.reservation_id, held.version).await?;
    expect_all(1, n_written, ReservationError::StaleVersion)?;
    (held.0.is_shared, held.0.version) = (true, held.version + 1);
    Ok(())
}

/// Returns the `owners` with an unpaid hold in their program that has not ended.
pub async fn list_with_live_holds(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
) -> Result<HashSet<(ProgramId, AccountId)>, sqlx::Error> {
    let (programs, accounts): (Vec<_>, Vec<_>) = owners.iter().copied().unzip();
    Ok(holds::list_with_live_holds(tx, &programs, &accounts).await?.into_iter().collect())
}

/// Ends reservations that this transaction has locked, and frees their seats and places, which are
/// offered to the wishes of `lists`; `versions` is parallel to `ids`. The lists were locked before.
pub async fn end(
    tx: &mut Connection,
    ids: &[ReservationId],
    versions: &[i64],
    to: ReservationStatus,
    lists: &LockedLists,
) -> Result<(), ReservationError> {
    free(tx, ids, versions, to).await?;
    offer_freed(tx, lists).await.map(drop)
}

/// Ends reservations like [`end`], without an offer. Also ends the returns that they awaited and
/// that their sellers want back.
async fn free(
    tx: &mut Connection,
    ids: &[ReservationId],
    versions: &[i64],
    to: ReservationStatus,
) -> Result<(), ReservationError> {
    let uses = status::write_ended(tx, ids, versions, to).await?;
    expect_all(ids.len(), uses.len(), ReservationError::StaleVersion)?;
    let ended = store::write_items_ended(tx, ids).await?;
    let seat_ids: Vec<_> = ended.iter().filter_map(|item| item.schedule_seat_id).collect();
    if !seat_ids.is_empty() {
        let n_written = store::write_seats_free(tx, &seat_ids).await?;
        expect_all(seat_ids.len(), n_written, ReservationError::Inconsistent)?;
    }
    let places = ended.iter().filter_map(|item| Some((item.zone_id?, item)));
    let (zone_ids, items): (Vec<_>, Vec<_>) = places.unzip();
    let quantities: Vec<i32> = items.iter().map(|item| item.quantity).collect();
    let returned: Vec<i32> = items.iter().map(|item| item.returned).collect();
    if !zone_ids.is_empty() {
        let zones = lock_zones(tx, &zone_ids).await?;
        let n_zones = zone_ids.iter().collect::<HashSet<_>>().len();
        expect_all(n_zones, zones.len(), ReservationError::Inconsistent)?;
        let n_written =
            store::write_places_returned(tx, &zones, &zone_ids, &quantities, &returned).await?;
        expect_all(zones.len(), n_written, ReservationError::StaleVersion)?;
    }
    let awaited: Vec<_> = ended.iter().filter_map(|item| item.return_id).collect();
    if !awaited.is_empty() {
        end_wanted_back(tx, &awaited).await?;
    }
    let uses: Vec<_> = uses.iter().filter_map(EndedUse::of_code).collect();
    Ok(return_uses(tx, &uses).await?)
}

async fn lock(
    tx: &mut Connection,
    account_id: AccountId,
    id: ReservationId,
) -> Result<(LockedRow, Locked), ReservationError> {
    let version = store::lock_owned(tx, account_id, id).await?;
    let version = version.ok_or(ReservationError::NotFound)?;
    let rows = store::list_locked(tx, &[id]).await?;
    let head = rows.first().ok_or(ReservationError::Inconsistent)?;
    let locked = locked(version, head, rows.iter().map(LockedRow::item).collect());
    Ok((rows.into_iter().next().ok_or(ReservationError::Inconsistent)?, locked))
}

fn locked(version: i64, head: &LockedRow, items: Vec<Item>) -> Locked {
    Locked {
        reservation_id: head.reservation_id,
        version,
        program_id: head.program_id,
        schedule_id: head.schedule_id,
        total: head.total,
        discount: head.discount,
        expires_at: head.expires_at,
        locked_at: head.locked_at,
        renewed_at: head.renewed_at,
        wish_id: head.wish_id,
        is_shared: head.is_shared,
        buys_return: head.buys_return,
        exchange_id: head.exchange_id,
        items,
    }
}
