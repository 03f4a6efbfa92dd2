//! Refund of a paid reservation, inside a transaction of the caller.

use super::{
    error::PaymentError,
    model::Cancelled,
    store::{self, LockedPayment, SettledPlace},
    telling::tell_refunded,
    to_cards::ToCards,
};
use crate::{
    accounts::AccountId,
    catalog::{RefundTarget, ScheduleId},
    infra::postgres::Connection,
    outbox::Message,
    points::Points,
    reservation::{
        self, Locked, RefundShare, ReservationId, ReservationItemId, ReservationStatus, order_rules,
    },
    tickets::{self, Used},
    wallet::{self, RefundCredit},
};

/// Share of a payment that a refund returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Share agreed when the reservation was made, refused after its last deadline; everything for a
    /// cancelled program. Refused if a ticket was used, offered, or handed over to another account,
    /// or if another order of the owner needs one of the places. Places on return that buyers hold
    /// do not prevent it: the holds get the places.
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

    /// Returns the mail to the owner of a reservation about a refund of this share.
    fn message(self, reservation_id: ReservationId, refunded: Points) -> Message {
        let reservation_id = reservation_id.0;
        match self {
            Self::Unused => Message::ProgramCancelled { reservation_id, refunded },
            Self::All | Self::AsAgreed => Message::ReservationRefunded { reservation_id, refunded },
        }
    }
}

/// Refunds a paid reservation inside the caller's transaction: returns to each payer the share of
/// that payer's payment, voids unused tickets and frees the seats. With [`RefundTarget::Card`] the bought points
/// among them go on to the cards. Also returns the performance,
/// whose map change the caller must announce after the commit.
pub async fn refund(
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
    share: Share,
    target: RefundTarget,
) -> Result<(Cancelled, ScheduleId), PaymentError> {
    let confirmed = reservation::lock_confirmed(tx, account_id, reservation_id).await?;
    let refund_share = match share {
        Share::All | Share::Unused => RefundShare::ALL,
        Share::AsAgreed => confirmed.refund_share.ok_or(PaymentError::RefundOver)?,
    };
    if share == Share::AsAgreed && !confirmed.is_cancelled {
        order_rules::require_refundable(tx, reservation_id).await?;
    }
    let mut payments = store::lock_completed(tx, reservation_id).await?;
    let settled = match confirmed.items.iter().any(|item| item.returned > 0) {
        true => store::list_settled(tx, reservation_id).await?,
        false => Vec::new(),
    };
    let refunds = refunds_of(&mut payments, &settled, refund_share);
    let refunds = refunds.ok_or(PaymentError::Inconsistent)?;
    let n_written = store::write_refunded(tx, &payments).await?;
    if u64::try_from(payments.len()) != Ok(n_written) {
        return Err(PaymentError::StaleVersion);
    }
    reservation::refund_items(tx, &confirmed).await?;
    let payers: Vec<AccountId> = refunds.iter().map(|refund| refund.payer_id).collect();
    let items = unsold_per_item(&confirmed);
    tickets::void(tx, account_id, &items, share.used(), &payers).await?;
    let to_cards = ToCards::lock(tx, target, &refunds).await?;
    wallet::refund(tx, &refunds).await?;
    let to_cards = to_cards.pay_out(tx, Some(reservation_id)).await?;
    let to_cards = Points::sum(to_cards.into_values()).ok_or(PaymentError::Inconsistent)?;
    let owner_message = share.message(reservation_id, sum_of(&refunds, Some(account_id)));
    tell_refunded(tx, account_id, reservation_id, owner_message, &refunds).await?;
    let refunded = sum_of(&refunds, None);
    let status = ReservationStatus::Refunded;
    let cancelled = Cancelled { reservation_id, status, refunded, to_cards };
    Ok((cancelled, confirmed.schedule_id))
}

/// Returns the refund of each payment, rounded down to whole points for each, less the prices of the places that
/// are `settled`, because their payers have had them back. What the house took back has borne its part of the fee.
/// `None` for a paid reservation without a payment, or a price that is more than its payment: a bug.
fn refunds_of(
    payments: &mut [LockedPayment],
    settled: &[SettledPlace],
    share: RefundShare,
) -> Option<Vec<RefundCredit>> {
    for place in settled {
        let payment = payments.iter_mut().find(|payment| payment.id == place.payment_id)?;
        payment.amount = payment.amount.checked_sub(place.price)?;
    }
    let to_house = settled.iter().filter(|place| place.to_house).map(|place| place.price);
    let total = Points::sum(payments.iter().map(|payment| payment.amount).chain(to_house))?;
    let refunds = payments.iter().map(|payment| {
        let &LockedPayment { id, payer_id, amount, .. } = payment;
        Some(RefundCredit { payer_id, amount: share.of(amount, total)?, payment_id: id.0 })
    });
    refunds.collect::<Option<Vec<_>>>().filter(|refunds| !refunds.is_empty())
}

/// Adds up the refunds, all of them or only those to `payer_id`. The sum is at most the
/// reservation's total, so it does not overflow.
fn sum_of(refunds: &[RefundCredit], payer_id: Option<AccountId>) -> Points {
    let counted = refunds.iter().filter(|refund| payer_id.is_none_or(|id| id == refund.payer_id));
    Points::sum(counted.map(|refund| refund.amount)).unwrap_or_default()
}

/// Returns each item of a paid reservation with its number of tickets that were not resold.
fn unsold_per_item(reservation: &Locked) -> Vec<(ReservationItemId, i32)> {
    let items = reservation.items.iter().map(|item| (item.id, item.quantity - item.returned));
    items.filter(|(_, quantity)| *quantity > 0).collect()
}

/// Returns each item of a reservation with its number of tickets.
pub(crate) fn tickets_per_item(reservation: &Locked) -> Vec<(ReservationItemId, i32)> {
    reservation.items.iter().map(|item| (item.id, item.quantity)).collect()
}
