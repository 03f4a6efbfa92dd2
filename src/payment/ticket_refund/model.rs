//! Types of refunds of single tickets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, RefundTarget},
    payment::Share,
    points::Points,
    reservation::{ReservationId, ReturnId},
    tickets::{TicketCode, returns::model::ReturnTerms},
};

/// Account that gives tickets back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenBy {
    /// The account that holds the tickets and paid for them, by the terms of their order.
    Payer(AccountId),
    /// Staff, of this order: for each account that holds a ticket and paid for it, by the terms or whatever these say.
    Staff(ReservationId, Share),
}

impl GivenBy {
    /// Returns the account for which the ticket with these `terms` is given back.
    pub(crate) fn account_of(self, terms: &ReturnTerms) -> AccountId {
        match self {
            Self::Payer(account_id) => account_id,
            Self::Staff(..) => terms.holder_id,
        }
    }
}

/// Command to refund tickets of one order.
#[derive(Clone, Debug)]
pub struct TicketRefundOrder {
    pub by: GivenBy,
    /// Tickets, at least one; each once.
    pub codes: Vec<TicketCode>,
    /// Points that were shown to come back of all; `None` accepts any.
    pub shown: Option<Points>,
    /// Where the money goes.
    pub target: RefundTarget,
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
    /// Account that paid for the place, and its payment.
    pub(crate) payer_id: AccountId,
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
