//! What becomes of a cancelled program: holds are released, tickets void, points back.
//!
//! The cancellation itself is one short transaction: from then on nothing is sold, held
//! or paid. Everything else follows here, one reservation a transaction, by every
//! instance at once. What is left to do is read from the rows, so after a crash the next
//! tick simply goes on, and it is over when no row is left. A group of which somebody was let in
//! is given back as a whole; one that was let in as a whole keeps what it paid. The line is taken
//! away by its own feature.

pub(crate) mod pages;
pub(crate) mod store;

use futures_util::StreamExt;
use rand::seq::SliceRandom;

use self::store::Left;
use super::error::AdminError;
use crate::{
    app::App,
    catalog::{self, ProgramId},
    infra::postgres::retry_stale,
    payment::{self, PaymentError, Share},
    reservation::{self, ReservationError, ReservationStatus},
    tickets::TicketError,
};

/// Reservations looked at in one tick and program.
const BATCH_MAX: i64 = 200;
/// Reservations given back at the same time by one instance.
const AT_ONCE: usize = 4;

/// Gives back the next of what was sold or held of each cancelled program.
pub async fn wind_down(app: &App) -> Result<(), sqlx::Error> {
    for program_id in store::list_winding_down(&app.db).await? {
        wind_down_program(app, program_id).await?;
    }
    Ok(())
}

async fn wind_down_program(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    let mut left = store::list_left(&app.db, program_id, BATCH_MAX).await?;
    if left.is_empty() {
        return finish(app, program_id).await;
    }
    // Instances that found the same ones begin at different places.
    left.shuffle(&mut rand::rng());
    // Holds first: whoever is about to pay learns it sooner, and no refund that waits for
    // a ticket or a wallet keeps their seats.
    left.sort_by_key(|one| one.status == ReservationStatus::Confirmed);
    futures_util::stream::iter(left)
        .for_each_concurrent(AT_ONCE, |one| async move {
            match retry_stale(|_| give_back(app, &one)).await {
                Ok(()) => (),
                // Another instance, its owner or the clock was faster, or it was used.
                Err(refusal) if is_settled_otherwise(&refusal) => (),
                Err(error) => {
                    tracing::error!(reservation_id = %one.id, %error, "not given back, trying again");
                }
            }
        })
        .await;
    Ok(())
}

/// Ends the winding down if nothing is left.
///
/// The rows say so, and no clock: a payment that began before the cancellation holds its
/// reservation's lock, so until its end that is seen as `HELD`, and afterwards as paid. A hold
/// that began before it may still come, but can never be paid. A check-in that is taken back
/// waits for the program's row, and opens the winding down again.
async fn finish(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    let mut tx = app.db.begin().await?;
    catalog::lock_winding_down(&mut tx, program_id).await?;
    if !store::is_anything_left(&mut tx, program_id).await? {
        catalog::finish_winding_down(&mut tx, program_id).await?;
    }
    tx.commit().await
}

async fn give_back(app: &App, left: &Left) -> Result<(), AdminError> {
    let mut tx = app.db.begin().await?;
    let schedule_id = match left.status {
        ReservationStatus::Confirmed => {
            let refund = payment::refund(&mut tx, left.account_id, left.id, Share::Unused);
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
