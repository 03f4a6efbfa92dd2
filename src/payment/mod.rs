//! Payments of reservations with points, and refunds.
//!
//! A **payment** is points for one reservation. A **refund** returns them by the policy that was
//! fixed when the reservation was made. Releasing an unpaid hold moves no points.
//!
//! # Invariants
//!
//! * A reservation is confirmed exactly when it has one completed payment, or one for each of its
//!   [`shares`], one history entry for each in its payer's wallet, which add up to its total, and a
//!   valid or used ticket for each seat and place. One transaction writes all of it, and one
//!   reverts all of it.
//! * The payment of a place on return also pays its seller, less the program's share, in the same
//!   transaction (`resale`): a seller is paid once for a return, and only when it is sold.
//! * What tickets that are given for other places are worth is credited by the payment that takes them ([`exchange`]).
//! * A reservation is paid once, as a whole or in shares: `payments_live_key`.
//! * No payment succeeds after the hold's end. An owner's refund is refused if a ticket was used;
//!   an administrator's full refund, and that of a cancelled program with an unused ticket,
//!   continue, and used tickets stay used.
//! * A refund is [`Points::share`](crate::points::Points::share) of the payment, here and wherever
//!   it is shown.
//! * The mail about a payment or a refund is written in the same transaction (`outbox`).
//! * A request with a request key is carried out once. A lost response to COMMIT is resolved by
//!   reading the key's outcome, never by paying again.
//!
//! # Concurrency
//!
//! Payments that arrive together are paid in one transaction (`together`), whose locks are one call of the
//! database, and its writes another. It skips locked rows and locks a request key last. A payment that would have to wait or to be refused goes alone
//! ([`pay()`]), and so does every hold of places on return, because the sellers' reservations,
//! tickets and wallets are locked with the buyer's, in the same order. Such a transaction locks
//! `queue_tokens < reservations < idempotency_keys < shares < payments < schedule_seats, zones < ticket_returns < tickets < wallets`,
//! and reads the clock once it has the reservations. One that tickets pay for ([`exchange`]) goes alone, too, and locks the
//! waiting list before all of these, and the seats, zones and tickets with the reservations: it makes its payment, and no share is ended by it. Cancellations and payments of shares claim their
//! request key first. Concurrent payments race for the reservation's row; the losers then read that it
//! is paid. The queue's projection in Redis is updated after the commit.

mod batch;
mod cancel;
pub mod checkout;
mod error;
pub mod exchange;
mod model;
pub mod pages;
mod pay;
mod refund;
mod resale;
pub mod shares;
pub mod staff_exchange;
mod store;
mod telling;
pub mod ticket_refund;
mod to_cards;
mod together;

pub use batch::Payments;
pub use checkout::Checkouts;
pub use error::PaymentError;
pub use model::Cancelled;
pub use model::Paid;
pub use model::PaymentId;
pub use pay::pay;
pub use refund::{Share, refund};
