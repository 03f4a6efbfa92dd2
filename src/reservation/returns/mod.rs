//! Returns: the payer of a ticket puts its place back on sale, at the price that was paid.
//!
//! A **return** is of one ticket, by its **seller**. It is **open** until a **buyer** has paid for
//! the place, the seller takes it back or is let in, the ticket is refunded, or the door opens. The
//! **payout** is the price less the program's share, both as they were when the return was made.
//! The pages of a seller are in `tickets/returns`, the transaction of a buyer's payment in
//! `payment`.
//!
//! # Invariants
//!
//! * The seller's item is live and the ticket admits until the transaction in which a buyer pays
//!   (`sale`). A seat is never in two live items: the seller's ends in it before the buyer's begins.
//! * A seat on return is for sale like a free one, at the price of the return
//!   (`schedule_seats_return_is_for_sale`). A place of a zone on return is counted among the
//!   remaining ones, and is sold after the others.
//! * A buyer's hold has an item that is not live but awaits the return. A return has one such item,
//!   or one that was bought: `reservation_items_return_key`.
//! * A ticket is on return once at a time and sold once (`ticket_returns_live_key`), and a return
//!   ends once (`ticket_returns_end_once`).
//! * A place that is given back to the house, for what the terms of its order say or in exchange for another place, is
//!   a return that is sold at once and has no buyer (`to_house`): the place is free from then on, at its own price.
//! * The price of a return is the price that was paid for its place, whatever the place would cost
//!   now.
//! * A place that comes on sale is offered to the waiting list first, in the same transaction.
//! * A place that the seller's order needs is not sold (`order_rules`). Places on return may be
//!   bought in any number, below the program's minimum too, because their own orders met the
//!   minimum.
//! * A refund of the seller leaves the place to the hold that has it, at the hold's price and until
//!   its end. A seller who wants the ticket back while it is held gets it as soon as that hold ends
//!   unpaid, in the same transaction (`wanted_back_at`).
//!
//! # Concurrency
//!
//! The row of the seat or zone guards its returns: making, holding, selling and ending one lock it,
//! after the reservations, the seller's and the buyer's by their ids, and before the ticket. A hold
//! locks no reservation. So a transaction that ends a return looks for its buyer again once the
//! seat is locked, and starts over if a buyer has come meanwhile (`ending`). A check-in first locks
//! only the ticket; if the ticket is on return, it rolls back and takes all locks in their order. A
//! buyer whose hold ends because the seller was let in gets a mail, and the other places of the
//! hold become free in the same transaction.

mod closing;
mod ending;
pub mod error;
mod making;
pub mod model;
pub mod places;
mod sale;
pub mod store;

pub(crate) use closing::end_wanted_back;
pub use ending::end_overdue;
pub use ending::{
    LockedReturns, end, end_needed, end_overdue_of, give, lock_for_ending, lock_of_refund,
    take_back, void,
};
pub use making::{
    LockedPlaces, find_need, lock_lists, lock_places, put_on_sale, require_dispensable,
    require_dispensable_together, take_for_house,
};
pub use sale::{lock_sellers, sell};
pub use store::list_sellers;
