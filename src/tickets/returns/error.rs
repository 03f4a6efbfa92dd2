//! Errors of putting tickets back on sale.

use serde_json::json;

use crate::{
    infra::{
        idempotency::KeyError,
        postgres::{Contention, is_conflict, is_lock_timeout, violated_constraint},
    },
    points::Points,
    reservation::ReservationError,
    tickets::model::TicketStatus,
    web::error::{HttpError, Problem},
};

/// Reason why no ticket was put back on sale, or taken back. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReturnError {
    /// The ticket or the return does not exist, or is not the account's.
    #[error("no such ticket or return")]
    NotFound,
    /// The ticket was used, refunded or sold, or its program was cancelled.
    #[error("the ticket is {0:?} or its program is cancelled")]
    NotValid(TicketStatus),
    /// The ticket is on return already.
    #[error("the ticket is on return already")]
    OnReturn,
    /// The holder did not pay for the ticket.
    #[error("the holder did not pay for the ticket")]
    NotPayer,
    /// The ticket was bought at a price type or with a code.
    #[error("the ticket was bought at a reduced price")]
    Reduced,
    /// The ticket is offered to somebody.
    #[error("the ticket is offered to somebody")]
    Offered,
    /// The program is not on sale, or the door of the performance is open.
    #[error("the sale is closed")]
    SaleClosed,
    /// The program's share is another one than the request showed.
    #[error("{payout} would go back now")]
    PayoutChanged {
        /// What would go back to the seller.
        payout: Points,
    },
    /// Every attempt lost a race.
    #[error("the ticket is busy")]
    Contended,
    /// The reservation refused, or the return has ended.
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    /// The request key is in use or belongs to a different request.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for ReturnError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("ticket_returns_live_key") => Self::OnReturn,
            _ if is_lock_timeout(&error) => Self::Contended,
            _ => Self::Database(error),
        }
    }
}

impl Contention for ReturnError {
    fn is_stale(&self) -> bool {
        match self {
            Self::Reservation(error) => error.is_stale(),
            Self::Database(error) | Self::Key(KeyError::Database(error)) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Contended
    }
}

impl HttpError for ReturnError {
    fn problem(&self) -> Problem {
        let problem = match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::NotValid(status) => {
                Problem::new(409, "return-not-valid").with(json!({ "ticket_status": status }))
            }
            Self::OnReturn => Problem::new(409, "return-open"),
            Self::NotPayer => Problem::new(403, "return-not-payer"),
            Self::Reduced => Problem::new(409, "return-reduced"),
            Self::Offered => Problem::new(409, "return-offered"),
            Self::SaleClosed => Problem::new(410, "return-sale-closed"),
            Self::PayoutChanged { payout } => Problem::new(409, "return-payout-changed")
                .with(json!({ "payout": payout }))
                .number("payout", payout),
            Self::Contended => Problem::new(409, "contended").retry_after(1),
            Self::Reservation(error) => error.problem(),
            Self::Key(error) => error.problem(),
            Self::Database(error) => error.problem(),
        };
        match problem.recovery_href {
            Some(_) => problem,
            None => problem.recovery("/tickets"),
        }
    }
}
