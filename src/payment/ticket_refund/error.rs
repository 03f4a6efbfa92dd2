//! Errors of refunding a single ticket.

use crate::{
    infra::idempotency::KeyError,
    payment::error::PaymentError,
    points::Points,
    reservation::ReservationError,
    tickets::{TicketError, TicketStatus},
    wallet::WalletError,
    web::error::{KitError, problems},
};

problems! {
    /// Reason why a ticket was not refunded.
    pub enum TicketRefundError {
        /// The ticket does not exist, or is not the account's.
        NotFound => KitError::NotFound,
        /// The ticket was used, refunded or sold, or its show was cancelled.
        NotValid { status: TicketStatus } = 409 "ticket-refund-not-valid" { ticket_status: status },
        OnSale = 409 "ticket-refund-on-sale",
        NotPayer = 403 "ticket-refund-not-payer",
        Offered = 409 "ticket-refund-offered",
        /// No step of the terms holds any more.
        Over => PaymentError::RefundOver,
        /// Other terms hold now than the request showed; `refunded` would come back.
        Changed { refunded: Points } = 409 "ticket-refund-changed" { refunded }
            .price("refunded", refunded),
        Contended => KitError::Contended,
    }
    wraps {
        Reservation(#[from] ReservationError), Ticket(#[from] TicketError), Wallet(#[from] WalletError),
        Key(#[from] KeyError), Database(sqlx::Error),
    }
    each.or_recovery("/tickets")
    constraints { "ticket_returns_live_key" => Self::OnSale, lock_timeout => Self::Contended }
    retried() or Self::Contended
}
