//! Errors of handing tickets over.

use super::model::{HandOverId, HandOverStatus, OFFERS_MAX};
use crate::{
    accounts::ADDRESS_CONFIRMATION_PATH,
    infra::idempotency::KeyError,
    tickets::model::TicketStatus,
    web::{
        error::{KitError, problems},
        local_path::with_next,
    },
};

/// Seconds after which a sender who offered too often may try again.
const AGAIN_AFTER_SECS: u64 = 600;

problems! {
    /// Reason why no ticket changed hands.
    pub enum HandOverError {
        /// The ticket or the hand-over does not exist, or is not up to the account.
        NotFound => KitError::NotFound,
        /// The ticket was used or refunded, or its program was cancelled.
        NotValid(status: TicketStatus) = 409 "hand-over-not-valid" { ticket_status: status },
        Begun = 409 "hand-over-begun",
        ToOneself = 422 "hand-over-to-oneself",
        OfferedAlready = 409 "hand-over-pending",
        OnReturn = 409 "hand-over-on-return",
        TooManyHands = 409 "hand-over-too-many-hands",
        /// The sender has the maximum number of pending hand-overs.
        TooManyOffers = 409 "hand-over-limit" { limit: OFFERS_MAX }.number("limit", OFFERS_MAX),
        /// The sender has made the maximum number of hand-overs in the last hour.
        TooOften = 429 "hand-over-too-often".retry_after(AGAIN_AFTER_SECS),
        /// The program asks for a confirmed address, and the recipient has none.
        AddressUnconfirmed(id: HandOverId) = 403 "hand-over-unconfirmed" {
            confirmation_url: confirmation_url(*id)
        }.recovery(confirmation_url(*id)),
        /// An administrator locked the sender's account.
        Frozen = 409 "hand-over-frozen",
        Ended(status: HandOverStatus) = 409 "hand-over-ended" { hand_over_status: status },
        Expired = 410 "hand-over-expired",
        Contended => KitError::Contended,
    }
    wraps { Key(#[from] KeyError), Database(sqlx::Error) }
    each.or_recovery("/tickets")
    constraints {
        "ticket_hand_overs_pending_key" => Self::OfferedAlready,
        lock_timeout => Self::Contended
    }
    retried() or Self::Contended
}

/// Returns the page that mails a link to confirm the address, which leads back to the hand-over.
fn confirmation_url(id: HandOverId) -> String {
    with_next(ADDRESS_CONFIRMATION_PATH, &format!("/hand-overs/{id}"))
}
