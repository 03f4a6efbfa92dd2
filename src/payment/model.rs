//! Payments, and what paying and cancelling are answered with.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    points::Points,
    reservation::{ReservationId, ReservationStatus},
    tickets::TicketCode,
};

/// Names a payment; also what its history entries refer to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct PaymentId(pub Uuid);

/// Where a payment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentStatus {
    /// Begun elsewhere, not confirmed yet.
    Pending,
    /// The points were taken.
    Completed,
    /// Given up before any point was taken.
    Cancelled,
    /// The points were given back.
    Refunded,
}

/// What a payment is answered with, and what its request key keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// The payment.
    pub payment_id: PaymentId,
    /// The points taken.
    pub amount: Points,
    /// The wallet's balance after it.
    pub balance: Points,
    /// One code for each seat and place.
    pub tickets: Vec<TicketCode>,
}

/// What giving back is answered with, and what its request key keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// What was given back.
    pub reservation_id: ReservationId,
    /// `CANCELLED` before payment, `REFUNDED` after it.
    pub status: ReservationStatus,
    /// The points that went back into the wallet.
    pub refunded: Points,
}
