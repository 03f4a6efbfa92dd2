//! Reservations of seats and zone places, and the only code that writes the state of seats and
//! zones.
//!
//! A **hold** is an unpaid reservation. Its end, `expires_at`, is fixed when the hold is made and
//! moves only when the hold is renewed, once at most, and by the time that people get back ([`given_time`]). *Expire* is the clock, *release* is a person
//! before payment, *cancel* and *refund* are a person after payment. An **item** is one seat, or
//! places in one **zone**.
//!
//! # Invariants
//!
//! * A seat is in at most one live item: `reservation_items_live_seat_key`.
//! * An item is live as long as its reservation is held or confirmed, and a seat's status agrees
//!   with it. An item bought from a return is live only from its payment on; until then the
//!   seller's item is ([`returns`]).
//! * `remaining` of a zone is its capacity minus the quantities of its live items, plus the places
//!   of these that are on return and not held.
//! * No payment happens at or after `expires_at`, and an ended hold is never revived.
//! * An account is never charged a total other than the one its request showed: a request carries
//!   the shown price, which is compared with the locked rows and never charged. The discount of a
//!   code is a column of its own: the total is the sum of the items' prices less the discount.
//! * Reading changes nothing: a hold past its end is shown as expired before its row is updated.
//!
//! # Concurrency
//!
//! Locks in Redis come first, then the connection, then rows: queue token, reservation, seats and
//! zones, codes, ids ascending. Decisions that depend on time are made by a statement after the locks.
//! Locks in Redis are released after the commit, except a zone's fair lock, which is released as
//! soon as the zone's row is locked: the row lock keeps the order from there on.
//!
//! Requests for one seat race for its **lease**; the loser is refused at once, with the nearest
//! free seats, of which the first may be leased to its account (`leased_seats`). Requests for
//! places of one zone wait in its fair lock and are refused with a retry time when the wait is too
//! long. Without Redis the rows alone decide: a seat's version and status, a zone's version and
//! `remaining`, and the unique index behind them.
//!
//! Concurrent requests reach the database with **permits**, as many as there are connections.
//! Requests wait for a permit and not for a connection, so other pages are still answered. No
//! permit is kept while a lock in Redis is waited for.
//!
//! Each open map is followed by one task per instance, shared by all its viewers: a change costs
//! one query however many viewers there are. The task keeps a snapshot of the performance in
//! memory, from which large maps are drawn; a snapshot may be a moment old and decides nothing.
//!
//! Payment and expiry race for the reservation's row; the second sees what the first wrote. Lapsed
//! holds that block a new hold are expired in a transaction of their own before the new hold's.

mod choice;
pub mod codes;
mod error;
pub mod given_time;
pub mod hold;
mod inventory;
mod leased_seats;
pub mod lifecycle;
pub mod model;
mod number;
pub mod order_rules;
pub mod pages;
mod refund_steps;
pub mod returns;
mod row_counts;
pub mod seat_map;
pub mod waiting_list;

pub use error::ReservationError;
pub use given_time::{
    Given, GivingCause, beat, give_time, is_awake, keep_stopped, restart_clock, stop_clock,
};
pub use hold::hold;
pub use hold::limiter::ReservationState;
pub use hold::store::find_places_over_max;
pub use hold::waiting_here::WaitingHere;
pub use inventory::error::InventoryError;
pub use inventory::model::SeatPick;
pub use inventory::{block_seats, hide_section, resize_zone};
pub use lifecycle::expiry::expire_lapsed;
pub use lifecycle::expiry::expire_lapsed_of;
pub use lifecycle::pages::refund_table::{RefundLine, RefundMoment};
pub use lifecycle::refunding::{AgreedRefund, agreed_refund, lock_confirmed, refund_items};
pub use lifecycle::{confirm, lock_held};
pub use lifecycle::{
    find_owned, list_with_live_holds, mark_shared, payable, release,
    store::{
        holds::lock_all,
        status::{Confirmation, WrittenConfirmation},
    },
};
pub use model::ReservationId;
pub use model::{
    ExchangeId, Held, Item, Locked, LockedReservations, RefundShare, RefundSteps, Reservation,
    ReservationItemId, ReservationStatus, ReturnId,
};
pub use number::ReservationNumber;
pub use pages::reservation_page;
pub use refund_steps::RefundCap;
pub use returns::end_overdue;
pub use seat_map::feed::announce;
pub use waiting_list::assign;
pub use waiting_list::serve_list;
pub use waiting_list::serve_lists;
