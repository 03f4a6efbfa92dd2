//! Notes of what a performance was sold as, where mails said that it is called otherwise now.

use chrono::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    outbox::SoldPart,
    text::{
        i18n::{Locale, Phrase},
        times,
        translated::Translated,
    },
};

/// Part of what was sold as it was agreed, where it is called otherwise now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToldNote {
    /// Part that changed.
    pub part: SoldPart,
    /// As it was agreed.
    pub was: String,
    /// Words of the office about its last change, in the first language that they are in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The same words in each language, by tag; `und`: not said in which.
    #[serde(default, skip_serializing_if = "Translated::is_empty")]
    pub texts: Translated<String>,
}

impl ToldNote {
    /// Returns the sentence that says what was agreed.
    pub fn sentence(&self, locale: Locale) -> Phrase {
        let key = match self.part {
            SoldPart::Title => "changed-title",
            SoldPart::Venue => "changed-venue",
            SoldPart::Address => "changed-address",
            SoldPart::RunningMins => "changed-running",
            SoldPart::DoorsBeforeMins => "changed-doors",
            SoldPart::AgeMin => "changed-age",
            SoldPart::Zone => "changed-zone",
            SoldPart::Seat => "changed-seat",
            SoldPart::Act => "changed-act",
            SoldPart::Clock => "changed-clock",
        };
        match self.part.name_key().filter(|_| self.was.is_empty()) {
            Some(name) => locale.text("changed-unsaid").word("name", locale.text(name)),
            None => locale.text(key).word("was", self.said(locale)),
        }
    }

    /// Returns what was agreed, as people read it.
    fn said(&self, locale: Locale) -> String {
        let clock = self.was.split_once(' ').filter(|_| self.part == SoldPart::Clock);
        let moment = clock.and_then(|(moment, zone)| {
            Some((DateTime::parse_from_rfc3339(moment).ok()?.to_utc(), times::zone(zone)))
        });
        moment.map_or_else(|| self.was.clone(), |(at, zone)| times::in_full(at, zone, locale))
    }
}
