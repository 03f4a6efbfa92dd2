//! Mails about payments and refunds, written in their transactions.

use super::{model::PaymentId, store::NewPayment};
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    outbox::{self, AccountMail, Message},
    reservation::ReservationId,
};

/// Writes the mails about new payments, all in one statement.
pub(super) async fn tell_paid(
    tx: &mut Connection,
    payments: &[NewPayment],
) -> Result<(), sqlx::Error> {
    let mails = payments.iter().map(|payment| AccountMail {
        account_id: payment.account_id,
        message: Message::ReservationPaid { reservation_id: payment.reservation_id.0 },
        order_key: order_key(payment.reservation_id),
        dedupe_key: format!("paid:{}", payment.id),
    });
    let mails: Vec<AccountMail> = mails.collect();
    outbox::write_to_accounts(tx, &mails).await
}

/// Writes the mail about the refund of a payment, which is `message`.
pub(super) async fn tell_refunded(
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
    payment_id: PaymentId,
    message: Message,
) -> Result<(), sqlx::Error> {
    let mail = AccountMail {
        account_id,
        message,
        order_key: order_key(reservation_id),
        dedupe_key: format!("refunded:{payment_id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Returns the order of mails about a reservation: its refund is told after its payment.
fn order_key(id: ReservationId) -> String {
    format!("reservation:{id}")
}
