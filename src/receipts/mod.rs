//! Receipts of payments and refunds, and the sale entries that settlements add up.
//!
//! A **sale entry** is one movement of points between a payer and the house for places of an order: a payment (or that
//! of a share), the refund of what was left of one, or one ticket that left it, back to the house or to another account.
//! Its **lines** say of each section and price type how many places, what they cost, what a code took off and what of a
//! refund the house keeps. A **receipt** is a numbered document about an entry, with its buyer, its seller and the tax.
//! A receipt for another name or company **replaces** the one before, with a number of its own.
//!
//! Points in a wallet are not a sale: money that buys them has no receipt here, and the order that is paid with them has
//! one. Where points are sold for money, a receipt is in money, at the price of a point of its day; elsewhere it is in
//! points and states no tax. Free tickets have an entry, and no receipt.
//!
//! # Invariants
//!
//! * Each ledger entry of the kinds PAYMENT, REFUND and RESALE has one sale entry with the same points, once it is
//!   booked, and lines that add up to it: rule M3 of `verify`. A rehearsal has none.
//! * Receipts are numbered 1, 2, 3 and so on, without a gap, and never change.
//! * What a receipt says is frozen with it: today's seller, tax and price of a point say nothing about yesterday. What is
//!   given back has the tax rate of what was paid.
//! * The tax of a line is that of the points that it moves, rounded half up. When places come back, what is left of them
//!   is taxed anew and the difference is the tax of the refund: all lines of an order add up to the last unit.
//!
//! # Concurrency
//!
//! A worker books after the commit, in the order of time; a payment waits for none of it. A transaction that books or
//! replaces receipts has the row `receipt_progress`, so instances take turns, and it writes the entries, the receipts and
//! the next number together. A process that dies in between leaves nothing of it.

mod booking;
pub mod error;
mod lines;
pub mod model;
pub mod pages;
mod pdf;
mod replacement;
pub mod shown;
pub mod store;

pub use booking::book_due;
