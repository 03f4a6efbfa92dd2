//! Refund of a paid reservation, inside a transaction of the caller.

use super::{error::PaymentError, model::Cancelled, store, telling::tell_refunded};
use crate::{
    accounts::AccountId,
    catalog::ScheduleId,
    infra::postgres::Connection,
    outbox::Message,
    points::Points,
    reservation::{self, Locked, ReservationId, ReservationItemId, ReservationStatus},
    tickets::{self, Used},
    wallet::{self, Kind},
};

/// Share of a payment that a refund returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Share agreed when the reservation was made, refused after its deadline; everything for a
    /// cancelled program. Refused if one of its tickets was used, or was handed over or offered to
    /// somebody.
    AsAgreed,
    /// Full refund, ignoring the deadline and used tickets (administrators only).
    All,
    /// Full refund for a cancelled program. Refused if every ticket was used.
    Unused,
}

impl Share {
    /// Returns the effect of used tickets on a refund of this share.
    fn used(self) -> Used {
        match self {
            Self::AsAgreed => Used::RefuseAny,
            Self::All => Used::Keep,
            Self::Unused => Used::RefuseAll,
        }
    }

    /// Returns what the owner of a reservation is told of a refund of this share.
    fn message(self, reservation_id: ReservationId, refunded: Points) -> Message {
        let reservation_id = reservation_id.0;
        match self {
            Self::Unused => Message::ProgramCancelled { reservation_id, refunded },
            Self::All | Self::AsAgreed => Message::ReservationRefunded { reservation_id, refunded },
        }
    }
}

/// Refunds a paid reservation inside the caller's transaction: returns the points, voids unused
/// tickets and frees the seats. Returns the performance too, whose map change the caller must
/// announce after the commit.
pub(crate) async fn refund(
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
    share: Share,
) -> Result<(Cancelled, ScheduleId), PaymentError> {
    let confirmed = reservation::lock_confirmed(tx, account_id, reservation_id).await?;
    let percent = match share {
        Share::All | Share::Unused => 100,
        Share::AsAgreed if confirmed.is_refundable => confirmed.refund_percent,
        Share::AsAgreed => return Err(PaymentError::RefundOver),
    };
    let payment = store::lock_completed(tx, reservation_id).await?;
    let payment = payment.ok_or(PaymentError::Inconsistent)?;
    if !store::write_refunded(tx, &payment).await? {
        return Err(PaymentError::StaleVersion);
    }
    let refunded = payment.amount.share(percent).ok_or(PaymentError::Inconsistent)?;
    reservation::refund_items(tx, &confirmed).await?;
    tickets::void(tx, account_id, &tickets_per_item(&confirmed), share.used()).await?;
    wallet::credit(tx, account_id, refunded, Kind::Refund, payment.id.0).await?;
    let message = share.message(reservation_id, refunded);
    tell_refunded(tx, account_id, reservation_id, payment.id, message).await?;
    let cancelled = Cancelled { reservation_id, status: ReservationStatus::Refunded, refunded };
    Ok((cancelled, confirmed.schedule_id))
}

/// Returns each item of a reservation with its number of tickets.
pub(crate) fn tickets_per_item(reservation: &Locked) -> Vec<(ReservationItemId, i32)> {
    reservation.items.iter().map(|item| (item.id, item.quantity)).collect()
}
