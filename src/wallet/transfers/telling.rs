//! Mails about transfer requests, written in their transactions. An account gets no mail about its own
//! act: the sender gets one about an answer or the expiry, and a cancellation has none. Both sides get one
//! about a request that the office ends.

use super::{
    model::{LockedTransfer, TransferId, TransferStatus},
    store,
};
use crate::{
    accounts::{AccountId, Email},
    infra::{postgres::Connection, throwaway},
    outbox::{self, AccountMail, Message, NewMail},
    text::i18n::Locale,
};

/// New requests of one sender in an hour that have a mail, so that a sender who opens and cancels requests
/// without end fills no mailbox. Further ones are on the receiver's wallet page.
const TOLD_AN_HOUR_MAX: i64 = 20;

/// Writes the mail about a request that its receiver may accept now, whose row is written already.
pub(super) async fn tell_received(
    tx: &mut Connection,
    transfer_id: TransferId,
    sender_id: AccountId,
    receiver_id: AccountId,
) -> Result<(), sqlx::Error> {
    if store::count_opened_lately(tx, sender_id, TOLD_AN_HOUR_MAX + 1).await? > TOLD_AN_HOUR_MAX {
        return Ok(());
    }
    let mail = AccountMail {
        account_id: receiver_id,
        message: Message::TransferReceived { transfer_id: transfer_id.0 },
        order_key: order_key(transfer_id),
        dedupe_key: format!("transfer-received:{transfer_id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Writes the mail about a request to the address that no account has, within the same limit as to an
/// account. It does not name the sender: senders type their own names, and this mailbox belongs to no
/// customer.
pub(super) async fn tell_waiting(
    tx: &mut Connection,
    transfer_id: TransferId,
    sender_id: AccountId,
    (recipient, locale): (&Email, Locale),
) -> Result<(), sqlx::Error> {
    let n_lately = store::count_opened_lately(tx, sender_id, TOLD_AN_HOUR_MAX + 1).await?;
    // Addresses of a rehearsal end so; no mail reaches such a domain.
    let is_nowhere = recipient.as_str().ends_with(".invalid") || throwaway::is_marked(sender_id.0);
    if n_lately > TOLD_AN_HOUR_MAX || is_nowhere {
        return Ok(());
    }
    let mail = NewMail {
        message: Message::TransferWaiting { transfer_id: transfer_id.0 },
        secret: None,
        recipient: recipient.clone(),
        locale,
        order_key: order_key(transfer_id),
        dedupe_key: format!("transfer-waiting:{transfer_id}"),
    };
    outbox::write(tx, &mail).await
}

/// Writes the mails about requests that are about to expire, to their receivers.
pub(super) async fn tell_expiring(
    tx: &mut Connection,
    requests: &[(TransferId, AccountId)],
) -> Result<(), sqlx::Error> {
    let mail = |(transfer_id, receiver_id): &(TransferId, AccountId)| AccountMail {
        account_id: *receiver_id,
        message: Message::TransferExpiring { transfer_id: transfer_id.0 },
        order_key: order_key(*transfer_id),
        dedupe_key: format!("transfer-expiring:{transfer_id}"),
    };
    let mails: Vec<AccountMail> = requests.iter().map(mail).collect();
    outbox::write_to_accounts(tx, &mails).await
}

/// Writes the mail about the end of a request, to its sender.
pub(super) async fn tell_settled(
    tx: &mut Connection,
    transfer: &LockedTransfer,
    outcome: TransferStatus,
) -> Result<(), sqlx::Error> {
    if outcome == TransferStatus::Cancelled {
        return Ok(());
    }
    let transfer_id = transfer.transfer_id;
    let mail = AccountMail {
        account_id: transfer.sender_id,
        message: Message::TransferSettled { transfer_id: transfer_id.0 },
        order_key: order_key(transfer_id),
        dedupe_key: format!("transfer-settled:{transfer_id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Writes the mails about a request that ended because the sender's points were taken back: to the sender,
/// and to the receiver unless the request is still planned.
pub(super) async fn tell_taken_back(
    tx: &mut Connection,
    transfer: &LockedTransfer,
) -> Result<(), sqlx::Error> {
    let LockedTransfer { transfer_id, sender_id, receiver_id, .. } = *transfer;
    let mail = |account_id, message, told: &str| AccountMail {
        account_id,
        message,
        order_key: order_key(transfer_id),
        dedupe_key: format!("transfer-{told}:{transfer_id}"),
    };
    let settled = Message::TransferSettled { transfer_id: transfer_id.0 };
    let withdrawn = Message::TransferWithdrawn { transfer_id: transfer_id.0 };
    let to_sender = mail(sender_id, settled, "settled");
    let to_receiver = receiver_id
        .filter(|_| transfer.planned_for.is_none())
        .map(|id| mail(id, withdrawn, "withdrawn"));
    let mails: Vec<AccountMail> = [to_sender].into_iter().chain(to_receiver).collect();
    outbox::write_to_accounts(tx, &mails).await
}

/// Returns the order key of mails about a request: the mail about its end is sent after the one about its
/// beginning.
fn order_key(id: TransferId) -> String {
    format!("transfer:{id}")
}
