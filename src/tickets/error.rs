//! Errors of issuing, voiding and checking in tickets.

use chrono::{DateTime, Utc};

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

/// Reason why a ticket was not changed. The texts are for logs; `pages.rs` maps each variant to its
/// status and code.
#[derive(Debug, thiserror::Error)]
pub enum TicketError {
    /// A ticket to be voided was used.
    #[error("a ticket was used at {used_at}")]
    Used {
        /// Time of its check-in.
        used_at: DateTime<Utc>,
    },
    /// No ticket has this code.
    #[error("no ticket has this code")]
    Unknown,
    /// The ticket was refunded, or its program was cancelled.
    #[error("the ticket is void")]
    Void,
    /// The ticket was checked in before.
    #[error("the ticket let somebody in at {used_at}")]
    AlreadyIn {
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
