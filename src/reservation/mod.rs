//! Seats and places: held for a short time, then paid for or given back. The only
//! writer of the state of seats and zones.
//!
//! A **hold** is a reservation that is not paid yet: it ends at `expires_at`, fixed when
//! it is made. *Expiring* is the clock's doing, *releasing* a person's before payment,
//! *cancelling and refunding* a person's after it. An **item** is one seat, or places in
//! one **zone**.
//!
//! # Invariants
//!
//! * A seat is in at most one live item: `reservation_items_live_seat_key`.
//! * An item is live as long as its reservation is held or confirmed, and a seat's
//!   status agrees with it.
//! * `remaining` of a zone is its capacity less the quantities of its live items.
//! * Nothing is paid at or after `expires_at`, and nothing revives an ended hold.
//! * Nobody is charged another total than the one their order showed: an order carries what it
//!   showed, which is compared with the locked rows and never charged.
//! * Reading changes nothing: a hold past its end reads as expired before anybody wrote so.
//!
//! # Concurrency
//!
//! Locks in Redis come first, then the connection, then rows: queue token, reservation,
//! seats and zones, ids ascending. What the clock decides is asked in a statement after
//! the locks, and everything is given back after the commit; a zone's fair lock as soon
//! as the zone's row is locked, which keeps the order from there on.
//!
//! People who want one seat meet at its **lease** and are refused at once, with the
//! nearest seats that are free. People who want places of one zone stand in the line of
//! its fair lock and are told to come back when it takes too long. With Redis away the
//! rows decide alone: a seat's version and status, `remaining` in the zone's update, and
//! the unique index behind them.
//!
//! A crowd of orders goes to the database in **permits**, as many at once as there are
//! connections: it waits at the desk and not for the connections, so other pages are
//! answered meanwhile. No acquire_permit is kept while a lock in Redis is waited for.
//!
//! Open maps are followed by one task an instance, for all who watch: a change costs one
//! question, however many they are. It keeps the house in memory as it stands, from
//! which a large one is drawn; what is shown there may be a moment old and decides nothing.
//!
//! Whoever pays and the clock that expires meet at the reservation's row; whoever has it
//! second finds what the first one made of it. Holds that are over and in somebody's way
//! are ended in a transaction of their own before that hold's.

mod error;
mod hold;
mod inventory;
mod lifecycle;
mod model;
pub mod pages;
pub(crate) mod seat_map;

pub use error::ReservationError;
pub use hold::{
    alternatives::Alternative,
    hold,
    limiter::ReservationState,
    order::{HoldRequest, ShownPrice},
};
pub use inventory::{SeatPick, StockError, block_seats, resize_zone};
pub use lifecycle::{
    confirm, expiry::expire_lapsed, find_owned, live_holds_left, lock_confirmed, lock_held,
    refund_items, release, renew,
};
pub use model::{
    Choice, Confirmed, Held, Hold, Item, Locked, Reservation, ReservationId, ReservationItemId,
    ReservationStatus, SeatStatus, Wish,
};
pub use pages::reservation_page;
pub use seat_map::{feed::announce, listing::ZoneState, seat::MapSeat};
