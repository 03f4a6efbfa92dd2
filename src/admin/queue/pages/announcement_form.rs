//! Form of an announcement, as sent.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{WordsForm, parse_version},
    catalog::NewAnnouncement,
    text::times,
    web::form::{Field, Mistakes, local_time::parse_optional_time},
};

/// Announcement as typed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnnouncementForm {
    /// Version that was shown; another one is refused.
    version: Field,
    #[serde(flatten)]
    pub(super) words: WordsForm,
    /// Local time on the clock of the program, or RFC 3339, until which it is expected to last; empty: not said.
    until: Field,
}

impl AnnouncementForm {
    pub(super) fn until(&self) -> &str {
        self.until.text()
    }

    /// Parses the version and the announcement of a program of `time_zone`; `None` where nothing was typed.
    pub(super) fn parse(
        &self,
        time_zone: &str,
        now: DateTime<Utc>,
    ) -> Result<(i64, Option<NewAnnouncement>), Mistakes> {
        const WORDS: &str = "admin-queue-refusal-words";
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let words = self.words.parse(&mut mistakes, WORDS);
        let zone = times::zone(time_zone);
        let until = parse_optional_time(&mut mistakes, "until", &self.until, zone);
        let is_past = until.flatten().is_some_and(|until| until <= now);
        let until = match is_past {
            true => mistakes.note("until", "admin-queue-refusal-until", None),
            false => until,
        };
        // A time alone does not say what lasts so long.
        let is_silent = self.words.is_empty();
        let words = match is_silent && !self.until.is_empty() {
            true => mistakes.note("words_en", WORDS, None),
            false => words,
        };
        let said = words.zip(until).map(|(words, expected_until)| {
            (!is_silent).then_some(NewAnnouncement { words, expected_until })
        });
        mistakes.or(version.zip(said))
    }
}
