//! Tickets of paid reservations: issuing, voiding, display and check-in.
//!
//! A **ticket** stands for one seat or one place of a paid reservation. Its **code** is 128 random
//! bits; the QR code on the page and in the PDF file contains nothing else. A **check-in** uses a ticket at the
//! **door** of its performance.
//!
//! # Invariants
//!
//! * One ticket exists per seat or place, issued in the transaction that pays for it and voided in
//!   the one that refunds it, or in which somebody else buys its place ([`returns`]).
//! * A ticket is used once: of concurrent check-ins exactly one changes it from `VALID` to `USED`.
//!   Within a minute staff may undo that; a `VOID` ticket stays void.
//! * A ticket of another account reads as missing, whether or not its code is right.
//! * A ticket's **holder** is whoever it was handed over to last ([`hand_over`]), else whoever paid for it:
//!   the payer of its share (`payment/shares`), or the owner of its reservation. Pages, files, mails and the
//!   door go by the holder, payments and refunds by who paid.
//!
//! # Concurrency
//!
//! A transaction that voids or uses tickets locks them first, in id order, and reads their status
//! in a statement after that. A refund that finds a used ticket, or one that is offered or with somebody
//! else, is refused as a whole; an administrator's full refund, and that of a cancelled program with an unused ticket, continue:
//! then used tickets stay used.
//!
//! Undoing a check-in locks the program's row first, then the ticket, so that it is serialized with
//! the end of a cancelled program's winding down: a ticket that becomes valid again reopens the
//! winding down, and one whose reservation was refunded meanwhile becomes void.

mod calendar;
pub(crate) mod check_in;
mod error;
mod files;
mod gone_holders;
pub(crate) mod hand_over;
mod issue;
mod model;
pub(crate) mod pages;
mod pdf;
pub(crate) mod returns;
mod store;

pub(crate) use check_in::counts::DoorCounts;
pub(crate) use error::TicketError;
pub(crate) use files::{TicketFile, files_of};
pub(crate) use gone_holders::void_of_deleted;
pub(crate) use hand_over::expire_lapsed_of;
pub(crate) use hand_over::model::HandOverStatus;
pub(crate) use hand_over::{claim_hand_overs, expire_hand_overs};
pub(crate) use issue::{Used, codes_of, issue, make, make_for, void, void_sold};
pub(crate) use model::{Issued, TicketCode, TicketId, TicketStatus};
