//! Catalog: programs, performances, venues, and when they are on sale.
//!
//! A **program** is what is sold; a **schedule** is one performance of it in a **venue** with
//! **seats** and **zones** (standing places), at ordinary prices and at prices of its **price types**.
//! The **price category** of a seat, or else its section, says which seats have one ordinary price. Its
//! **sale** opens and closes at fixed moments. An **edition** is a numbered version of a program, a
//! venue or a schedule.
//!
//! # Invariants
//!
//! * Only published programs are shown; a cancelled one stays visible, marked as such. A performance is
//!   shown once it has prices.
//! * Prices, seats and zones are inserted here; only the reservation feature changes their
//!   state afterwards. A hold keeps the price it was made at.
//! * A poster that is served was decoded and encoded here: only the picture of an uploaded file reaches
//!   a browser.
//! * A refund deadline, agreed at the reservation or given by a later move of the performance,
//!   is never taken back; no deadline is later than the start, but for one day after a move that people
//!   are told of.
//! * An edit applies to the edition it was made of, or fails as [`CatalogError::Stale`].
//! * Of what the office says to a line, one announcement stands at most, and one that explains its pause.
//!
//! # Concurrency
//!
//! Pages read through [`Programs`] and [`Listings`], caches of a second that query the database
//! once however many requests wait. Decisions (is the sale open?) are read again in the
//! transaction that needs them.
//!
//! Two edits of one row race for its lock; the loser finds another version and gets
//! [`CatalogError::Stale`].
//!
//! New prices are saved in one short transaction and written into the seats in steps of a
//! thousand, by the request that saved them and by the workers, in any order. Steps lock seats
//! by `schedule_seats.id`, as holds do. If a process dies, another one writes the rest.

mod announcements;
mod cache;
mod changes;
mod deletion;
mod editing;
mod error;
mod guards;
mod hanging;
mod model;
pub mod pages;
pub mod popularity;
pub mod posters;
pub mod price_types;
pub mod programs;
mod refund_target;
pub mod schedules;
mod store;
pub mod venues;

pub use announcements::{AnnouncementId, LineAnnouncement, NewAnnouncement, PastAnnouncement};
pub use changes::{
    PriceGroup, Prices, announce_news, cancel_schedule, change_program, change_venue, count_hiding,
    create_program, create_schedule, create_zone, find_schedule_edition, has_prices_to_write,
    inventory_of, keep_places, list_schedule_editions, list_with_prices_to_write,
    lock_schedule_edition, next_schedule_edition, price_groups_of, reopen_winding_down,
    update_prices, update_zone, write_prices,
};
pub use deletion::{delete_schedule, delete_venue};
pub use editing::{
    CancelTerms, CategoryInventory, Edited, ProgramChange, ProgramSummary, ScheduleEdition,
    ScheduleMove, SectionInventory, ToldMove, VenueDetails, VenueEdition, ZoneDetails,
    ZoneInventory,
};
pub use error::CatalogError;
pub use guards::Guards;
pub use programs::columns::ProgramDetails;
pub use programs::copying::copy_program;
pub use programs::refund_terms::RefundTerms;
pub use programs::store::{
    announcements::list_newest as list_announcements, find_by_id as find_program,
    insert as insert_program, lock as lock_program, summaries::list_program_summaries,
    winding_down::write_wound_down,
};
pub use refund_target::RefundTarget;
pub use schedules::store::{
    changed::{
        NewChanges, list_cancelled_acts, lock_of_program as lock_schedules_of_program,
        write_changed, write_elsewhere,
    },
    has_seats as has_schedule_seats, lock as lock_schedule,
    lock_of_venue as lock_schedules_of_venue,
    winding_down::write_wound_down as write_schedule_wound_down,
};

pub use schedules::told::ToldNote;

pub use cache::{Listings, Programs, find_prepared, find_schedule};
pub use model::ProgramId;
pub use model::{
    DatesLeft, DrawStep, Program, ProgramStatus, SaleState, Schedule, ScheduleId, ScheduleListing,
    ScheduleSeatId, SeatId, VenueId, ZoneId,
};
pub use price_types::{Company, PriceTypeError};
pub use price_types::{PriceType, PriceTypeId};
pub use venues::kind::SeatKind;
pub use venues::{
    editions::{create_venue, find_venue, keep_venue, list_seats, list_venues, update_venue},
    plan::{
        PlanMistake, PlannedSeat, SeatPlan,
        house::{HouseSection, ROW_PITCH, even_tiers, places as house_places},
    },
    replacement::{Replacement, SeatsWritten},
};
