//! Subjects of mails, and how long mails may take.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    sold::{NewPrice, SoldChange},
    topic::MailTopic,
};
use crate::points::Points;
use crate::text::translated::{Translated, or_one_text};

/// How long most mails may be on their way before they are given up.
pub(crate) const MAIL_TTL: Duration = Duration::from_hours(72);

/// Subject of a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::VariantNames)]
#[serde(tag = "kind", content = "payload", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Message {
    /// A new password was asked for. The secret is the token of the link.
    ResetPassword,
    /// The address must be confirmed. The secret is the token of the link.
    ConfirmAddress,
    /// The password was changed.
    PasswordChanged,
    /// The account is to have another address.
    AddressChangeAsked {
        /// The other address.
        to: String,
    },
    /// The account has another address.
    AddressChanged {
        /// The new address.
        to: String,
    },
    /// The account was deleted.
    AccountDeleted,
    /// The second factor of an account, or its recovery codes, changed.
    SignInProtectionChanged {
        /// Kind of the change.
        change: ProtectionChange,
    },
    /// The API keys of an account were ended by a change of its protection.
    ApiKeysEnded {
        /// Number of keys.
        keys: usize,
    },
    /// A reservation was paid.
    ReservationPaid {
        /// Id of the reservation.
        reservation_id: Uuid,
    },
    /// Places for a wish of a waiting list are held for it.
    PlacesOffered {
        /// Id of the reservation.
        reservation_id: Uuid,
    },
    /// A paid reservation was refunded.
    ReservationRefunded {
        /// Id of the reservation.
        reservation_id: Uuid,
        /// Points returned.
        refunded: Points,
    },
    /// A paid reservation was refunded because its program was cancelled.
    ProgramCancelled {
        /// Id of the reservation.
        reservation_id: Uuid,
        /// Points returned.
        refunded: Points,
    },
    /// Money did not reach the card: its points are in the wallet again.
    PayoutFailed {
        /// Id of the payout.
        payout_id: Uuid,
    },
    /// Another account offers points, which wait to be accepted.
    TransferReceived {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// Points wait for an account that confirms the address, to an address without one.
    TransferWaiting {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// An offer of points ends soon.
    TransferExpiring {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// An offer of points was accepted, rejected, or expired, or ended because the points were taken back.
    TransferSettled {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// An offer of points ended before its receiver answered, to the receiver.
    TransferWithdrawn {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// Another account offers a ticket, which waits to be accepted.
    HandOverOffered {
        /// Id of the hand-over.
        hand_over_id: Uuid,
    },
    /// A ticket waits for an account that confirms the address, to an address without one.
    HandOverWaiting {
        /// Id of the hand-over.
        hand_over_id: Uuid,
    },
    /// A hand-over has ended, to its sender.
    HandOverEnded {
        /// Id of the hand-over.
        hand_over_id: Uuid,
    },
    /// A hand-over has ended before its recipient answered, to the recipient.
    HandOverWithdrawn {
        /// Id of the hand-over.
        hand_over_id: Uuid,
    },
    /// A ticket is void, to a holder who did not pay for it.
    TicketVoided {
        /// Id of the ticket.
        ticket_id: Uuid,
    },
    /// A ticket that was on return was bought, to its seller.
    TicketSold {
        /// Id of the return.
        return_id: Uuid,
    },
    /// Places of a reservation wait for a friend's payment, to an address that may have an account or none. The secret is
    /// the code of the share's link.
    ShareOffered {
        /// Id of the share.
        share_id: Uuid,
    },
    /// Tickets were refunded by the terms of their order, to their payer.
    TicketRefunded {
        /// Id of the return of the first one's place to the house.
        return_id: Uuid,
        /// Ids of the returns of the others' places.
        #[serde(default)]
        more: Vec<Uuid>,
        /// Points that go on to the card.
        #[serde(default)]
        to_cards: Points,
    },
    /// A reservation was paid with tickets of another one, to its account.
    TicketsExchanged {
        /// Id of the reservation that was paid.
        reservation_id: Uuid,
        /// Id of the reservation that the tickets left.
        from_id: Uuid,
        /// Number of the tickets.
        tickets: usize,
        /// Points that they were worth.
        worth: Points,
    },
    /// A hold of a place that was on return has ended because the return did, to its account.
    ReturnGone {
        /// Id of the reservation.
        reservation_id: Uuid,
    },
    /// A performance begins at another moment, or is shown at another hour, to an account that has a part in it
    /// or waits for one.
    PerformanceMoved {
        /// Id of the performance.
        schedule_id: Uuid,
        /// When it was to begin.
        was: DateTime<Utc>,
        /// IANA zone in which that was shown.
        was_zone: String,
        /// Id of the move; `None` where the moment stays, and in mails of earlier versions.
        #[serde(default)]
        move_id: Option<Uuid>,
        /// Whether the account has no part in it and only waits for places.
        #[serde(default)]
        is_waiting: bool,
        /// What else changed with it.
        #[serde(default)]
        changes: Vec<SoldChange>,
        /// Words of the office; none: without, and in mails of earlier versions, which have them in the move.
        #[serde(default, with = "or_one_text")]
        words: Translated<String>,
    },
    /// A performance keeps its start, and something else that was sold is called otherwise, to an account that has
    /// a part in it or waits for one.
    PerformanceChanged {
        /// Id of the performance.
        schedule_id: Uuid,
        /// What changed.
        changes: Vec<SoldChange>,
        /// Words of the office; none: without.
        #[serde(default, with = "or_one_text")]
        words: Translated<String>,
        /// Id of the move that gives a right to a full refund; `None` where there is none.
        move_id: Option<Uuid>,
        /// Whether the account has no part in it and only waits for places.
        is_waiting: bool,
    },
    /// A program, or one performance of it, was cancelled, to an account that held places which were not paid, or
    /// waited for some.
    PerformanceCancelled {
        /// Id of the program.
        program_id: Uuid,
        /// Id of the performance; `None` where the whole program was cancelled.
        schedule_id: Option<Uuid>,
        /// Whether the account held no places and only waited for some.
        is_waiting: bool,
    },
    /// Places of a performance have other prices, to an account that waits for some of them.
    PricesChanged {
        /// Id of the performance.
        schedule_id: Uuid,
        /// Prices that changed, at most 12.
        prices: Vec<NewPrice>,
        /// Number of prices that changed beside these.
        n_more: usize,
    },
    /// A section of a performance is hidden, or shown again, to an account that waits for places in it.
    SectionHidden {
        /// Id of the performance.
        schedule_id: Uuid,
        /// Name of the section or zone.
        section: String,
        /// Whether it is hidden.
        is_hidden: bool,
    },
    /// A letter of the office to a holder of a ticket of a show.
    OfficeLetter {
        /// Id of the letter.
        letter_id: Uuid,
        /// Whether it cannot be declined.
        is_necessary: bool,
        /// Whether it goes to the administrator who tries it.
        is_test: bool,
    },
    /// A performance is near, to an account that holds tickets for it.
    Reminder {
        /// Id of the letter.
        letter_id: Uuid,
        /// Id of the performance.
        schedule_id: Uuid,
        /// When it begins.
        starts_at: DateTime<Utc>,
    },
    /// Tickets of a performance once more, to an account that holds some.
    TicketsAgain {
        /// Id of the performance.
        schedule_id: Uuid,
    },
    /// A share of a reservation is paid with it, to a friend of its holder.
    SharePaid {
        /// Id of the share.
        share_id: Uuid,
    },
    /// A share ended before the reservation was paid, to the friend who had paid it.
    ShareReturned {
        /// Id of the share.
        share_id: Uuid,
    },
    /// A share ended because the points that were withheld for it were taken back, to its payer.
    ShareTakenBack {
        /// Id of the share.
        share_id: Uuid,
    },
    /// A reservation was refunded, to a friend who had paid a share of it.
    ShareRefunded {
        /// Id of the share.
        share_id: Uuid,
        /// Points returned for the share.
        refunded: Points,
    },
    /// The turn in a queue is near, or has come.
    QueueTurn {
        /// Id of the queue token.
        token_id: Uuid,
    },
    /// A place in a queue has ended because the program, or the last of its performances, was cancelled.
    QueueCancelled {
        /// Id of the queue token.
        token_id: Uuid,
    },
}

/// Change of an account's second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProtectionChange {
    /// It was set.
    Set,
    /// It was removed.
    Removed,
    /// New recovery codes replaced the old ones.
    CodesRenewed,
    /// A recovery code was used.
    RecoveryCodeUsed,
}

impl Message {
    /// Returns how long the mail may be on its way before it is given up; with a secret, how long the
    /// secret is valid.
    pub fn ttl(&self) -> Duration {
        match self {
            Self::ResetPassword => Duration::from_mins(30),
            Self::ConfirmAddress => Duration::from_hours(24),
            _ => MAIL_TTL,
        }
    }

    /// Returns the topic by which the mail may be declined; `None` if it may not.
    pub fn topic(&self) -> Option<MailTopic> {
        match self {
            Self::TransferReceived { .. }
            | Self::TransferExpiring { .. }
            | Self::TransferSettled { .. }
            | Self::TransferWithdrawn { .. }
            | Self::HandOverOffered { .. }
            | Self::HandOverWithdrawn { .. } => Some(MailTopic::Transfers),
            Self::QueueTurn { .. } => Some(MailTopic::Turn),
            Self::OfficeLetter { is_necessary: false, is_test: false, .. }
            | Self::Reminder { .. } => Some(MailTopic::Letters),
            _ => None,
        }
    }

    /// Whether the mail has a secret until it is sent or given up.
    pub fn has_secret(&self) -> bool {
        matches!(self, Self::ResetPassword | Self::ConfirmAddress | Self::ShareOffered { .. })
    }

    /// Returns the kind and the payload as they are stored.
    pub fn stored(&self) -> (String, Value) {
        let mut stored = serde_json::to_value(self).unwrap_or_default();
        let kind = stored.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        (kind, stored.get_mut("payload").map(Value::take).unwrap_or_default())
    }

    /// Returns the message that is stored as `kind` and `payload`; `None` if a newer version of the
    /// program wrote it.
    pub fn parse(kind: &str, payload: &Value) -> Option<Self> {
        serde_json::from_value(json!({ "kind": kind, "payload": payload })).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::SoldPart;

    #[test]
    fn a_message_survives_the_database() {
        let refunded = Points::new(70).unwrap();
        let reservation_id = Uuid::now_v7();
        let id = reservation_id;
        for message in [
            Message::ResetPassword,
            Message::AccountDeleted,
            Message::AddressChanged { to: "ada@example.com".to_owned() },
            Message::SignInProtectionChanged { change: ProtectionChange::RecoveryCodeUsed },
            Message::ApiKeysEnded { keys: 3 },
            Message::ReservationPaid { reservation_id },
            Message::ReservationRefunded { reservation_id, refunded },
            Message::ProgramCancelled { reservation_id, refunded },
            Message::PayoutFailed { payout_id: reservation_id },
            Message::TransferReceived { transfer_id: reservation_id },
            Message::TransferWaiting { transfer_id: reservation_id },
            Message::TransferExpiring { transfer_id: reservation_id },
            Message::TransferWithdrawn { transfer_id: reservation_id },
            Message::HandOverOffered { hand_over_id: reservation_id },
            Message::TicketVoided { ticket_id: reservation_id },
            Message::TicketSold { return_id: reservation_id },
            Message::TicketRefunded { return_id: id, more: vec![id], to_cards: refunded },
            Message::TicketsExchanged { reservation_id, from_id: id, tickets: 2, worth: refunded },
            Message::ReturnGone { reservation_id },
            Message::PerformanceMoved {
                schedule_id: reservation_id,
                was: DateTime::UNIX_EPOCH,
                was_zone: "Asia/Seoul".to_owned(),
                move_id: Some(reservation_id),
                is_waiting: true,
                changes: Vec::new(),
                words: Translated::default(),
            },
            Message::PerformanceChanged {
                schedule_id: reservation_id,
                changes: SoldChange::of(SoldPart::Venue, "Opera", "Arena").into_iter().collect(),
                words: Translated::of("en", "The roof leaks.".to_owned()),
                move_id: None,
                is_waiting: false,
            },
            Message::PerformanceCancelled {
                program_id: reservation_id,
                schedule_id: Some(reservation_id),
                is_waiting: false,
            },
            Message::PricesChanged {
                schedule_id: reservation_id,
                prices: vec![NewPrice { of: "Stalls".to_owned(), was: None, now: refunded }],
                n_more: 3,
            },
            Message::SectionHidden { schedule_id: id, section: "Box".to_owned(), is_hidden: true },
            Message::OfficeLetter { letter_id: reservation_id, is_necessary: true, is_test: false },
            Message::Reminder { letter_id: id, schedule_id: id, starts_at: DateTime::UNIX_EPOCH },
            Message::TicketsAgain { schedule_id: reservation_id },
            Message::SharePaid { share_id: reservation_id },
            Message::ShareTakenBack { share_id: reservation_id },
            Message::ShareRefunded { share_id: reservation_id, refunded },
            Message::QueueTurn { token_id: reservation_id },
            Message::QueueCancelled { token_id: reservation_id },
        ] {
            let (kind, payload) = message.stored();
            assert_eq!(Message::parse(&kind, &payload), Some(message));
        }
        assert_eq!(Message::parse("of-a-newer-version", &Value::Null), None);
    }
}
