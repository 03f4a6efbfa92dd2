//! Waiting lists: whoever finds no places of a performance is offered what becomes free.
//!
//! A **wish** is one account's place in the **list** of one performance: so many places, anywhere or
//! in one section, at most at a price, side by side or not. An **offer** is an ordinary hold with a
//! longer end that is made for a wish instead of a request. Paying accepts it, releasing declines it,
//! and at its end it expires; a wish gets one offer, whatever becomes of that.
//!
//! # Invariants
//!
//! * Wishes of a list have the numbers 1..N, in the order in which they were made.
//! * What becomes free is offered in the transaction that frees it, to the first wish that fits. A wish
//!   is passed over only by one that fits what it does not: fewer places, another section or price,
//!   seats apart, or an account with room under its cap.
//! * An offer is of what was wished for, to its account, and under the account's cap.
//! * Places that are kept are offered to nobody: a wish does not say that they are needed.
//! * What happens to a wish is an entry of the program's log of moves, written by a trigger.
//!
//! # Concurrency
//!
//! The list's row comes first: whoever frees something locks it before the reservation, shared while
//! nobody waits and alone while somebody does (`freeing`), so of two that free at once one offers after
//! the other, and a list that somebody joins sees what was freed before. Wishes that
//! arrive while others are written are written together (`joining`). From there on nothing is waited
//! for that another transaction may hold: the stays and the wishes of those who are to be offered
//! something are locked if they are free, and otherwise all is rolled back and tried again. An account
//! whose wish waits holds seats only with its wishes locked (`hold::together`), after its stay: so its
//! cap is decided by one transaction after the other.
//!
//! What nobody freed (seats put back on sale, kept places that go on general sale) is offered by a
//! worker, which also ends the lists of performances that begin.

mod decisions;
mod error;
mod freeing;
mod joining;
mod leaving;
mod matching;
pub(crate) mod model;
mod offers;
pub(crate) mod pages;
mod parts;
mod serving;
pub(crate) mod store;

pub(crate) use freeing::lock_lists_of;
pub(crate) use joining::Wishes;
pub(crate) use offers::offer_freed;
pub(crate) use serving::serve_list;
pub use serving::serve_lists;
pub(crate) use store::wait_for_wishes;
