//! Letter about a performance that begins at another moment, or is shown at another hour.

use chrono::{DateTime, Utc};

use super::content::{Content, on_one_line};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::performances::{self, PerformanceTold},
    },
    outbox::Message,
    text::times::{in_full, zone},
};

/// Tells the time that was shown before, and the time that holds when the mail is sent.
pub(super) async fn moved(
    blank: Content,
    db: &Pool,
    message: &Message,
) -> Result<Content, ComposeError> {
    let Message::PerformanceMoved { schedule_id, was, was_zone } = message else {
        return Err(ComposeError::UnknownMessage);
    };
    let told = performances::find(db, *schedule_id).await?.ok_or(ComposeError::Gone)?;
    Ok(of_move(blank, &told, (*was, was_zone.as_str())))
}

fn of_move(
    blank: Content,
    told: &PerformanceTold,
    (was, was_zone): (DateTime<Utc>, &str),
) -> Content {
    let locale = blank.locale;
    let lede = match was == told.starts_at {
        true => "mail-moved-lede-shown",
        false => "mail-moved-lede",
    };
    let facts = [
        ("mail-fact-program", on_one_line(&told.title)),
        ("mail-fact-was", in_full(was, zone(was_zone), locale)),
        ("mail-fact-now", in_full(told.starts_at, zone(&told.time_zone), locale)),
        ("mail-fact-venue", on_one_line(&told.venue)),
    ];
    let subject = locale.text("mail-moved-subject").word("title", &told.title);
    Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text(lede)],
        facts: facts.into_iter().map(|(name, value)| (locale.text(name), value)).collect(),
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-moved-action"))),
        notes: vec![locale.text("mail-moved-note")],
        ..blank
    }
}
