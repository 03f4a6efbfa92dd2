//! Letters about a performance that changes after it was sold: its start, the clock on which that is shown, or
//! another part of what the tickets say.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::content::{Content, on_one_line, words};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::performances::{self, MoveTold, PerformanceTold},
    },
    outbox::{Message, SoldChange, SoldPart},
    text::{
        i18n::{Locale, Phrase},
        times::{in_full, zone},
        translated::Translated,
    },
};

/// What one letter says.
struct Told<'a> {
    performance: &'a PerformanceTold,
    /// Start as it was told before; `None` where it stays as it is.
    was: Option<String>,
    /// Move that gives a right to a full refund; `None` without one.
    moved: Option<&'a MoveTold>,
    changes: &'a [SoldChange],
    words: &'a Translated<String>,
    /// Whether the reader only waits for places.
    is_waiting: bool,
    /// Where the reader waits, or has tickets.
    path: String,
}

/// Locale keys of a letter.
struct Keys {
    subject: &'static str,
    lede: &'static str,
    note: &'static str,
}

/// Fills the letter about a move with its time and the time that was shown before. Each move has a letter of
/// its own; where the moment stays, the letter has the time that holds when it is sent.
pub(super) async fn moved(
    blank: Content,
    db: &Pool,
    message: &Message,
) -> Result<Content, ComposeError> {
    let Message::PerformanceMoved {
        schedule_id,
        was,
        was_zone,
        move_id,
        is_waiting,
        changes,
        words,
    } = message
    else {
        return Err(ComposeError::UnknownMessage);
    };
    let performance = find_live(db, *schedule_id).await?;
    let moved = find_move(db, *move_id).await?;
    let is_shown = moved.as_ref().is_none_or(|moved| moved.is_at == *was);
    let lede = match is_waiting {
        true => "mail-moved-lede-waiting",
        false if is_shown && *was == performance.starts_at => "mail-moved-lede-shown",
        false => "mail-moved-lede",
    };
    let note = if *is_waiting { "mail-moved-note-waiting" } else { "mail-moved-note" };
    let told = Told {
        performance: &performance,
        was: Some(in_full(*was, zone(was_zone), blank.locale)),
        moved: moved.as_ref(),
        changes,
        words,
        is_waiting: *is_waiting,
        path: path_of(*schedule_id, *is_waiting),
    };
    Ok(letter(blank, &told, &Keys { subject: "mail-moved-subject", lede, note }))
}

/// Fills the letter about what is called otherwise, with what it was called before.
pub(super) async fn changed(
    blank: Content,
    db: &Pool,
    message: &Message,
) -> Result<Content, ComposeError> {
    let Message::PerformanceChanged { schedule_id, changes, words, move_id, is_waiting } = message
    else {
        return Err(ComposeError::UnknownMessage);
    };
    let performance = find_live(db, *schedule_id).await?;
    let moved = find_move(db, *move_id).await?;
    let (lede, note) = match is_waiting {
        true => ("mail-told-lede-waiting", "mail-told-note-waiting"),
        false => ("mail-told-lede", "mail-told-note"),
    };
    let told = Told {
        performance: &performance,
        was: None,
        moved: moved.as_ref(),
        changes,
        words,
        is_waiting: *is_waiting,
        path: path_of(*schedule_id, *is_waiting),
    };
    Ok(letter(blank, &told, &Keys { subject: "mail-told-subject", lede, note }))
}

/// Returns a performance that is not cancelled: once it is, a mail about an earlier change says nothing any more.
async fn find_live(db: &Pool, id: Uuid) -> Result<PerformanceTold, ComposeError> {
    let found = performances::find(db, id).await?;
    found.filter(|performance| !performance.is_cancelled).ok_or(ComposeError::Gone)
}

async fn find_move(db: &Pool, id: Option<Uuid>) -> Result<Option<MoveTold>, ComposeError> {
    let Some(id) = id else { return Ok(None) };
    Ok(Some(performances::find_move(db, id).await?.ok_or(ComposeError::Gone)?))
}

fn path_of(schedule_id: Uuid, is_waiting: bool) -> String {
    match is_waiting {
        true => format!("/schedules/{schedule_id}/waiting-list"),
        false => "/tickets".to_owned(),
    }
}

fn letter(blank: Content, told: &Told<'_>, keys: &Keys) -> Content {
    let locale = blank.locale;
    let Told { performance, moved, is_waiting, .. } = told;
    let on_clock = |moment: DateTime<Utc>| in_full(moment, zone(&performance.time_zone), locale);
    let refund = moved.filter(|_| !is_waiting).map(|moved| {
        locale.text("mail-moved-refund").word("when", on_clock(moved.full_refund_until))
    });
    let subject = locale.text(keys.subject).word("title", &performance.title);
    let action = if *is_waiting { "mail-moved-action-waiting" } else { "mail-moved-action" };
    Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: std::iter::once(locale.text(keys.lede)).chain(refund).collect(),
        facts: facts(told, locale),
        action: Some((format!("{}{}", blank.site, told.path), locale.text(action))),
        notes: vec![locale.text(keys.note)],
        ..blank
    }
}

/// Returns the facts: the show, its time, its venue and what else has changed, each with what it was.
fn facts(told: &Told<'_>, locale: Locale) -> Vec<(Phrase, String)> {
    let performance = told.performance;
    let value = |part: SoldPart| {
        let change = told.changes.iter().find(|change| change.part == part)?;
        Some(on_one_line(&change.in_words(locale)))
    };
    let starts_at = told.moved.map_or(performance.starts_at, |moved| moved.is_at);
    let when = if told.was.is_some() { "mail-fact-now" } else { "mail-fact-when" };
    // A mail of an earlier version leaves its words to the move.
    let of_move = told.moved.and_then(|moved| moved.texts.as_deref());
    let texts = Some(told.words).filter(|texts| !texts.is_empty()).or(of_move);
    let program = value(SoldPart::Title).unwrap_or_else(|| on_one_line(&performance.title));
    let venue = value(SoldPart::Venue).unwrap_or_else(|| on_one_line(&performance.venue));
    let facts = [
        Some(("mail-fact-program", program)),
        told.was.clone().map(|was| ("mail-fact-was", was)),
        Some((when, in_full(starts_at, zone(&performance.time_zone), locale))),
        Some(("mail-fact-venue", venue)),
    ];
    let others = told.changes.iter().filter_map(|change| match change.part {
        SoldPart::Title | SoldPart::Venue => None,
        SoldPart::Seat => Some(("mail-fact-zone", locale.text("mail-told-seat").to_string())),
        _ => change.name_key().map(|name| (name, on_one_line(&change.in_words(locale)))),
    });
    let facts =
        facts.into_iter().flatten().chain(others).map(|(name, value)| (locale.text(name), value));
    facts.chain(words(locale, texts)).collect()
}
