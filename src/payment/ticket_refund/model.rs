//! Types of refunds of single tickets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, RefundTarget},
    points::Points,
    reservation::ReturnId,
    tickets::TicketCode,
};

/// Command to refund tickets of one order.
#[derive(Clone, Debug)]
pub(crate) struct TicketRefundOrder {
    pub(crate) account_id: AccountId,
    /// Tickets, at least one; each once.
    pub(crate) codes: Vec<TicketCode>,
    /// Points that were shown to come back of all; `None` accepts any.
    pub(crate) shown: Option<Points>,
    /// Where the money goes.
    pub(crate) target: RefundTarget,
}

/// Refund of tickets of one order that may be made now.
#[derive(Clone, Debug)]
pub(crate) struct PlannedRefund {
    pub(crate) program_id: ProgramId,
    /// What comes back of each ticket, in their order.
    pub(crate) places: Vec<PlannedPlace>,
}

/// Place that may leave its order now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedPlace {
    /// Payment of the place.
    pub(crate) payment_id: Uuid,
    /// What was paid for the place.
    pub(crate) price: Points,
    /// What of it comes back.
    pub(crate) refunded: Points,
}

/// Refund of tickets; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TicketRefunded {
    /// Id of the return of the first ticket's place to the house.
    pub return_id: ReturnId,
    /// Ids of the returns of the others' places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ReturnId>,
    /// What was paid for the places.
    pub price: Points,
    /// What of it came back.
    pub refunded: Points,
    /// Points among them that go on to the card.
    #[serde(default)]
    pub to_cards: Points,
}
