//! Errors of issuing, voiding and checking in tickets.

use chrono::{DateTime, Utc};

use crate::{
    infra::postgres::Contention,
    reservation::ReservationError,
    text::times::rfc3339,
    web::error::{KitError, Problem, problems},
};

/// Performance of a ticket, as reported at the door.
#[derive(Clone, Debug)]
pub struct Show {
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Time zone of the venue.
    pub time_zone: String,
}

problems! {
    /// Reason why a ticket was not changed. `show` is the performance of the ticket.
    pub enum TicketError {
        /// A ticket to be voided was checked in at `used_at`.
        Used { used_at: DateTime<Utc> } = 409 "ticket-used" { used_at: rfc3339(*used_at) },
        /// A ticket to be voided is with another account than the owner of its reservation.
        HandedOver = 409 "ticket-handed-over",
        /// A ticket to be voided is offered to another account.
        Offered = 409 "ticket-offered",
        /// No ticket that was to be mailed is valid any more.
        NoneValid = 409 "no-valid-tickets".recovery("/tickets".to_owned()),
        /// The tickets were mailed in these ten minutes before.
        MailedLately = 409 "tickets-mailed-lately".recovery("/tickets".to_owned()),
        /// The code was replaced by another one when the ticket was handed over.
        Replaced = 409 "ticket-replaced",
        Unknown = 404 "ticket-unknown",
        /// The ticket was refunded, or its program was cancelled.
        Void = 409 "ticket-void",
        /// The ticket was put on sale again, and its place was sold on.
        Resold = 409 "ticket-resold",
        /// The ticket is on return, and the transaction has not locked what that needs. Tried again.
        OnReturn => ReservationError::contended(),
        /// The ticket was checked in before, at `used_at`.
        AlreadyIn { show: Show, used_at: DateTime<Utc> } = 409 "ticket-already-in" {
            used_at: rfc3339(*used_at)
        }.moment("when", *used_at, &show.time_zone),
        /// The ticket is for another performance.
        Elsewhere(show: Show) = 409 "ticket-elsewhere".also(|problem| show.named_in(problem)),
        /// The door of the ticket's performance has not opened yet.
        TooEarly { show: Show, opens_at: DateTime<Utc> } = 409 "ticket-too-early" {
            opens_at: rfc3339(*opens_at)
        }.also(|problem| show.named_in(problem)).moment("door", *opens_at, &show.time_zone),
        /// The door of the ticket's performance has closed.
        TooLate { show: Show, closed_at: DateTime<Utc> } = 409 "ticket-too-late" {
            closed_at: rfc3339(*closed_at)
        }.also(|problem| show.named_in(problem)).moment("door", *closed_at, &show.time_zone),
        /// The check-in is more than a minute old, or there is none.
        UndoOver = 409 "undo-over",
        /// A ticket of a paid reservation is missing or void: a bug.
        Inconsistent => KitError::Internal,
    }
    wraps { Reservation(#[from] ReservationError), Database(#[from] sqlx::Error) }
    retried(OnReturn) or Self::Reservation(ReservationError::contended())
}

impl Show {
    /// Returns `problem` with the performance in its members and texts.
    fn named_in(&self, problem: Problem) -> Problem {
        problem
            .member("program", &self.title)
            .member("starts_at", rfc3339(self.starts_at))
            .word("program", &self.title)
            .moment("when", self.starts_at, &self.time_zone)
    }
}

problems! {
    /// Reason why no PDF file was made.
    #[derive(Clone, Copy)]
    pub enum PdfError {
        Busy => KitError::Unavailable,
        /// A page cannot be drawn: a bug.
        Failed => KitError::Internal,
    }
}
