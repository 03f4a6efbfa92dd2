//! Ends of unsold returns. A hold that awaited one ends with it if the place stays with its seller,
//! and gets the place itself if the seller is refunded.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::{
    closing::{close, take_places},
    error::ReturnRefusal,
    model::{OpenReturn, ReturnStatus},
    sale::{find_needed, lock_open},
    store::{self, changes, overdue},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ScheduleId,
    infra::{
        postgres::{Connection, retry_stale},
        sweep::Sweep,
    },
    outbox::{self, AccountMail, Message},
    reservation::{
        error::ReservationError,
        lifecycle::{self, store::holds::lock_all},
        model::{LockedLists, LockedReservations, ReservationId, ReservationStatus, ReturnId},
        seat_map::feed::announce,
        waiting_list::lock_lists_of,
    },
};

/// Bounds of a look for overdue returns.
const OVERDUE: Sweep = Sweep { rows_max: 200, parts_max: 50 };
/// What is logged of an overdue return that keeps no other from its end.
const NOT_ENDED: &str = "a return could not be ended";

/// Open returns that this transaction has locked, with the holds of their buyers.
#[derive(Debug)]
pub struct LockedReturns {
    open: Vec<OpenReturn>,
    reservations: LockedReservations,
    lists: LockedLists,
}

impl LockedReturns {
    /// Whether the return `id` is among them.
    pub fn has(&self, id: ReturnId) -> bool {
        self.open.iter().any(|open| open.id == id)
    }

    /// Returns the last end of the buyers' holds that have not ended; `None` without one.
    fn held_until(&self) -> Option<DateTime<Utc>> {
        let held = self.open.iter().filter(|open| open.is_being_bought());
        held.filter_map(|open| open.held_until).max()
    }
}

/// Locks returns to be ended: the waiting lists, the reservations of the sellers and the buyers,
/// the seats and zones. Returns that have ended meanwhile are left out. Fails with `StaleVersion`
/// if a buyer has come meanwhile.
pub async fn lock_for_ending(
    tx: &mut Connection,
    ids: &[ReturnId],
) -> Result<LockedReturns, ReservationError> {
    let involved = store::list_involved(tx, ids).await?;
    let lists = lock_lists_of(tx, &involved).await?;
    let reservations = lock_all(tx, &involved).await?;
    let open = lock_open(tx, ids, &involved).await?;
    locked(open, reservations, lists)
}

