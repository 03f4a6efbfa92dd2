//! What the office says to the accounts that wait for a program or are inside.
//!
//! A program has one **announcement** at most that stands, and one more that explains the pause of its line and ends
//! with it. Another one of its kind replaces it. Words that were said never change.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    infra::ids::ids,
    text::{i18n::Locale, translated::Translated},
};

ids! {
    /// Id of an announcement.
    pub AnnouncementId(Uuid),
}

/// Announcement to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAnnouncement {
    /// Words of each language.
    pub words: Translated<String>,
    /// Moment until which the office expects it to last; `None`: not said.
    pub expected_until: Option<DateTime<Utc>>,
}

/// Announcement that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineAnnouncement {
    /// Its id.
    pub id: AnnouncementId,
    /// Words by the tags of their languages, as plain text.
    pub words: Translated<String>,
    /// Whether it explains the pause of the line, and ends with it.
    pub is_of_pause: bool,
    /// Moment until which the office expects it to last; `None`: not said.
    pub expected_until: Option<DateTime<Utc>>,
    /// When it was made.
    pub made_at: DateTime<Utc>,
}

impl LineAnnouncement {
    /// Returns the words in `locale`, or else in the first language that they are in.
    pub fn words_in(&self, locale: Locale) -> &str {
        self.words.in_language(locale).map_or("", String::as_str)
    }

    /// Whether it lasts longer at `now` than the office expected.
    pub fn is_late(&self, now: DateTime<Utc>) -> bool {
        self.expected_until.is_some_and(|until| until <= now)
    }
}

/// Time that the stays and holds of a program got back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GivenNote {
    /// How long, in seconds.
    pub secs: i64,
    /// Why, in the words of staff; `None` after an outage.
    pub reason: Option<String>,
    /// When it was given.
    pub given_at: DateTime<Utc>,
    /// Whether staff have stopped the clock, so that more is given until they let it run.
    #[serde(default)]
    pub is_stopped: bool,
}

impl GivenNote {
    /// Time for which pages speak of it.
    const TOLD_FOR: TimeDelta = TimeDelta::minutes(15);

    /// Whether pages speak of it at `now`.
    pub fn is_told(&self, now: DateTime<Utc>) -> bool {
        self.is_stopped || now < self.given_at + Self::TOLD_FOR
    }

    /// Returns the whole minutes, at least one.
    pub fn minutes(&self) -> i64 {
        ((self.secs + 30) / 60).max(1)
    }
}

/// Announcement with its end, as the public log of the line shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PastAnnouncement {
    /// What was said.
    #[serde(flatten)]
    pub said: LineAnnouncement,
    /// When it ended; `None` while it stands.
    pub ended_at: Option<DateTime<Utc>>,
}
