//! Errors of paying and cancelling.

use super::exchange::error::ExchangeError;
use crate::{
    infra::{batcher::BatchError, idempotency::KeyError, postgres::is_lock_timeout},
    reservation::ReservationError,
    tickets::TicketError,
    wallet::WalletError,
    web::error::{HttpError, KitError, Problem, ProblemCode, codes, problems},
};

problems! {
    /// Reason why nothing was paid or refunded.
    pub enum PaymentError {
        RefundOver = 409 "refund-over",
        /// Friends have paid shares of the reservation, which is not paid alone then.
        SharesWithheld = 409 "shares-withheld",
        /// The payment changed between its lock and its write. Retried.
        StaleVersion => KitError::Contended,
        /// A paid reservation has no completed payment: a bug.
        Inconsistent => KitError::Internal,
        Contended => KitError::Contended,
    }
    wraps {
        Reservation(#[from] ReservationError), Wallet(#[from] WalletError),
        Ticket(#[from] TicketError).recovery("/tickets"), Exchange(#[from] ExchangeError), Key(#[from] KeyError),
        Batch(#[from] BatchError), Database(sqlx::Error),
    }
    constraints { "payments_live_key" => Self::Reservation(ReservationError::AlreadyPaid), }
    retried(StaleVersion) or Self::Contended
}

/// Whether another attempt that is answered with `problem` is not worth it.
pub(super) fn is_final(problem: &Problem) -> bool {
    const RACES: &[ProblemCode] = codes![KitError::{Contended, AlreadyProcessing}];
    problem.status.is_client_error() && RACES.iter().all(|race| race.code != problem.code)
}

impl PaymentError {
    /// Whether another attempt at the same payment is not worth it.
    pub fn is_final(&self) -> bool {
        is_final(&self.problem())
    }

    /// Whether the time of the hold has run out.
    pub(super) fn is_hold_over(&self) -> bool {
        matches!(self, Self::Reservation(ReservationError::HoldExpired))
    }

    /// Whether a row was held by another transaction for longer than one waits.
    pub(super) fn is_lock_timeout(&self) -> bool {
        match self {
            Self::Reservation(ReservationError::Database(error)) | Self::Database(error) => {
                is_lock_timeout(error)
            }
            _ => false,
        }
    }
}
