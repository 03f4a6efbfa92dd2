//! Errors of putting tickets back on sale.

use crate::{
    infra::idempotency::KeyError,
    points::Points,
    reservation::ReservationError,
    tickets::model::TicketStatus,
    web::error::{KitError, problems},
};

problems! {
    /// Reason why no ticket was put back on sale, or taken back.
    pub enum ReturnError {
        /// The ticket or the return does not exist, or is not the account's.
        NotFound => KitError::NotFound,
        /// The ticket was used, refunded or sold, or its program was cancelled.
        NotValid(status: TicketStatus) = 409 "return-not-valid" { ticket_status: status },
        OnReturn = 409 "return-open",
        NotPayer = 403 "return-not-payer",
        /// The ticket was bought at a price type or with a code.
        Reduced = 409 "return-reduced",
        Offered = 409 "return-offered",
        /// The program is not on sale, or the door of the performance is open.
        SaleClosed = 410 "return-sale-closed",
        /// The program's share is another one than the request showed. `payout` would go to the seller.
        PayoutChanged { payout: Points } = 409 "return-payout-changed" { payout }
            .price("payout", payout),
        Contended => KitError::Contended,
    }
    wraps { Reservation(#[from] ReservationError), Key(#[from] KeyError), Database(sqlx::Error) }
    each.or_recovery("/tickets")
    constraints { "ticket_returns_live_key" => Self::OnReturn, lock_timeout => Self::Contended }
    retried() or Self::Contended
}

problems! {
    /// Reason why the house does not take a ticket back, whatever its account would get for it.
    pub enum TicketKept {
        /// The ticket does not exist, or is not the account's.
        NotFound => KitError::NotFound,
        /// The ticket was used, refunded or sold, or its show was cancelled.
        NotValid { status: TicketStatus } = 409 "ticket-refund-not-valid" { ticket_status: status },
        OnSale = 409 "ticket-refund-on-sale",
        NotPayer = 403 "ticket-refund-not-payer",
        Offered = 409 "ticket-refund-offered",
    }
}
