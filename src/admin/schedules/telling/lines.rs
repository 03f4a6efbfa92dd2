//! What the lines of shows read about performances that change: a line gets no mails, so it is announced.

use chrono::{DateTime, Utc};

use super::{
    model::{ShownStart, Told},
    store::{self, ToldLine},
};
use crate::{
    catalog::{self, ScheduleId},
    infra::postgres::Connection,
    text::{
        i18n::Locale,
        times::{in_full, zone},
        translated::Translated,
    },
};

/// News of one edit for lines, beside what the mails of it say.
#[derive(Clone, Copy, Debug)]
pub(in crate::admin) struct LineNews<'a> {
    /// Performances that begin at another time or are shown on another clock, each with its start as it was shown and the
    /// one that comes after it.
    pub(in crate::admin) moved: &'a [(ScheduleId, ShownStart<'a>, DateTime<Utc>)],
    pub(in crate::admin) told: &'a Told,
    /// Whether the performances are cancelled.
    pub(in crate::admin) are_cancelled: bool,
}

impl<'a> LineNews<'a> {
    /// Returns the news about performances that keep their moment.
    pub(in crate::admin) fn changed(told: &'a Told) -> Self {
        Self { moved: &[], told, are_cancelled: false }
    }
}

/// Announces to the line of each show what has changed about its performances among `ids`: in the words of the program
/// in every language, with the words of the office, above what was announced before. Shows without visitors that
/// wait or are inside hear nothing.
pub(in crate::admin) async fn tell_lines(
    tx: &mut Connection,
    ids: &[ScheduleId],
    news: &LineNews<'_>,
) -> Result<(), sqlx::Error> {
    for line in store::list_lines(tx, ids).await? {
        let mut words = Translated::default();
        for locale in Locale::all() {
            words.say(locale.tag(), sentences(&line, news, locale).join("\n"));
        }
        catalog::announce_news(tx, line.program_id, &words).await?;
    }
    Ok(())
}

/// Returns what the line of a show reads, in one language.
fn sentences(line: &ToldLine, news: &LineNews<'_>, locale: Locale) -> Vec<String> {
    let LineNews { moved, told, are_cancelled } = news;
    let starts_at = in_full(line.starts_at, zone(&line.time_zone), locale);
    let moved = moved.iter().find(|(id, ..)| *id == line.schedule_id);
    let sentence = match moved {
        _ if *are_cancelled => locale.text("line-cancelled").word("when", starts_at),
        _ if line.performances > 1 => locale.text("line-changed-several"),
        Some((_, was, now)) => locale
            .text("line-moved")
            .word("was", in_full(was.at, zone(was.zone), locale))
            .word("now", in_full(*now, zone(&line.time_zone), locale)),
        None => locale.text("line-changed").word("when", starts_at),
    };
    let parts = told.changes.iter().filter_map(|change| {
        let name = locale.text(change.name_key()?);
        let value = change.in_words(locale);
        Some(locale.text("line-changed-part").word("name", name).word("value", value).to_string())
    });
    let words = told.words.in_language(locale).cloned();
    std::iter::once(sentence.to_string()).chain(parts).chain(words).collect()
}
