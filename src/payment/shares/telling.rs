//! Mails about shares, written in their transactions. A friend whose address the holder typed gets a mail with the link;
//! the friends who paid get one when the
//! reservation is confirmed, and when a share is taken back or returned. A withdrawal is not
//! mailed, and the end of a hold is not mailed to the holder as the payer of a share.

use uuid::Uuid;

use super::{
    code::ShareCode,
    model::{LockedShare, ShareId, ShareOrder},
};
use crate::{
    accounts::AccountId,
    infra::{postgres::Connection, throwaway},
    outbox::{self, AccountMail, MailSecret, Message, NewMail},
    reservation::ReservationId,
    wallet::ShareOfPayer,
};

/// Writes the mail with the link of a new share to the address that its holder typed, if there is one: the same whether or
/// not an account has it. It contains no name, because senders type their own names and the mailbox may belong to a person
/// who is no customer.
pub(super) async fn tell_offered(
    tx: &mut Connection,
    order: &ShareOrder,
    id: ShareId,
    code: &ShareCode,
) -> Result<(), sqlx::Error> {
    // Addresses of a rehearsal end with `.invalid`, a domain that no mail reaches.
    let to = order.to.clone().filter(|to| !to.as_str().ends_with(".invalid"));
    let Some(recipient) = to.filter(|_| !throwaway::is_marked(order.owner_id.0)) else {
        return Ok(());
    };
    let mail = NewMail {
        message: Message::ShareOffered { share_id: id.0 },
        secret: Some(MailSecret::new(code.to_text())),
        recipient,
        locale: order.locale,
        order_key: order_key(id.0),
        dedupe_key: format!("share-offered:{id}"),
    };
    outbox::write(tx, &mail).await
}

/// Writes the mails about a reservation that is paid together: to its holder, like any payment, and to
/// each friend about the share.
pub(super) async fn tell_paid(
    tx: &mut Connection,
    owner_id: AccountId,
    reservation_id: ReservationId,
    shares: &[ShareOfPayer],
) -> Result<(), sqlx::Error> {
    let to_owner = AccountMail {
        account_id: owner_id,
        message: Message::ReservationPaid { reservation_id: reservation_id.0 },
        order_key: format!("reservation:{reservation_id}"),
        dedupe_key: format!("paid:{reservation_id}"),
    };
    let friends = shares.iter().filter(|share| share.payer_id != owner_id);
    let to_friends = friends.map(|share| AccountMail {
        account_id: share.payer_id,
        message: Message::SharePaid { share_id: share.share_id },
        order_key: order_key(share.share_id),
        dedupe_key: format!("paid:{}", share.share_id),
    });
    let mails: Vec<AccountMail> = [to_owner].into_iter().chain(to_friends).collect();
    outbox::write_to_accounts(tx, &mails).await
}

/// Writes the mail about a share that ended unpaid to the friend who had paid it.
pub(super) async fn tell_ended(
    tx: &mut Connection,
    owner_id: AccountId,
    share: &LockedShare,
) -> Result<(), sqlx::Error> {
    let Some(withheld) = share.withheld().filter(|withheld| withheld.payer_id != owner_id) else {
        return Ok(());
    };
    let mail = AccountMail {
        account_id: withheld.payer_id,
        message: Message::ShareReturned { share_id: withheld.share_id },
        order_key: order_key(withheld.share_id),
        dedupe_key: format!("share-returned:{}", withheld.share_id),
    };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Writes the mail to the payer of a share that ended because the payer's points were taken back.
pub(super) async fn tell_taken_back(
    tx: &mut Connection,
    share: &LockedShare,
) -> Result<(), sqlx::Error> {
    let Some(withheld) = share.withheld() else { return Ok(()) };
    let mail = AccountMail {
        account_id: withheld.payer_id,
        message: Message::ShareTakenBack { share_id: withheld.share_id },
        order_key: order_key(withheld.share_id),
        dedupe_key: format!("share-taken-back:{}", withheld.share_id),
    };
    outbox::write_to_accounts(tx, &[mail]).await
}

/// Returns the order key of mails about a share, so that its refund is mailed after its payment.
pub(in crate::payment) fn order_key(share_id: Uuid) -> String {
    format!("share:{share_id}")
}
