//! Form of an announcement, as sent.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{parse_version, parse_words},
    catalog::NewAnnouncement,
    text::{times, translated::Translated},
    web::form::{Field, Mistakes, local_time::parse_optional_time},
};

/// Announcement as typed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnnouncementForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Words in English, 1,000 characters at most; empty: not in this language.
    words_en: Field,
    /// Words in Korean.
    words_ko: Field,
    /// Words in Japanese.
    words_ja: Field,
    /// Local time on the clock of the program, or RFC 3339, until which it is expected to last; empty: not said.
    until: Field,
}

impl AnnouncementForm {
    /// Returns the tag, the name and the words of each language.
    pub(super) fn words(&self) -> [(&'static str, &'static str, &Field); 3] {
        [
            ("en", "words_en", &self.words_en),
            ("ko", "words_ko", &self.words_ko),
            ("ja", "words_ja", &self.words_ja),
        ]
    }

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
        let mut words = Translated::default();
        let mut is_whole = true;
        for (tag, name, field) in self.words() {
            match mistakes.note(name, WORDS, parse_words(field)) {
                Some(Some(said)) => words.say(tag, said),
                Some(None) => {}
                None => is_whole = false,
            }
        }
        let zone = times::zone(time_zone);
        let until = parse_optional_time(&mut mistakes, "until", &self.until, zone);
        let is_past = until.flatten().is_some_and(|until| until <= now);
        let until = match is_past {
            true => mistakes.note("until", "admin-queue-refusal-until", None),
            false => until,
        };
        // A time alone does not say what lasts so long.
        let is_silent = is_whole && words.is_empty();
        if is_silent && !self.until.is_empty() {
            is_whole = mistakes.note("words_en", WORDS, None::<()>).is_some();
        }
        let said = is_whole.then_some(words).zip(until).map(|(words, expected_until)| {
            (!is_silent).then_some(NewAnnouncement { words, expected_until })
        });
        mistakes.or(version.zip(said))
    }
}
