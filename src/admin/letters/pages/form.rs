//! Forms of letters, as sent.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::{
        letters::model::LetterDraft,
        pages::{parse_text, parse_words},
    },
    catalog::{ScheduleEdition, ScheduleId},
    outbox::{LetterText, LetterTexts},
    web::form::{Field, Mistakes, local_time::parse_optional_time},
};

/// Hours before a performance at which its holders can be reminded.
const HOURS_BEFORE: RangeInclusive<i16> = 2..=168;
const SUBJECT_CHARS_MAX: usize = 120;
/// Length of a name, as of sections, zones and price types.
const NAME_CHARS_MAX: usize = 100;

/// Letter to be drafted, as typed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LetterForm {
    /// Performance whose holders of tickets get it; empty: each that is still to come.
    pub schedule_id: Field,
    /// Name of the section or zone; empty: any.
    pub section: Field,
    /// Name of the price type; empty: any.
    pub price_type: Field,
    /// Box: only holders who have not come yet.
    pub absent: Field,
    /// Box: it cannot be declined.
    pub necessary: Field,
    /// Subject in English; empty with its words: not in this language.
    pub subject_en: Field,
    /// Words in English, 1,000 characters at most; an empty line begins a paragraph.
    pub words_en: Field,
    /// Subject in Korean.
    pub subject_ko: Field,
    /// Words in Korean.
    pub words_ko: Field,
    /// Subject in Japanese.
    pub subject_ja: Field,
    /// Words in Japanese.
    pub words_ja: Field,
}

impl LetterForm {
    /// Returns the fields of a language: the names of both, the subject and the words.
    pub(super) fn texts(&self) -> [(&'static str, [&'static str; 2], [&Field; 2]); 3] {
        [
            ("en", ["subject_en", "words_en"], [&self.subject_en, &self.words_en]),
            ("ko", ["subject_ko", "words_ko"], [&self.subject_ko, &self.words_ko]),
            ("ja", ["subject_ja", "words_ja"], [&self.subject_ja, &self.words_ja]),
        ]
    }

    /// Parses the form for a program that has these performances.
    pub(super) fn parse(
        &self,
        schedules: &[ScheduleEdition],
        now: DateTime<Utc>,
    ) -> Result<LetterDraft, Mistakes> {
        let mut mistakes = Mistakes::default();
        let schedule_ids = self.schedules(schedules, now);
        let schedule_ids =
            mistakes.note("schedule_id", "admin-letter-refusal-schedule", schedule_ids);
        let mut name = |name, field: &Field| {
            let typed = match field.is_empty() {
                true => Some(None),
                false => parse_text(field, 1, NAME_CHARS_MAX).map(Some),
            };
            mistakes.note(name, "admin-letter-refusal-name", typed)
        };
        let (section, price_type) =
            (name("section", &self.section), name("price_type", &self.price_type));
        let is_for_absent = mistakes.note("absent", "admin-refusal-flag", self.absent.flag());
        let is_necessary = mistakes.note("necessary", "admin-refusal-flag", self.necessary.flag());
        let texts = self.parse_texts(&mut mistakes);
        let names = section.zip(price_type);
        let flags = is_for_absent.zip(is_necessary);
        let parsed = schedule_ids.zip(names).zip(flags).zip(texts);
        mistakes.or(parsed.map(|(((schedule_ids, names), flags), texts)| LetterDraft {
            schedule_ids,
            section: names.0,
            price_type: names.1,
            is_for_absent: flags.0,
            is_necessary: flags.1,
            texts,
        }))
    }

    /// Returns the chosen performance, or each that is still to come; `None` where there is none.
    fn schedules(
        &self,
        schedules: &[ScheduleEdition],
        now: DateTime<Utc>,
    ) -> Option<Vec<ScheduleId>> {
        let chosen = match self.schedule_id.is_empty() {
            true => None,
            false => Some(self.schedule_id.parse::<ScheduleId>()?),
        };
        let is_meant = |schedule: &&ScheduleEdition| match chosen {
            Some(id) => schedule.id == id,
            None => schedule.starts_at > now && schedule.cancelled_at.is_none(),
        };
        let meant: Vec<ScheduleId> =
            schedules.iter().filter(is_meant).map(|schedule| schedule.id).collect();
        (!meant.is_empty()).then_some(meant)
    }

    fn parse_texts(&self, mistakes: &mut Mistakes) -> Option<LetterTexts> {
        let mut texts = LetterTexts::default();
        let mut is_whole = true;
        for (tag, [subject_name, words_name], [subject, words]) in self.texts() {
            if subject.is_empty() && words.is_empty() {
                continue;
            }
            let subject = parse_text(subject, 1, SUBJECT_CHARS_MAX)
                .filter(|subject| !subject.chars().any(char::is_control));
            let subject = mistakes.note(subject_name, "admin-letter-refusal-subject", subject);
            let words = mistakes.note(
                words_name,
                "admin-letter-refusal-words",
                parse_words(words).flatten(),
            );
            match subject.zip(words) {
                Some((subject, words)) => {
                    texts.say(tag, LetterText { subject, words });
                }
                None => is_whole = false,
            }
        }
        if texts.is_empty() && is_whole {
            return mistakes.note("words_en", "admin-letter-refusal-words", None);
        }
        is_whole.then_some(texts)
    }
}

/// Reminder of the performances of a program, as typed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReminderForm {
    /// Hours before each performance at which its holders are reminded, 2 to 168; empty: they are not.
    pub(super) hours_before: Field,
}

impl ReminderForm {
    /// Returns the hours; `None` for no reminder.
    pub(super) fn parse(&self) -> Result<Option<i16>, Mistakes> {
        let mut mistakes = Mistakes::default();
        let hours = match self.hours_before.is_empty() {
            true => Some(None),
            false => self.hours_before.parse().filter(|n| HOURS_BEFORE.contains(n)).map(Some),
        };
        let hours = mistakes.note("hours_before", "admin-letter-refusal-hours", hours);
        mistakes.or(hours)
    }
}

/// Release of a letter.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReleaseForm {
    /// Local time on the clock of the program, or RFC 3339; empty: at once.
    pub(super) send_at: Field,
}

impl ReleaseForm {
    /// Parses the time on the clock of `zone`, which is after `now`; `None` for at once.
    pub(super) fn parse(
        &self,
        zone: Tz,
        now: DateTime<Utc>,
    ) -> Result<Option<DateTime<Utc>>, Mistakes> {
        let mut mistakes = Mistakes::default();
        let send_at = parse_optional_time(&mut mistakes, "send_at", &self.send_at, zone);
        let send_at = match send_at.flatten().is_some_and(|at| at <= now) {
            true => mistakes.note("send_at", "admin-queue-refusal-until", None),
            false => send_at,
        };
        mistakes.or(send_at)
    }
}
