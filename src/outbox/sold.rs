//! Changes of what was sold, as mails tell them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::points::Points;

/// Part of what was sold that is not the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SoldPart {
    /// Title of the program.
    Title,
    /// Name of the venue.
    Venue,
    /// Address of the venue.
    Address,
    /// Length of the performance, in minutes.
    RunningMins,
    /// Time before the start at which the doors open, in minutes.
    DoorsBeforeMins,
    /// Age from which on people may come, in years; 0 where none was said.
    AgeMin,
    /// Name of the zone in which the places are.
    Zone,
    /// Place of the seat in the hall, as the edition of the venue whose plan shows it.
    Seat,
}

/// Change of a part of what was sold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoldChange {
    /// Part that changed.
    pub part: SoldPart,
    /// As it was.
    pub was: String,
    /// As it is since.
    pub now: String,
}

impl SoldChange {
    /// Returns the change of `part`; `None` where it stays, and where it was not said before or is not said
    /// since: people learn nothing else then than they were told.
    pub fn of(part: SoldPart, was: &str, now: &str) -> Option<Self> {
        let is_change = was != now && !was.is_empty() && !now.is_empty();
        is_change.then(|| Self { part, was: was.to_owned(), now: now.to_owned() })
    }
}

/// New ordinary price of the places that are sold under one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPrice {
    /// Name of the price category, section or zone.
    pub of: String,
    /// Highest price before; `None` where there was none.
    pub was: Option<Points>,
    /// Price since.
    pub now: Points,
}
