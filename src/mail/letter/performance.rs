//! Letter about a performance that begins at another moment, or is shown at another hour.

use chrono::{DateTime, Utc};

use super::content::{Content, on_one_line};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::performances::{self, MoveTold, PerformanceTold},
    },
    outbox::Message,
    text::times::{in_full, zone},
};

/// Fills the letter about a move with its time and the time that was shown before. Each move has a letter of
/// its own; where the moment stays, the letter has the time that holds when it is sent.
pub(super) async fn moved(
    blank: Content,
    db: &Pool,
    message: &Message,
) -> Result<Content, ComposeError> {
    let Message::PerformanceMoved { schedule_id, was, was_zone, move_id, is_waiting } = message
    else {
        return Err(ComposeError::UnknownMessage);
    };
    let told = performances::find(db, *schedule_id).await?.ok_or(ComposeError::Gone)?;
    let moved = match move_id {
        Some(id) => Some(performances::find_move(db, *id).await?.ok_or(ComposeError::Gone)?),
        None => None,
    };
    let was = in_full(*was, zone(was_zone), blank.locale);
    let lede = match (is_waiting, &moved) {
        (true, _) => "mail-moved-lede-waiting",
        (false, None) if was_is_now(message, &told) => "mail-moved-lede-shown",
        (false, _) => "mail-moved-lede",
    };
    let path = match is_waiting {
        true => format!("/schedules/{schedule_id}/waiting-list"),
        false => "/tickets".to_owned(),
    };
    Ok(of_move(blank, &told, moved.as_ref(), (lede, was, *is_waiting, &path)))
}

/// Whether the performance begins at the moment at which it was to begin.
fn was_is_now(message: &Message, told: &PerformanceTold) -> bool {
    matches!(message, Message::PerformanceMoved { was, .. } if *was == told.starts_at)
}

fn of_move(
    blank: Content,
    told: &PerformanceTold,
    moved: Option<&MoveTold>,
    (lede, was, is_waiting, path): (&'static str, String, bool, &str),
) -> Content {
    let locale = blank.locale;
    let on_clock = |moment: DateTime<Utc>| in_full(moment, zone(&told.time_zone), locale);
    let now = moved.map_or(told.starts_at, |moved| moved.is_at);
    let words = moved.and_then(|moved| moved.words.as_deref());
    let facts = [
        Some(("mail-fact-program", on_one_line(&told.title))),
        Some(("mail-fact-was", was)),
        Some(("mail-fact-now", on_clock(now))),
        Some(("mail-fact-venue", on_one_line(&told.venue))),
        words.map(|words| ("mail-fact-words", on_one_line(words))),
    ];
    let facts = facts.into_iter().flatten();
    let refund = moved.filter(|_| !is_waiting).map(|moved| {
        locale.text("mail-moved-refund").word("when", on_clock(moved.full_refund_until))
    });
    let subject = locale.text("mail-moved-subject").word("title", &told.title);
    let (action, note) = match is_waiting {
        true => ("mail-moved-action-waiting", "mail-moved-note-waiting"),
        false => ("mail-moved-action", "mail-moved-note"),
    };
    Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: std::iter::once(locale.text(lede)).chain(refund).collect(),
        facts: facts.map(|(name, value)| (locale.text(name), value)).collect(),
        action: Some((format!("{}{path}", blank.site), locale.text(action))),
        notes: vec![locale.text(note)],
        ..blank
    }
}
