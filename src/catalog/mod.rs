//! What exists and when it is on sale.
//!
//! A **program** is what people come for; a **schedule** is one performance of it in a
//! **venue** with **seats** and **zones** (standing places). Its **sale** opens and
//! closes at fixed moments.
//!
//! # Invariants
//!
//! * Only published programs are shown; a cancelled one stays visible to say so.
//! * Prices, seats and zones are inserted here; their state is the reservation
//!   feature's alone from then on. A hold keeps the price it was made at.
//!
//! # Concurrency
//!
//! Pages read through [`Programs`] and [`Listings`], caches of a second that ask the
//! database once however many wait. What decides (is the sale open?) is asked again in
//! the transaction that needs it.

mod model;
pub mod pages;
mod service;
mod store;

pub use model::{
    Listing, Program, ProgramId, ProgramStatus, SaleState, Schedule, ScheduleId, ScheduleListing,
    ScheduleSeatId, SeatId, VenueId, ZoneId,
};
pub use service::{Listings, Programs, find_schedule};
