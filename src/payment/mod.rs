//! Paying a reservation with points, and giving a paid one back.
//!
//! A **payment** is points for one reservation. A **refund** gives them back by the
//! policy that was fixed when the reservation was made. Giving back a hold that is not
//! paid yet moves no points.
//!
//! # Invariants
//!
//! * A reservation is confirmed exactly when it has one completed payment, one history
//!   entry of its total in its account's wallet, and a valid or used ticket for each
//!   seat and place. One transaction writes all of it, and one takes all of it back.
//! * At most one live payment per reservation: `payments_live_key`.
//! * Nothing is paid after the hold's end. A person is refunded nothing of which a ticket was
//!   used; the management's full refund goes on, and the used ticket stays used.
//! * What a refund gives back is [`Points::share`](crate::points::Points::share) of the payment,
//!   here and wherever it is shown.
//! * An order with a request key is carried out once. A lost answer to COMMIT is
//!   resolved by looking the key up, never by paying again.
//!
//! # Concurrency
//!
//! The request key is looked up before anything else and claimed first in the
//! transaction. Then the rows: queue token, reservation (and, after its lock, the
//! clock), payment, seats, tickets, wallet. Of simultaneous payments the first to lock
//! the reservation wins; the others then read that it is paid. The entry line in Redis
//! hears of it after the commit.

mod error;
mod model;
pub mod pages;
mod service;
mod store;

pub use error::PaymentError;
pub use model::{Cancelled, Paid, PaymentId, PaymentStatus};
pub use service::{Share, cancel, pay, refund};
