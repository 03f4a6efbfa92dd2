//! Tickets: what opens the door.
//!
//! A **ticket** stands for one seat or one place of a paid reservation. Its **code** is
//! 128 random bits; the QR code on the page says nothing else.
//!
//! # Invariants
//!
//! * One ticket per seat or place, issued in the transaction that pays for it and
//!   voided in the one that refunds it.
//! * A ticket opens the door once: of many doors exactly one moves it from `VALID` to
//!   `USED`. Within a minute staff may take that back; a `VOID` one stays void.
//! * Somebody else's ticket does not exist, whether or not its code is right.
//!
//! # Concurrency
//!
//! Whoever voids or uses tickets locks them first, in id order, and looks at their
//! status in a statement after that. A refund that meets a used ticket is refused as a
//! whole, unless the management gives everything back: then it stays used.
//!
//! Taking a check-in back locks the program's row first, then the ticket. So it and the end
//! of a cancelled program's winding down follow each other: a ticket that is valid again
//! opens the winding down again, and one whose reservation was refunded meanwhile is void.

mod calendar;
mod check_in;
mod error;
mod issue;
mod model;
pub mod pages;
mod store;

pub use check_in::{
    CheckIn, DoorCount, DoorWindow, check_in, counts::DoorCounts, find_check_in, undo_check_in,
};
pub use error::TicketError;
pub use issue::{Used, issue, void};
pub use model::{TicketCode, TicketId, TicketStatus};
