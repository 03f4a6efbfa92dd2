//! Types of payments, and the results of paying and cancelling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    infra::{idempotency::RequestKey, ids::ids},
    points::Points,
    reservation::{ReservationId, ReservationStatus},
    tickets::TicketCode,
};

ids! {
    /// Id of a payment; also the reference of its history entries.
    pub PaymentId(Uuid),
}

/// Request to pay a hold, which waits for its batch.
#[derive(Clone, Debug)]
pub(crate) struct PaymentRequest {
    pub account_id: AccountId,
    pub reservation_id: ReservationId,
    pub key: Option<RequestKey>,
}

/// State of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PaymentStatus {
    /// Points were taken.
    Completed,
    /// Points were returned.
    Refunded,
}

/// Result of a payment; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Paid {
    /// Id of the payment.
    pub payment_id: PaymentId,
    /// Points taken.
    pub amount: Points,
    /// Balance of the wallet after the payment.
    pub balance: Points,
    /// Ticket codes, one per seat and place.
    pub tickets: Vec<TicketCode>,
}

/// Result of a cancellation; also stored as the outcome of its request key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// Reservation that was cancelled, or of which tickets were given back.
    pub reservation_id: ReservationId,
    /// `CANCELLED` before payment, `REFUNDED` after it, `CONFIRMED` where only tickets of it were given back.
    pub status: ReservationStatus,
    /// Sum of the points returned to all payers.
    pub refunded: Points,
    /// Points among them that go back to the cards that paid for them.
    #[serde(default)]
    pub to_cards: Points,
}
