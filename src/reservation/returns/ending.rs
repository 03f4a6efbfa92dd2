//! Ends of returns that nobody bought. A hold that awaited one ends with it.

use std::collections::HashSet;

use super::{
    error::ReturnRefusal,
    model::{OpenReturn, ReturnStatus},
    sale::lock_open,
    store::{self, changes, overdue},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ScheduleId,
    infra::postgres::{Connection, retry_stale},
    outbox::{self, AccountMail, Message},
    reservation::{
        error::ReservationError,
        inventory::store::lock_zones,
        lifecycle,
        model::{
            LockedLists, LockedReservations, ReservationId, ReservationStatus, ReturnId, SeatStatus,
        },
        seat_map::feed::announce,
        waiting_list::lock_lists_of,
    },
};

/// Overdue returns, read in one page, and pages of one tick.
const PAGE_ROWS: i64 = 200;
const PAGES_MAX: usize = 50;

/// Open returns that this transaction has locked, with the holds of their buyers.
#[derive(Debug)]
pub(crate) struct LockedReturns {
    open: Vec<OpenReturn>,
    reservations: LockedReservations,
    lists: LockedLists,
}

impl LockedReturns {
    /// Whether the return `id` is among them.
    pub(crate) fn has(&self, id: ReturnId) -> bool {
        self.open.iter().any(|open| open.id == id)
    }

    /// Whether somebody holds one of the places, and may pay for it.
    pub(crate) fn is_being_bought(&self) -> bool {
        self.open.iter().any(|open| open.buyer.is_some() && !open.is_buyer_lapsed)
    }
}

/// Locks returns to be ended: the waiting lists, the reservations of the sellers and the buyers, the
/// seats and zones. Those that have ended meanwhile are left out. Fails with `StaleVersion` for a buyer
/// who came meanwhile.
pub(crate) async fn lock_for_ending(
    tx: &mut Connection,
    ids: &[ReturnId],
) -> Result<LockedReturns, ReservationError> {
    let involved = store::list_involved(tx, ids).await?;
    let lists = lock_lists_of(tx, &involved).await?;
    let reservations = store::lock_reservations(tx, &involved).await?;
    let open = lock_open(tx, ids, &involved).await?;
    locked(open, reservations, lists)
}

/// Locks the open returns of a reservation that is refunded, with which those of `reservations` were
/// locked. Fails like [`lock_for_ending`].
pub(crate) async fn lock_of_refund(
    tx: &mut Connection,
    reservation_id: ReservationId,
    reservations: &LockedReservations,
    lists: &LockedLists,
) -> Result<LockedReturns, ReservationError> {
    let ids = store::list_open_of(tx, reservation_id).await?;
    let mut open = Vec::new();
    if !ids.is_empty() {
        let involved: Vec<ReservationId> = reservations.keys().copied().collect();
        open = lock_open(tx, &ids, &involved).await?;
    }
    locked(open, reservations.clone(), lists.clone())
}

fn locked(
    open: Vec<OpenReturn>,
    reservations: LockedReservations,
    lists: LockedLists,
) -> Result<LockedReturns, ReservationError> {
    let mut buyers = open.iter().filter_map(|open| open.buyer);
    match buyers.all(|id| reservations.contains_key(&id)) {
        true => Ok(LockedReturns { open, reservations, lists }),
        false => Err(ReservationError::StaleVersion),
    }
}

