//! Waiting lists: places of a sold-out performance that become free are offered to waiting
//! accounts.
//!
//! A **wish** is one account's place in the **list** of one performance: a number of places,
//! anywhere or in one section, at most at a price, side by side or not. An **offer** is an ordinary
//! hold with a longer end that is made for a wish instead of a request. Paying accepts it,
//! releasing declines it, and at its end it expires; a wish gets one offer, whatever its outcome.
//!
//! # Invariants
//!
//! * Wishes of a list have the numbers 1..N, in the order in which they were made.
//! * A place that becomes free is offered in the transaction that frees it, to the first wish that
//!   it fits. An earlier wish is passed over only if it wants more places, another section, a lower
//!   price or seats side by side, or fewer places than an order may have, or if its account has no
//!   room under its limit, or is locked or deleted.
//! * An offer meets its wish, goes to the account of the wish, and stays within the account's
//!   limit.
//! * A wish for fewer places than an order of the program may have is offered places on return only.
//! * Kept places are not offered, because a wish does not state that they are needed.
//! * Each change of a wish is an entry of the program's log of moves, written by a trigger.
//!
//! # Concurrency
//!
//! The list's row comes first: a transaction that frees places locks it before the reservation,
//! shared if no wish waits and exclusively if one does (`freeing`). So of two such transactions one
//! offers after the other, and an account that joins the list sees the places that were freed
//! before. Wishes that arrive while others are written are written together (`joining`). Locks
//! after the list's row are not waited for: the stays and the wishes that get an offer are locked
//! if they are free, and otherwise the transaction is rolled back and tried again. An account whose
//! wish waits holds seats only with its wishes locked (`hold::together`), after its stay, so
//! transactions decide about its limit one after the other.
//!
//! Places that come on sale in other ways (seats put back on sale by the office, kept places that
//! go on general sale) are offered by a worker, which also ends the lists of performances that
//! begin.

mod assigning;
mod decisions;
pub mod error;
mod freeing;
mod joining;
mod leaving;
mod matching;
pub mod model;
mod offers;
pub mod pages;
mod parts;
mod serving;
pub mod store;

pub use assigning::assign;
pub(crate) use freeing::lock_lists_of;
pub use joining::Wishes;
pub(crate) use offers::offer_freed;
pub use serving::serve_list;
pub use serving::serve_lists;
pub(crate) use store::wait_for_wishes;
