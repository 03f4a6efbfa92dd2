//! Winding down of cancelled programs, and of performances that are cancelled alone: releases holds,
//! voids tickets and refunds points.
//!
//! The cancellation itself is one short transaction: from then on nothing is sold, held or
//! paid. A program is **wound down** when no **left** reservation remains: no hold, no paid
//! reservation with a valid ticket, and no account waiting in the queue. A performance is wound down when none
//! of its own reservations remains; accounts in the queue may buy other performances.
//!
//! # Invariants
//!
//! * Each reservation is given back in a transaction of its own, in full (`Share::Unused`).
//! * A reservation whose tickets were checked in only in part is refunded as a whole; one whose tickets were
//!   all checked in keeps its payment.
//! * The waiting queue is removed by `entry_queue`, not here.
//!
//! # Concurrency
//!
//! Every instance winds down the same programs and performances at once, in random order. The remaining work is
//! read from the rows, so the next tick continues after a crash. An instance that loses the
//! race for a reservation finds it settled and skips it.

pub mod pages;
pub mod schedule_pages;
pub mod store;

use futures_util::StreamExt;
use rand::seq::SliceRandom;

use self::store::{Left, WindingDown};
use super::error::AdminError;
use crate::{
    app::App,
    catalog::{self, RefundTarget},
    infra::postgres::retry_stale,
    payment::{self, PaymentError, Share},
    reservation::{self, ReservationError, ReservationStatus},
    tickets::TicketError,
};

/// Reservations read in one tick and program.
const BATCH_MAX: i64 = 200;
/// Reservations given back concurrently by one instance.
const AT_ONCE: usize = 4;

/// Gives back the next batch of each cancelled program and performance; one tick of a worker.
pub async fn wind_down(app: &App) -> Result<(), sqlx::Error> {
    let mut winding_down = store::list_programs(&app.db).await?;
    winding_down.extend(store::list_schedules(&app.db).await?);
    for cancelled in winding_down {
        let left = store::list_left(&app.db, cancelled.of(), BATCH_MAX).await?;
        match left.is_empty() {
            true => finish(app, cancelled).await?,
            false => give_all_back(app, left, cancelled.refund_target).await,
        }
    }
    Ok(())
}

async fn give_all_back(app: &App, mut left: Vec<Left>, refunds: RefundTarget) {
    // The order is random so that instances that read the same batch begin at different places.
    left.shuffle(&mut rand::rng());
    // Holds come first: a buyer about to pay learns of the cancellation sooner, and no refund
    // that waits for a ticket or a wallet delays the release of seats.
    left.sort_by_key(|one| one.status == ReservationStatus::Confirmed);
    futures_util::stream::iter(left)
        .for_each_concurrent(AT_ONCE, |one| async move {
            match retry_stale(|_| give_back(app, &one, refunds)).await {
                Ok(()) => (),
                // Another instance, the owner or the expiry settled it first, or its tickets
                // were used.
                Err(refusal) if is_settled_otherwise(&refusal) => (),
                Err(error) => {
                    tracing::error!(reservation_id = %one.id, %error, "not given back, trying again");
                }
            }
        })
        .await;
}

/// Ends the winding down if nothing is left.
///
/// The rows decide, not a clock: a payment that began before the cancellation holds its
/// reservation's lock, so the reservation reads as `HELD` until it ends and as paid afterwards.
/// A hold that began before the cancellation may still be committed later, but can never be
/// paid. Undoing a check-in waits for the rows of program and performance, and reopens the winding down.
async fn finish(app: &App, cancelled: WindingDown) -> Result<(), sqlx::Error> {
    let mut tx = app.db.begin().await?;
    match cancelled.schedule_id {
        None => catalog::lock_program(&mut tx, cancelled.program_id).await?,
        Some(id) => catalog::lock_schedule(&mut tx, id).await?,
    }
    if !store::is_anything_left(&mut tx, cancelled.of()).await? {
        match cancelled.schedule_id {
            None => catalog::write_wound_down(&mut tx, cancelled.program_id).await?,
            Some(id) => catalog::write_schedule_wound_down(&mut tx, id).await?,
        }
    }
    tx.commit().await
}

async fn give_back(app: &App, left: &Left, refunds: RefundTarget) -> Result<(), AdminError> {
    let mut tx = app.db.begin().await?;
    let schedule_id = match left.status {
        ReservationStatus::Confirmed => {
            let share = Share::Unused;
            let refund = payment::refund(&mut tx, left.account_id, left.id, share, refunds);
            let (_, schedule_id) = refund.await?;
            schedule_id
        }
        _ => reservation::release(&mut tx, left.account_id, left.id).await?.schedule_id,
    };
    tx.commit().await?;
    reservation::announce(app, schedule_id);
    Ok(())
}

fn is_settled_otherwise(refusal: &AdminError) -> bool {
    matches!(
        refusal,
        AdminError::Reservation(ReservationError::InvalidState(_))
            | AdminError::Payment(
                PaymentError::Reservation(ReservationError::InvalidState(_))
                    | PaymentError::Ticket(TicketError::Used { .. })
            )
    )
}
