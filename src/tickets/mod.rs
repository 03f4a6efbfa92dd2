//! Tickets of paid reservations: issuing, voiding, display and check-in.
//!
//! A **ticket** stands for one seat or one place of a paid reservation. Its **code** is 128 random
//! bits; the QR code on the page and in the PDF file contains nothing else. A **check-in** uses a ticket at the
//! **door** of its performance.
//!
//! # Invariants
//!
//! * One ticket exists per seat or place. It is issued in the transaction that pays for it, and
//!   voided in the one that refunds it or sells its place to another buyer ([`returns`]).
//! * A ticket is used once: of concurrent check-ins exactly one changes it from `VALID` to `USED`.
//!   Within a minute staff may undo that; a `VOID` ticket stays void.
//! * A request with the code of another account's ticket is answered as if no such ticket existed.
//! * A ticket's **holder** is the recipient of its last accepted hand-over ([`hand_over`]), else
//!   the account that paid for it: the payer of its share (`payment/shares`), or the owner of its
//!   reservation. Pages, files, mails and the door use the holder; payments and refunds use the
//!   payer.
//!
//! # Concurrency
//!
//! A transaction that voids or uses tickets locks them first, in id order, and reads their status
//! in a statement after that. A refund by the owner is refused as a whole if one of its tickets is
//! used, offered, or held by another account. Two refunds continue and leave used tickets used: an
//! administrator's full refund, and the refund of a cancelled program if a ticket is unused.
//!
//! Undoing a check-in locks the program's row first, then the ticket, so that it is serialized with
//! the end of a cancelled program's winding down: a ticket that becomes valid again reopens the
//! winding down, and a ticket whose reservation was refunded meanwhile becomes void.

mod calendar;
pub mod check_in;
mod error;
mod files;
mod gone_holders;
pub mod hand_over;
mod issue;
pub mod mailing;
mod model;
pub mod pages;
pub(crate) mod pdf;
pub mod returns;
mod store;

pub use check_in::counts::DoorCounts;
pub use error::TicketError;
pub use files::{
    TicketFile, calendar_of_holder, calendar_of_order, calendar_of_return, calendar_of_ticket,
    files_of, files_of_holder, list_valid,
};
pub use gone_holders::void_of_deleted;
pub use hand_over::expire_lapsed_of;
pub use hand_over::list_unclaimed;
pub use hand_over::model::HandOverStatus;
pub use hand_over::{claim_hand_overs, expire_hand_overs};
pub use issue::{Used, codes_of, issue, make, make_for, void, void_sold};
pub use model::{Issued, Ticket, TicketCode, TicketId, TicketStatus};
pub(crate) use store::NewTickets;
pub use store::list_of_reservation;
