//! Mails about hand-overs, written in their transactions. The recipient gets a mail about an offer,
//! and about a check-in by the sender that ended it; the sender about an acceptance, a refusal and
//! an expiry; both about a voided ticket, an address without an account too. A cancellation is not mailed.

use super::{
    model::{HandOverId, HandOverOrder, HandOverStatus, LockedHandOver},
    store::unclaimed::UnclaimedOffer,
};
use crate::{
    accounts::AccountId,
    infra::{postgres::Connection, throwaway},
    outbox::{self, AccountMail, Message, NewMail},
};

/// Writes the mail about a new hand-over to its recipient.
pub(super) async fn tell_offered(
    tx: &mut Connection,
    id: HandOverId,
    recipient_id: AccountId,
) -> Result<(), sqlx::Error> {
    let mail = AccountMail {
        account_id: recipient_id,
        message: Message::HandOverOffered { hand_over_id: id.0 },
        order_key: order_key(id),
        dedupe_key: format!("hand-over-offered:{id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Writes the mail about a new hand-over to an address without an account. The mail contains no
/// name, because senders type their own names and this mailbox may belong to a person who is no
/// customer.
pub(super) async fn tell_waiting(
    tx: &mut Connection,
    id: HandOverId,
    order: &HandOverOrder,
) -> Result<(), sqlx::Error> {
    // Addresses of a rehearsal end with `.invalid`, a domain that no mail reaches.
    if order.to.as_str().ends_with(".invalid") || throwaway::is_marked(order.sender_id.0) {
        return Ok(());
    }
    let mail = NewMail {
        message: Message::HandOverWaiting { hand_over_id: id.0 },
        secret: None,
        recipient: order.to.clone(),
        locale: order.locale,
        order_key: order_key(id),
        dedupe_key: format!("hand-over-waiting:{id}"),
    };
    outbox::write(tx, &mail).await
}

/// Writes the mails about tickets that are void while they wait at addresses without an account.
pub(super) async fn tell_unclaimed(
    tx: &mut Connection,
    offers: Vec<UnclaimedOffer>,
) -> Result<(), sqlx::Error> {
    let mails = offers.into_iter().map(|offer| NewMail {
        message: Message::HandOverWithdrawn { hand_over_id: offer.id.0 },
        secret: None,
        order_key: order_key(offer.id),
        dedupe_key: format!("hand-over-ended:{}:recipient", offer.id),
        recipient: offer.address,
        locale: offer.locale,
    });
    outbox::write_all(tx, &mails.collect::<Vec<_>>()).await
}

/// Writes the mails about hand-overs that have ended.
pub(super) async fn tell_ended(
    tx: &mut Connection,
    ended: &[LockedHandOver],
) -> Result<(), sqlx::Error> {
    let mails: Vec<AccountMail> = ended.iter().flat_map(mails_about).collect();
    outbox::write_to_accounts(tx, &mails).await
}

fn mails_about(ended: &LockedHandOver) -> Vec<AccountMail> {
    let id = ended.id;
    let mail = |account_id, message, to: &str| AccountMail {
        account_id,
        message,
        order_key: order_key(id),
        dedupe_key: format!("hand-over-ended:{id}:{to}"),
    };
    let to_sender = || {
        let message = Message::HandOverEnded { hand_over_id: id.0 };
        mail(ended.sender_id, message, "sender")
    };
    let to_recipient = ended.recipient_id.map(|recipient_id| {
        let message = Message::HandOverWithdrawn { hand_over_id: id.0 };
        mail(recipient_id, message, "recipient")
    });
    match ended.status {
        HandOverStatus::Pending | HandOverStatus::Cancelled => Vec::new(),
        HandOverStatus::Accepted | HandOverStatus::Declined | HandOverStatus::Expired => {
            vec![to_sender()]
        }
        HandOverStatus::Admitted => to_recipient.into_iter().collect(),
        HandOverStatus::Voided => to_recipient.into_iter().chain([to_sender()]).collect(),
    }
}

/// Returns the order key of mails about a hand-over, so that its end is mailed after its beginning.
fn order_key(id: HandOverId) -> String {
    format!("hand-over:{id}")
}