/// Locks the open returns of a refunded reservation; `reservations` were locked with it. Fails like
/// [`lock_for_ending`].
pub async fn lock_of_refund(
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

/// Ends locked returns as `status`: the places belong to their sellers alone again. A hold that
/// awaited one ends, its other places become free, and its account gets a mail.
pub async fn end(
    tx: &mut Connection,
    returns: &LockedReturns,
    status: ReturnStatus,
) -> Result<(), ReservationError> {
    close(tx, &returns.open, status).await?;
    end_holds(tx, returns, &returns.open.iter().collect::<Vec<_>>()).await
}

/// Ends the locked returns of a refunded reservation. Live holds wait for [`give`]; lapsed holds
/// are ended.
pub async fn void(tx: &mut Connection, returns: &LockedReturns) -> Result<(), ReservationError> {
    close(tx, &returns.open, ReturnStatus::Voided).await?;
    let lapsed = returns.open.iter().filter(|open| !open.is_being_bought());
    end_holds(tx, returns, &lapsed.collect::<Vec<_>>()).await
}

/// Gives the places of voided returns, which their seller's refund has made free, to the holds that
/// awaited them: at the same prices, until the same ends. From then on no payout is due for them.
pub async fn give(tx: &mut Connection, returns: &LockedReturns) -> Result<(), ReservationError> {
    let given: Vec<&OpenReturn> =
        returns.open.iter().filter(|open| open.is_being_bought()).collect();
    if given.is_empty() {
        return Ok(());
    }
    let ids: Vec<ReturnId> = given.iter().map(|open| open.id).collect();
    let written = changes::write_given(tx, &ids).await?;
    let n_seats = given.iter().filter(|open| open.schedule_seat_id.is_some()).count();
    lifecycle::expect_all(ids.len(), written.n_items, ReservationError::Inconsistent)?;
    lifecycle::expect_all(n_seats, written.n_seats, ReservationError::Inconsistent)?;
    let zone_ids: Vec<_> = given.iter().filter_map(|open| open.zone_id).collect();
    let none: Vec<i32> = vec![0; zone_ids.len()];
    take_places(tx, &zone_ids, &none).await
}

async fn end_holds(
    tx: &mut Connection,
    returns: &LockedReturns,
    ended: &[&OpenReturn],
) -> Result<(), ReservationError> {
    let buyers_where = |is_lapsed: bool| -> HashSet<ReservationId> {
        let held = ended.iter().filter(|open| open.is_buyer_lapsed == is_lapsed);
        held.filter_map(|open| open.buyer).collect()
    };
    let (running, lapsed) = (buyers_where(false), buyers_where(true));
    if running.is_empty() && lapsed.is_empty() {
        return Ok(());
    }
    let ids: Vec<ReturnId> = ended.iter().map(|open| open.id).collect();
    changes::write_awaited(tx, &ids, false).await?;
    let ended = [(&running, ReservationStatus::Cancelled), (&lapsed, ReservationStatus::Expired)];
    for (buyers, status) in ended {
        let of_buyers = returns.reservations.iter().filter(|(id, _)| buyers.contains(*id));
        let (buyers, versions): (Vec<_>, Vec<_>) =
            of_buyers.map(|(id, (version, _))| (*id, *version)).unzip();
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

/// Ends a return by its seller. If a buyer holds the place, only the seller's wish is recorded: the
/// return ends with the hold, unless the buyer pays. Returns the performance, and the end of that
/// hold.
pub async fn take_back(
    tx: &mut Connection,
    seller_id: AccountId,
    id: ReturnId,
) -> Result<(ScheduleId, Option<DateTime<Utc>>), ReservationError> {
    let found = store::find(tx, seller_id, id).await?.ok_or(ReservationError::NotFound)?;
    let returns = lock_for_ending(tx, &[id]).await?;
    if returns.open.is_empty() {
        let ended = store::find(tx, seller_id, id).await?.ok_or(ReservationError::NotFound)?;
        return Err(ReturnRefusal::Ended(ended.status).into());
    }
    let held_until = returns.held_until();
    match held_until {
        Some(_) => changes::write_wanted_back(tx, id).await?,
        None => end(tx, &returns, ReturnStatus::TakenBack).await?,
    }
    Ok((found.schedule_id, held_until))
}

/// Ends the returns that a hold awaits and that the orders of their sellers need, which were put on
/// sale before that rule was checked. The hold ends with them.
pub async fn end_needed(app: &App, buyer: ReservationId) -> Result<(), ReservationError> {
    let ids = store::list_awaited(&app.db, buyer).await?;
    end_those(app, &ids, Chosen::Needed).await
}

/// Ends the returns of performances whose door has opened: one tick of a worker. Instances may run it
/// concurrently.
pub async fn end_overdue(app: &App) -> Result<(), sqlx::Error> {
    let before = app.config.door_opens_before();
    let list = |last, rows_max| overdue::list_overdue(&app.db, before, last, rows_max);
    OVERDUE.rows(NOT_ENDED, list, |id| end_overdue_one(app, id)).await
}

/// Ends the overdue returns of one seller, a bounded number of them.
pub async fn end_overdue_of(app: &App, seller_id: AccountId) -> Result<(), sqlx::Error> {
    let before = app.config.door_opens_before();
    let list = |_, rows_max| overdue::list_overdue_of(&app.db, seller_id, before, rows_max);
    OVERDUE.once().rows(NOT_ENDED, list, |id| end_overdue_one(app, id)).await
}

async fn end_overdue_one(app: &App, id: ReturnId) -> Result<(), ReservationError> {
    end_those(app, &[id], Chosen::Closed).await
}

/// Condition for ending returns without a request of their sellers.
#[derive(Clone, Copy)]
enum Chosen {
    /// The door has opened; a performance may have been moved since its returns were listed.
    Closed,
    /// The order of the seller needs the ticket.
    Needed,
}

/// Ends the returns among `ids` that meet the condition `chosen` once they are locked.
async fn end_those(app: &App, ids: &[ReturnId], chosen: Chosen) -> Result<(), ReservationError> {
    let schedules = retry_stale(|_| async {
        let mut tx = app.db.begin().await?;
        let mut returns = lock_for_ending(&mut tx, ids).await?;
        let status = match chosen {
            Chosen::Closed => {
                returns.open.retain(|open| open.is_closed(&app.config));
                ReturnStatus::Expired
            }
            Chosen::Needed => {
                let needed = find_needed(&mut tx, &returns.open).await?;
                returns.open.retain(|open| needed.contains(&open.reservation_id));
                ReturnStatus::TakenBack
            }
        };
        end(&mut tx, &returns, status).await?;
        tx.commit().await?;
        let schedules = returns.open.iter().map(|open| open.schedule_id);
        Ok::<HashSet<ScheduleId>, ReservationError>(schedules.collect())
    });
    for schedule_id in schedules.await? {
        announce(app, schedule_id);
    }
    Ok(())
}
