//! Kinds of events, and events to be written.

use serde_json::Value;
use uuid::Uuid;

use crate::infra::{ids::ids, ids::new_id};

ids! {
    /// Id of an event, by which its receivers recognize it.
    pub EventId(Uuid),
}

impl EventId {
    /// Returns a new id.
    #[expect(clippy::new_without_default, reason = "each new id is another one")]
    pub fn new() -> Self {
        Self(new_id())
    }

    /// Returns `count` new ids.
    pub fn new_ids(count: usize) -> Vec<Self> {
        (0..count).map(|_| Self::new()).collect()
    }
}

/// Kind of an event: a kind of subject, and its change. The part before the dot names the subject;
/// a queue is one of its program.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    strum::AsRefStr,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
pub enum EventKind {
    /// Places are held, asked for or offered.
    #[strum(serialize = "reservation.held")]
    ReservationHeld,
    /// A hold was paid.
    #[strum(serialize = "reservation.paid")]
    ReservationPaid,
    /// A hold has ended by the clock.
    #[strum(serialize = "reservation.expired")]
    ReservationExpired,
    /// A hold was given up before it was paid.
    #[strum(serialize = "reservation.released")]
    ReservationReleased,
    /// A paid reservation was given back.
    #[strum(serialize = "reservation.refunded")]
    ReservationRefunded,
    /// A hold was paid with tickets of another reservation, which are void.
    #[strum(serialize = "reservation.exchanged")]
    ReservationExchanged,
    /// A program is shown and sold from its opening on.
    #[strum(serialize = "program.published")]
    ProgramPublished,
    /// A published program was edited.
    #[strum(serialize = "program.changed")]
    ProgramChanged,
    /// A program was cancelled.
    #[strum(serialize = "program.cancelled")]
    ProgramCancelled,
    /// A published program has another performance.
    #[strum(serialize = "performance.added")]
    PerformanceAdded,
    /// A performance of a published program is at another time.
    #[strum(serialize = "performance.moved")]
    PerformanceMoved,
    /// A performance of a published program keeps its time, and its title, length, venue or zone is called otherwise.
    #[strum(serialize = "performance.changed")]
    PerformanceChanged,
    /// Ordinary prices of a performance of a published program are others.
    #[strum(serialize = "performance.repriced")]
    PerformanceRepriced,
    /// A section or zone of a performance is hidden.
    #[strum(serialize = "performance.section-hidden")]
    SectionHidden,
    /// A section or zone of a performance is shown again.
    #[strum(serialize = "performance.section-shown")]
    SectionShown,
    /// A performance was cancelled, and its program was not.
    #[strum(serialize = "performance.cancelled")]
    PerformanceCancelled,
    /// The sale of a program has opened, and with it its queue.
    #[strum(serialize = "queue.opened")]
    QueueOpened,
    /// Admission is paused.
    #[strum(serialize = "queue.paused")]
    QueuePaused,
    /// Admission goes on.
    #[strum(serialize = "queue.resumed")]
    QueueResumed,
    /// The office says something to the line, or does not say it any more.
    #[strum(serialize = "queue.announced")]
    QueueAnnounced,
    /// The stays and holds of a program that are live end later: the office was away, or staff stopped its clock.
    #[strum(serialize = "queue.time-given")]
    QueueTimeGiven,
    /// The clock of a program was stopped by staff.
    #[strum(serialize = "queue.clock-stopped")]
    ClockStopped,
    /// The clock of a program runs again.
    #[strum(serialize = "queue.clock-restarted")]
    ClockRestarted,
    /// A letter to holders of tickets was released.
    #[strum(serialize = "letter.released")]
    LetterReleased,
    /// A ticket was used at the door.
    #[strum(serialize = "ticket.checked_in")]
    TicketCheckedIn,
    /// The use of a ticket was undone.
    #[strum(serialize = "ticket.check_in_undone")]
    TicketCheckInUndone,
    /// The place of a ticket on return was bought by another account.
    #[strum(serialize = "ticket.resold")]
    TicketResold,
    /// A ticket was refunded by itself, and its place is free again.
    #[strum(serialize = "ticket.refunded")]
    TicketRefunded,
    /// A ticket has another holder.
    #[strum(serialize = "ticket.handed-over")]
    TicketHandedOver,
}

impl EventKind {
    /// Returns the name, as it is stored and sent.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Event to be written.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// Kind of the change.
    pub kind: EventKind,
    /// Row that it happened to.
    pub subject_id: Uuid,
    /// Fields of the event: an object.
    pub payload: Value,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use strum::VariantArray;

    use super::*;

    #[test]
    fn a_kind_survives_the_database() {
        let mut names = HashSet::new();
        for kind in EventKind::VARIANTS {
            assert_eq!(kind.name().parse(), Ok(*kind));
            assert_eq!(kind.name().matches('.').count(), 1, "{}", kind.name());
            assert!(names.insert(kind.name()));
        }
        assert!("reservation.eaten".parse::<EventKind>().is_err());
    }
}
