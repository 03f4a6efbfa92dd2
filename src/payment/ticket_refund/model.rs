//! Types of refunds of single tickets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId, catalog::ProgramId, points::Points, reservation::ReturnId,
    tickets::TicketCode,
};

/// Command to refund a ticket.
#[derive(Clone, Debug)]
pub(crate) struct TicketRefundOrder {
    pub(crate) account_id: AccountId,
    pub(crate) code: TicketCode,
    /// Points that were shown to come back; `None` accepts any.
    pub(crate) shown: Option<Points>,
}

/// Refund of a ticket that may be made now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedRefund {
    pub(crate) program_id: ProgramId,
    /// Payment of the place.
    pub(crate) payment_id: Uuid,
    /// What was paid for the place.
    pub(crate) price: Points,
    /// What of it comes back.
    pub(crate) refunded: Points,
}

/// Refund of a ticket; also stored as the outcome of its request key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TicketRefunded {
    /// Id of the return of the place to the house.
    pub return_id: ReturnId,
    /// What was paid for the place.
    pub price: Points,
    /// What of it is back in the wallet.
    pub refunded: Points,
}
