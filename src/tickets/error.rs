//! Errors of issuing, voiding and checking in tickets.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    infra::postgres::{Contention, is_conflict},
    reservation::ReservationError,
    text::times::rfc3339,
    web::error::{HttpError, Problem},
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

/// Reason why a ticket was not changed. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub enum TicketError {
    /// A ticket to be voided was used.
    #[error("a ticket was used at {used_at}")]
    Used {
        /// Time of its check-in.
        used_at: DateTime<Utc>,
    },
    /// A ticket to be voided is with somebody else than the owner of its reservation.
    #[error("a ticket was handed over")]
    HandedOver,
    /// A ticket to be voided is offered to somebody.
    #[error("a ticket is being handed over")]
    Offered,
    /// The code was replaced by another one when the ticket was handed over.
    #[error("the code was replaced")]
    Replaced,
    /// No ticket has this code.
    #[error("no ticket has this code")]
    Unknown,
    /// The ticket was refunded, or its program was cancelled.
    #[error("the ticket is void")]
    Void,
    /// The ticket was put on sale again, and somebody else has bought its place.
    #[error("somebody else has bought the place")]
    Resold,
    /// The ticket is on return, and the transaction has not locked what that needs. Tried again.
    #[error("the ticket is on return")]
    OnReturn,
    /// A return of the ticket could not be ended.
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    /// The ticket was checked in before.
    #[error("the ticket let somebody in at {used_at}")]
    AlreadyIn {
        /// Performance of the ticket.
        show: Show,
        /// Time of that check-in.
        used_at: DateTime<Utc>,
    },
    /// The ticket is for another performance.
    #[error("the ticket is for {} at {}", .0.title, .0.starts_at)]
    Elsewhere(Show),
    /// The door of the ticket's performance has not opened yet.
    #[error("the door for {} opens at {opens_at}", .show.title)]
    TooEarly {
        /// Performance of the ticket.
        show: Show,
        /// Time the door opens.
        opens_at: DateTime<Utc>,
    },
    /// The door of the ticket's performance has closed.
    #[error("the door for {} closed at {closed_at}", .show.title)]
    TooLate {
        /// Performance of the ticket.
        show: Show,
        /// Time the door closed.
        closed_at: DateTime<Utc>,
    },
    /// The check-in is more than a minute old, or there is none.
    #[error("there is no check-in of the last minute")]
    UndoOver,
    /// A ticket of a paid reservation is missing or void: a bug.
    #[error("the tickets of a paid reservation are not all valid")]
    Inconsistent,
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Reason why no PDF file was made.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum PdfError {
    /// Too many others wait for theirs.
    #[error("too many files are made at once")]
    Busy,
    /// A page cannot be drawn: a bug.
    #[error("a page cannot be drawn")]
    Failed,
}

impl HttpError for PdfError {
    fn problem(&self) -> Problem {
        match self {
            Self::Busy => Problem::new(503, "unavailable").retry_after(2),
            Self::Failed => Problem::new(500, "internal"),
        }
    }
}

impl Contention for TicketError {
    fn is_stale(&self) -> bool {
        match self {
            Self::OnReturn => true,
            Self::Reservation(error) => error.is_stale(),
            Self::Database(error) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Reservation(ReservationError::contended())
    }
}

impl HttpError for TicketError {
    fn problem(&self) -> Problem {
        match self {
            Self::Used { used_at } => {
                Problem::new(409, "ticket-used").with(json!({ "used_at": rfc3339(*used_at) }))
            }
            Self::HandedOver => Problem::new(409, "ticket-handed-over"),
            Self::Offered => Problem::new(409, "ticket-offered"),
            Self::Replaced => Problem::new(409, "ticket-replaced"),
            Self::Unknown => Problem::new(404, "ticket-unknown"),
            Self::Void => Problem::new(409, "ticket-void"),
            Self::Resold => Problem::new(409, "ticket-resold"),
            Self::OnReturn => ReservationError::contended().problem(),
            Self::Reservation(error) => error.problem(),
            Self::AlreadyIn { show, used_at } => Problem::new(409, "ticket-already-in")
                .with(json!({ "used_at": rfc3339(*used_at) }))
                .moment("when", *used_at, &show.time_zone),
            Self::Elsewhere(show) => show.named_in(Problem::new(409, "ticket-elsewhere")),
            Self::TooEarly { show, opens_at } => show
                .named_in(Problem::new(409, "ticket-too-early"))
                .with(json!({ "opens_at": rfc3339(*opens_at) }))
                .moment("door", *opens_at, &show.time_zone),
            Self::TooLate { show, closed_at } => show
                .named_in(Problem::new(409, "ticket-too-late"))
                .with(json!({ "closed_at": rfc3339(*closed_at) }))
                .moment("door", *closed_at, &show.time_zone),
            Self::UndoOver => Problem::new(409, "undo-over"),
            Self::Inconsistent => Problem::new(500, "internal"),
            Self::Database(error) => error.problem(),
        }
    }
}

impl Show {
    /// Returns `problem` with the performance in its members and texts.
    fn named_in(&self, problem: Problem) -> Problem {
        problem
            .with(json!({ "program": self.title, "starts_at": rfc3339(self.starts_at) }))
            .word("program", &self.title)
            .moment("when", self.starts_at, &self.time_zone)
    }
}