/// Ends locked returns as `status`: the places are their sellers' alone again. A hold that awaited one
/// ends, its other places become free, and its account is told.
pub(crate) async fn end(
    tx: &mut Connection,
    returns: &LockedReturns,
    status: ReturnStatus,
) -> Result<(), ReservationError> {
    let ids: Vec<ReturnId> = returns.open.iter().map(|open| open.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let n_written = changes::write_ended(tx, &ids, status).await?;
    lifecycle::expect_all(ids.len(), n_written, ReservationError::Inconsistent)?;
    let n_seats = returns.open.iter().filter(|open| open.schedule_seat_id.is_some()).count();
    let n_written = changes::write_off_return(tx, &ids, SeatStatus::Reserved).await?;
    lifecycle::expect_all(n_seats, n_written, ReservationError::Inconsistent)?;
    // A place that is held was taken from what remains when it was.
    let free = returns.open.iter().filter(|open| open.buyer.is_none());
    let zone_ids: Vec<_> = free.filter_map(|open| open.zone_id).collect();
    if !zone_ids.is_empty() {
        let zones = lock_zones(tx, &zone_ids).await?;
        let changes = vec![-1; zone_ids.len()];
        let n_written = changes::write_places(tx, &zones, &zone_ids, &changes).await?;
        lifecycle::expect_all(zones.len(), n_written, ReservationError::StaleVersion)?;
    }
    end_holds(tx, returns, &ids).await
}

async fn end_holds(
    tx: &mut Connection,
    returns: &LockedReturns,
    ids: &[ReturnId],
) -> Result<(), ReservationError> {
    let buyers_where = |is_lapsed: bool| -> HashSet<ReservationId> {
        let held = returns.open.iter().filter(|open| open.is_buyer_lapsed == is_lapsed);
        held.filter_map(|open| open.buyer).collect()
    };
    let (running, lapsed) = (buyers_where(false), buyers_where(true));
    if running.is_empty() && lapsed.is_empty() {
        return Ok(());
    }
    changes::write_awaited(tx, ids, false).await?;
    let ended = [(&running, ReservationStatus::Cancelled), (&lapsed, ReservationStatus::Expired)];
    for (buyers, status) in ended {
        let of_buyers = returns.reservations.iter().filter(|(id, _)| buyers.contains(*id));
        let (buyers, versions): (Vec<_>, Vec<_>) =
            of_buyers.map(|(id, version)| (*id, *version)).unzip();
        if !buyers.is_empty() {
            lifecycle::end(tx, &buyers, &versions, status, &returns.lists).await?;
        }
    }
    let running: Vec<ReservationId> = running.into_iter().collect();
    let owners = store::list_owners(tx, &running).await?;
    let mails = owners.into_iter().map(|(id, account_id)| AccountMail {
        account_id,
        message: Message::ReturnGone { reservation_id: id.0 },
        order_key: format!("reservation:{id}"),
        dedupe_key: format!("return-gone:{id}"),
    });
    Ok(outbox::write_to_accounts(tx, &mails.collect::<Vec<_>>()).await?)
}

/// Ends a return by its seller, unless somebody holds the place. Returns its performance.
pub(crate) async fn take_back(
    tx: &mut Connection,
    seller_id: AccountId,
    id: ReturnId,
) -> Result<ScheduleId, ReservationError> {
    let found = store::find(tx, seller_id, id).await?.ok_or(ReservationError::NotFound)?;
    let returns = lock_for_ending(tx, &[id]).await?;
    if returns.open.is_empty() {
        let ended = store::find(tx, seller_id, id).await?.ok_or(ReservationError::NotFound)?;
        return Err(ReturnRefusal::Ended(ended.status).into());
    }
    if returns.is_being_bought() {
        return Err(ReturnRefusal::BeingBought.into());
    }
    end(tx, &returns, ReturnStatus::TakenBack).await?;
    Ok(found.schedule_id)
}

/// Ends the returns of performances whose door has opened: one tick of a worker. Instances may run it
/// concurrently.
pub async fn end_overdue(app: &App) -> Result<(), sqlx::Error> {
    let before = app.config.door_opens_before();
    let mut last = None;
    for _ in 0..PAGES_MAX {
        let page = overdue::list_overdue(&app.db, before, last, PAGE_ROWS).await?;
        for id in &page {
            try_to_end_overdue(app, *id).await;
        }
        last = page.last().copied();
        if page.len() < usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX) {
            break;
        }
    }
    Ok(())
}

/// Ends the overdue returns of one seller, a bounded number of them.
pub(crate) async fn end_overdue_of(app: &App, seller_id: AccountId) -> Result<(), sqlx::Error> {
    let before = app.config.door_opens_before();
    for id in overdue::list_overdue_of(&app.db, seller_id, before, PAGE_ROWS).await? {
        try_to_end_overdue(app, id).await;
    }
    Ok(())
}

/// Ends an overdue return. One that cannot be ended keeps no other from it.
async fn try_to_end_overdue(app: &App, id: ReturnId) {
    if let Err(error) = end_one_overdue(app, id).await {
        tracing::warn!(%error, %id, "a return could not be ended");
    }
}

async fn end_one_overdue(app: &App, id: ReturnId) -> Result<(), ReservationError> {
    let schedules = retry_stale(|_| async {
        let mut tx = app.db.begin().await?;
        let mut returns = lock_for_ending(&mut tx, &[id]).await?;
        // A performance may have been moved meanwhile.
        returns.open.retain(|open| open.is_closed(&app.config));
        end(&mut tx, &returns, ReturnStatus::Expired).await?;
        tx.commit().await?;
        let schedules = returns.open.iter().map(|open| open.schedule_id);
        Ok::<Vec<ScheduleId>, ReservationError>(schedules.collect())
    });
    for schedule_id in schedules.await? {
        announce(app, schedule_id);
    }
    Ok(())
}
