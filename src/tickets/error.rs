//! Why a ticket was not changed.

use chrono::{DateTime, Utc};

/// What a ticket is for, as a steward is told.
#[derive(Clone, Debug)]
pub struct Show {
    /// The program's title.
    pub title: String,
    /// When the performance starts.
    pub starts_at: DateTime<Utc>,
    /// On the clock of its venue.
    pub time_zone: String,
}

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum TicketError {
    /// A ticket opened the door before.
    #[error("a ticket was used at {used_at}")]
    Used {
        /// When it did.
        used_at: DateTime<Utc>,
    },
    /// No ticket has this code.
    #[error("no ticket has this code")]
    Unknown,
    /// The ticket was given back, or its program was cancelled.
    #[error("the ticket is void")]
    Void,
    /// The ticket let somebody in before.
    #[error("the ticket let somebody in at {used_at}")]
    AlreadyIn {
        /// When it did.
        used_at: DateTime<Utc>,
    },
    /// The ticket is for another performance.
    #[error("the ticket is for {} at {}", .0.title, .0.starts_at)]
    Elsewhere(Show),
    /// The door of the ticket's performance has not opened yet.
    #[error("the door for {} opens at {opens_at}", .show.title)]
    TooEarly {
        /// What the ticket is for.
        show: Show,
        /// When the door opens.
        opens_at: DateTime<Utc>,
    },
    /// The door of the ticket's performance has closed.
    #[error("the door for {} closed at {closed_at}", .show.title)]
    TooLate {
        /// What the ticket is for.
        show: Show,
        /// When the door closed.
        closed_at: DateTime<Utc>,
    },
    /// The check-in is too long ago to be taken back, or there is none.
    #[error("there is no check-in of the last minute")]
    UndoOver,
    /// A ticket of a paid reservation is missing or void: a bug.
    #[error("the tickets of a paid reservation are not all valid")]
    Inconsistent,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
