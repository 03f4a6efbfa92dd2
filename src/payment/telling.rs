//! Mails about payments, shares and refunds, written in their transactions.

use super::{shares::telling::order_key as share_order_key, store::NewPayment};
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    outbox::{self, AccountMail, Message},
    reservation::ReservationId,
    wallet::RefundCredit,
};

/// Writes the mails about new payments, all in one statement.
pub(super) async fn tell_paid(
    tx: &mut Connection,
    payments: &[NewPayment],
) -> Result<(), sqlx::Error> {
    outbox::write_to_accounts(tx, &mails_about(payments)).await
}

/// Returns the mails about new payments.
pub(super) fn mails_about(payments: &[NewPayment]) -> Vec<AccountMail> {
    let mails = payments.iter().map(|payment| AccountMail {
        account_id: payment.account_id,
        message: Message::ReservationPaid { reservation_id: payment.reservation_id.0 },
        order_key: order_key(payment.reservation_id),
        dedupe_key: format!("paid:{}", payment.id),
    });
    mails.collect()
}

/// Writes the mails about the refund of a reservation: `owner_message` to its owner, and to each
/// other payer the points returned for the share.
pub(super) async fn tell_refunded(
    tx: &mut Connection,
    owner_id: AccountId,
    reservation_id: ReservationId,
    owner_message: Message,
    refunds: &[RefundCredit],
) -> Result<(), sqlx::Error> {
    let to_owner = AccountMail {
        account_id: owner_id,
        message: owner_message,
        order_key: order_key(reservation_id),
        dedupe_key: format!("refunded:{reservation_id}"),
    };
    let others = refunds.iter().filter(|refund| refund.payer_id != owner_id);
    let to_others = others.map(|refund| AccountMail {
        account_id: refund.payer_id,
        // The payment of a share has its id.
        message: Message::ShareRefunded { share_id: refund.payment_id, refunded: refund.amount },
        order_key: share_order_key(refund.payment_id),
        dedupe_key: format!("refunded:{}", refund.payment_id),
    });
    let mails: Vec<AccountMail> = [to_owner].into_iter().chain(to_others).collect();
    outbox::write_to_accounts(tx, &mails).await
}

/// Returns the order key of mails about a reservation, so that its refund is mailed after its
/// payment.
pub(super) fn order_key(id: ReservationId) -> String {
    format!("reservation:{id}")
}
