//! Opening draw of a program: the order of the accounts that come before the sale opens is drawn in
//! public.
//!
//! A **draw** is announced with a **commitment** to a secret **seed** and, where relays are configured,
//! with a future round of a public **beacon**. Until the sale opens, accounts have an **entry** in
//! place of a number. The **close** fixes the entries, whose Merkle root is the **head**. The
//! **reveal** publishes seed and beacon, and from then on the **order** follows: by HMAC-SHA256 of each
//! entry's leaf, keyed with seed, randomness and head. Its first is queue number 1.
//!
//! # Invariants
//!
//! * What was announced never changes, and no step is taken back: triggers and constraints refuse it.
//!   The opening of a sale with a draw cannot be moved (`queue_draws_opens_with_sale`).
//! * The seed is neither stored nor published before the reveal. It is derived from the secret of the
//!   logs and the draw's nonce.
//! * An account that comes before the close has an entry, one that comes after it a number behind all
//!   entries: the close sets the next number in its own transaction.
//! * An entry becomes the token with the same id and commitment, so the public log of joins shows the
//!   order that was drawn.
//! * The owner of an entry gets a signed receipt of it, which proves an omission if the closed list lacks
//!   the entry.
//! * Announcement, close and reveal are entries of the log of moves, written by a trigger, so they are
//!   signed, and what a witness confirmed of them cannot be replaced.
//! * No account is admitted, and no queue number is shown as a position, before every entry has its
//!   number.
//!
//! # Concurrency
//!
//! Entries are written by the batches of joins, under the lock of the program's `queue_numbers` row; the
//! close takes the same lock, and then the draw's row, for which a withdrawal waits. Whichever of a
//! batch and the worker first finds that the sale has opened closes the draw.
//!
//! Any instance may reveal and number. Only the instance that holds the draw's row does; the others skip
//! it. Every chunk of numbers is one transaction, which continues what is written, so a crash anywhere
//! leaves a beginning that any instance goes on with.

mod announcement;
pub(crate) mod arithmetic;
mod beacon;
pub mod check;
pub mod close;
mod document;
pub mod entries;
mod entry_check;
pub mod lists;
mod model;
mod numbering;
pub mod pages;
mod receipt;
mod relays;
pub mod store;
mod verification;
mod worker;

pub use announcement::{announce_draw, omit_beacon, withdraw_draw};
pub use check::{BeaconPart, CheckedDraw, DrawFault, check_draw};
pub use document::DrawDocument;
pub use entries::withdraw_entries_of;
pub use entry_check::{CheckedEntry, EntryFault, check_entry};
pub use model::Draw;
pub use verification::{WrongDraw, find_draw_fault};
pub use worker::Draws;
