//! Changes of what was sold, as mails tell them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{points::Points, text::i18n::Locale};

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
    /// Place of the seat in the hall, as a hash of the drawing of all seats that moved with it.
    Seat,
    /// Clock on which the start is shown, as the start in RFC 3339 and the IANA zone.
    Clock,
    /// Artist who was to take part and does not: nothing is there since. The same name is, if the artist does after all.
    Act,
}

impl SoldPart {
    /// Returns the locale key of its name; `None` where its value is nothing that people read.
    pub fn name_key(self) -> Option<&'static str> {
        match self {
            Self::Title => Some("mail-fact-program"),
            Self::Venue => Some("mail-fact-venue"),
            Self::Address => Some("mail-fact-address"),
            Self::RunningMins => Some("mail-fact-running"),
            Self::DoorsBeforeMins => Some("mail-fact-doors-mins"),
            Self::AgeMin => Some("mail-fact-age"),
            Self::Zone => Some("mail-fact-zone"),
            Self::Act => Some("mail-fact-act"),
            Self::Seat | Self::Clock => None,
        }
    }
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
    /// Returns the change of `part`, also from or to nothing that was said; `None` where it stays.
    pub fn of(part: SoldPart, was: &str, now: &str) -> Option<Self> {
        (was != now).then(|| Self { part, was: was.to_owned(), now: now.to_owned() })
    }

    /// Returns the change by which an artist of whom people were told otherwise takes part after all.
    pub fn act_back(name: &str) -> Self {
        Self { part: SoldPart::Act, was: name.to_owned(), now: name.to_owned() }
    }

    /// Returns the locale key of its name; `None` where its value is nothing that people read.
    pub fn name_key(&self) -> Option<&'static str> {
        match self.part {
            SoldPart::Act if self.was == self.now => Some("mail-fact-act-back"),
            part => part.name_key(),
        }
    }

    /// Returns how it is now and how it was, in words; of an artist who does not take part, the name.
    pub fn in_words(&self, locale: Locale) -> String {
        let Self { part, was, now } = self;
        let key = match (was.is_empty(), now.is_empty()) {
            (false, _) if *part == SoldPart::Act => return was.clone(),
            (true, _) => "mail-told-new",
            (false, true) => "mail-told-unsaid",
            (false, false) => "mail-told-value",
        };
        locale.text(key).word("now", now).word("was", was).to_string()
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
