//! Errors of refunding a single ticket.

use crate::{
    infra::idempotency::KeyError,
    payment::error::PaymentError,
    points::Points,
    reservation::ReservationError,
    tickets::{TicketError, returns::error::TicketKept},
    wallet::WalletError,
    web::error::{KitError, problems},
};

problems! {
    /// Reason why a ticket was not refunded.
    pub enum TicketRefundError {
        /// The ticket does not exist, or is not the account's.
        NotFound => KitError::NotFound,
        /// No step of the terms holds any more.
        Over => PaymentError::RefundOver,
        /// Other terms hold now than the request showed; `refunded` would come back.
        Changed { refunded: Points } = 409 "ticket-refund-changed" { refunded }
            .price("refunded", refunded),
        Contended => KitError::Contended,
    }
    wraps {
        Kept(#[from] TicketKept), Reservation(#[from] ReservationError), Ticket(#[from] TicketError), Wallet(#[from] WalletError),
        Key(#[from] KeyError), Database(sqlx::Error),
    }
    each.or_recovery("/tickets")
    constraints { "ticket_returns_live_key" => Self::Kept(TicketKept::OnSale), lock_timeout => Self::Contended }
    retried() or Self::Contended
}
