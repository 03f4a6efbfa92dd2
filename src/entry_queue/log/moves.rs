//! What moved a line: the entries of the program's second log, which triggers write.

use chrono::{DateTime, Utc};

use super::entry::moment_text;
use crate::entry_queue::model::QueueNumber;

/// First line of an entry.
const FORMAT: &str = "stagedoor/move/v1";
/// Placeholder of an entry without a number or detail.
const NONE: &str = "-";

/// Kind of a move; its name is lower case in entries and in locale keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, strum::IntoStaticStr)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "kebab-case")]
pub enum MoveKind {
    /// The gate admitted a number.
    Admitted,
    /// Staff admitted a number past the gate.
    LetIn,
    /// A number was passed over, because its account was silent.
    Parked,
    /// A parked number is back in the line.
    Returned,
    /// A number left the line, by its account or in a purge.
    Left,
    /// Staff removes every number up to this one.
    Purge,
    /// Capacity, rate and pause of the gate from now on.
    Rules,
    /// The sale opens with a draw, which commits to what the detail says.
    DrawAnnounced,
    /// A draft's draw was taken back.
    DrawWithdrawn,
    /// The entries of the draw are closed: their number and their head.
    DrawClosed,
    /// The secret data of the draw is published.
    DrawRevealed,
    /// An access gate was made, with its terms.
    GateMade,
    /// An access gate admitted a number.
    GateAdmitted,
    /// The office said something to the line; the detail has the hashes of the words.
    Announced,
    /// Something that was said does not stand any more.
    AnnouncementEnded,
    /// The stays and holds that are live end later; the detail says by how much and why.
    TimeGiven,
    /// A wish joined the waiting list of a performance.
    WishMade,
    /// A wish was offered places.
    WishOffered,
    /// A wish left its list, by its account.
    WishLeft,
    /// A wish ended with its list.
    WishEnded,
}

/// Entry of the log of moves.
#[derive(Clone, Debug)]
pub struct Move {
    pub kind: MoveKind,
    pub number: Option<QueueNumber>,
    /// JSON: the reason of staff, the rules, or what a step of the draw published.
    pub detail: Option<String>,
    pub moved_at: DateTime<Utc>,
}

impl Move {
    /// Returns the entry as the log publishes it: five lines of text.
    pub(crate) fn text(&self) -> String {
        let kind: &str = self.kind.into();
        let number = self.number.map_or_else(|| NONE.to_owned(), |number| number.to_string());
        let (moment, detail) = (moment_text(self.moved_at), self.detail.as_deref().unwrap_or(NONE));
        format!("{FORMAT}\n{kind}\n{number}\n{moment}\n{detail}\n")
    }
}
