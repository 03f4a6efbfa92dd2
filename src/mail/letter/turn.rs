//! Letter about a turn in a queue. It tells the state at the time when the mail is sent: a mail that
//! was delayed may be about a turn that has come.

use uuid::Uuid;

use super::content::{Content, on_one_line, words};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{self, QueuedTurn, TurnStage},
    },
    text::times::{in_full, zone},
};

/// Tells that the turn is near, or has come, unless the token is gone, or nothing is sold any more.
pub(super) async fn tell(blank: Content, db: &Pool, id: Uuid) -> Result<Content, ComposeError> {
    let queued = store::find_turn(db, id).await?.ok_or(ComposeError::Gone)?;
    of_turn(blank, &queued).ok_or(ComposeError::Gone)
}

/// Tells that the place in line, or in the draw of the order, ended because the show was cancelled.
pub(super) async fn cancelled(
    blank: Content,
    db: &Pool,
    id: Uuid,
) -> Result<Content, ComposeError> {
    let place = store::cancelled::find_place(db, id).await?.ok_or(ComposeError::Gone)?;
    let number = place.queue_number.map(|number| number.to_string());
    let lede = match number {
        Some(_) => "mail-queue-cancelled-lede",
        None => "mail-queue-cancelled-lede-draw",
    };
    let locale = blank.locale;
    let subject = locale.text("mail-queue-cancelled-subject").word("title", &place.title);
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", on_one_line(&place.name)),
        paragraphs: vec![locale.text(lede)],
        facts: [(locale.text("mail-fact-program"), on_one_line(&place.title))]
            .into_iter()
            .chain(number.map(|number| (locale.text("mail-fact-number"), number)))
            .chain(words(locale, place.cancel_texts.as_deref()))
            .collect(),
        action: Some((
            format!("{}/programs/{}", blank.site, place.slug),
            locale.text("mail-queue-cancelled-action"),
        )),
        ..blank
    })
}

fn of_turn(blank: Content, turn: &QueuedTurn) -> Option<Content> {
    let locale = blank.locale;
    let (subject, lede, action) = match turn.stage? {
        TurnStage::Near => {
            ("mail-turn-near-subject", "mail-turn-near-lede", "mail-turn-near-action")
        }
        TurnStage::Come => {
            ("mail-turn-come-subject", "mail-turn-come-lede", "mail-turn-come-action")
        }
        TurnStage::Missed => {
            ("mail-turn-come-subject", "mail-turn-missed-lede", "mail-turn-near-action")
        }
    };
    let number = (locale.text("mail-fact-number"), turn.queue_number.to_string());
    let until = turn.stay_ends_at.map(|moment| {
        (locale.text("mail-fact-choose-by"), in_full(moment, zone(&turn.time_zone), locale))
    });
    let title = (locale.text("mail-fact-program"), on_one_line(&turn.title));
    Some(Content {
        subject: on_one_line(&locale.text(subject).word("title", &turn.title).to_string()),
        greeting: locale.text("mail-greeting").word("name", on_one_line(&turn.name)),
        paragraphs: vec![locale.text(lede)],
        facts: [title].into_iter().chain(Some(until.unwrap_or(number))).collect(),
        action: Some((format!("{}/programs/{}/queue", blank.site, turn.slug), locale.text(action))),
        notes: match turn.stage {
            Some(TurnStage::Near) => vec![locale.text("mail-turn-near-note")],
            _ => Vec::new(),
        },
        ..blank
    })
}
