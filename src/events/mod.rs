//! Events: changes that other systems learn of, each written together with the change itself.
//!
//! An **event** describes one change of one **subject**: a reservation, a program, a performance or a
//! ticket. Its **kind** says which change; docs/EVENTS.md lists the kinds and their fields. Its
//! **position** is its place in the order of its subject's events. An event has a **delivery** for each
//! endpoint that asks for its kind; `webhooks` makes them.
//!
//! # Invariants
//!
//! * An event is written by the transaction of the change, and its deliveries by the same statement:
//!   none of them exists without the others.
//! * Where no endpoint asks for a kind, no event of it is written.
//! * An event says nothing about a person, and never changes (`domain_events_never_change`).
//! * A rehearsal has no events.
//! * Frequent statements (holds, the states of reservations, tickets at the door) write their events
//!   themselves: an event costs no conversation of its own. All others call [`write()`].
//!
//! # Concurrency
//!
//! The position is drawn while the transaction has the row of the subject, so a transaction that has
//! the row later draws a larger one. Events of two subjects have no order.

mod model;
mod store;

pub use self::model::{EventId, EventKind, NewEvent};
use crate::infra::{
    postgres::{Connection, Pool},
    sweep::Sweep,
    throwaway,
};

/// Days after which an event and its deliveries are deleted. None is still to be delivered then: a
/// delivery is given up after three (`webhook_deliveries.expires_at`).
const KEPT_DAYS: i32 = 30;
/// Bounds of a deletion of old events.
const OLD: Sweep = Sweep { rows_max: 1_000, parts_max: 20 };

/// Writes an event in the transaction of its change, which has locked the row of its subject. Does
/// nothing if no endpoint asks for its kind, or if it is of a rehearsal.
pub async fn write(tx: &mut Connection, event: &NewEvent) -> Result<(), sqlx::Error> {
    match throwaway::is_marked(event.subject_id) {
        true => Ok(()),
        false => store::insert(tx, event).await,
    }
}

/// Deletes events of [`KEPT_DAYS`] days ago with their deliveries, a bounded number of them; called
/// periodically.
pub async fn delete_old(db: &Pool) -> Result<(), sqlx::Error> {
    OLD.parts(|rows_max| store::delete_old(db, KEPT_DAYS, rows_max)).await
}
