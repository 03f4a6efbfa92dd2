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
//! * What a moved performance promised about refunds is never taken back.
//!
//! # Concurrency
//!
//! Pages read through [`Programs`] and [`Listings`], caches of a second that ask the
//! database once however many wait. What decides (is the sale open?) is asked again in
//! the transaction that needs it.
//!
//! New prices are saved in one short transaction and written into the seats in steps of a
//! thousand, by the request that saved them and by the workers, whoever comes first. Steps lock
//! seats by `schedule_seats.id`, as holds do. A process that dies leaves the rest to the next.

mod cache;
mod changes;
mod editing;
mod error;
mod guards;
mod model;
pub mod pages;
mod popular;
pub(crate) mod programs;
pub(crate) mod schedules;
mod store;
pub(crate) mod venues;

pub use changes::Edited;
pub use changes::Prices;
pub use changes::cancel_program;
pub use changes::create_program;
pub use changes::create_schedule;
pub use changes::create_venue;
pub use changes::create_zone;
pub use changes::find_program_edition;
pub use changes::find_schedule_edition;
pub use changes::find_venue;
pub use changes::finish_winding_down;
pub use changes::has_prices_to_write;
pub use changes::list_program_lines;
pub use changes::list_schedule_editions;
pub use changes::list_seats;
pub use changes::list_venues;
pub use changes::list_with_prices_to_write;
pub use changes::lock_winding_down;
pub use changes::next_schedule_edition;
pub use changes::pause_line;
pub use changes::publish_program;
pub use changes::reopen_winding_down;
pub use changes::replace_seats;
pub use changes::stock_of;
pub use changes::update_guards;
pub use changes::update_line;
pub use changes::update_prices;
pub use changes::update_program;
pub use changes::update_venue;
pub use changes::update_zone;
pub use changes::write_prices;
pub use editing::{
    ProgramDetails, ProgramEdition, ProgramLine, ScheduleEdition, SectionStock, VenueDetails,
    VenueEdition, ZoneDetails, ZoneStock,
};
pub use error::CatalogError;
pub use guards::Guards;

pub use cache::Listings;
pub use cache::Programs;
pub use cache::find_schedule;
pub use model::{
    Listing, Program, ProgramId, ProgramStatus, SaleState, Schedule, ScheduleId, ScheduleListing,
    ScheduleSeatId, SeatId, VenueId, ZoneId,
};
pub use popular::count_booking;
pub use venues::plan::PlanMistake;
pub use venues::plan::PlannedSeat;
pub use venues::plan::SeatPlan;
