//! Types of exchanges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ExchangeError;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    points::Points,
    reservation::{
        ExchangeId, RefundCap, ReservationId,
        returns::{LockedPlaces, model::NewReturn},
    },
    tickets::{TicketCode, returns::model::ReturnTerms},
};

/// Command to begin an exchange.
#[derive(Clone, Debug)]
pub struct ExchangeOrder {
    pub account_id: AccountId,
    /// Order of the tickets.
    pub reservation_id: ReservationId,
    /// Tickets to be given, at least one.
    pub codes: Vec<TicketCode>,
}

/// Exchange that is open.
#[derive(Clone, Debug)]
pub(crate) struct OpenExchange {
    pub(crate) id: ExchangeId,
    pub(crate) account_id: AccountId,
    pub(crate) program_id: ProgramId,
    /// Points that each ticket is worth less than what was paid for it.
    pub(crate) fee: Points,
    /// Whether staff make it, whatever the program asks of an exchange.
    pub(crate) is_by_staff: bool,
}

/// Open exchange with its tickets, all locked, and the orders that it changes.
#[derive(Debug)]
pub(crate) struct LockedExchange {
    pub(super) open: OpenExchange,
    pub(super) places: LockedPlaces,
    pub(super) terms: Vec<ReturnTerms>,
}

/// Tickets that were taken.
#[derive(Debug)]
pub(crate) struct TakenTickets {
    pub(super) exchange_id: ExchangeId,
    /// Order that they left.
    pub(super) from_id: ReservationId,
    /// Their returns to the house, with what each is worth.
    pub(crate) given: Vec<NewReturn>,
    /// Bound on what the order that is paid with them gives back.
    pub(crate) cap: RefundCap,
}

/// What the tickets of an order are worth for other places.
pub(crate) struct ExchangeOffers {
    /// Fee of each ticket; `None` if staff alone exchange them.
    pub(super) fee: Option<Points>,
    /// What each ticket is worth now, or why it may not be exchanged, in the order in which they were asked for.
    pub(super) worths: Vec<Result<Points, ExchangeError>>,
}

/// Exchange that was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeBegun {
    pub exchange_id: ExchangeId,
    /// Show whose other places the tickets pay for.
    pub program_id: ProgramId,
    /// Number of tickets.
    pub tickets: usize,
    /// What was paid for the tickets.
    pub price: Points,
    /// What they are worth for other places: the price less the fee of each ticket.
    pub worth: Points,
}
