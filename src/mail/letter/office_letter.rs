//! Letters that the office writes to people who hold tickets of a show.

use uuid::Uuid;

use super::content::{Content, on_one_line};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::office_letters::{self, LetterTold},
    },
    text::times::{in_full, zone},
};

/// Writes the letter in the reader's language, or else in the first that it has. A stopped letter is gone, but for the
/// administrator who tries it.
pub(super) async fn tell(
    blank: Content,
    db: &Pool,
    id: Uuid,
    is_test: bool,
) -> Result<Content, ComposeError> {
    let LetterTold { title, starts_at, venue, time_zone, texts, is_stopped } =
        office_letters::find(db, id).await?.ok_or(ComposeError::Gone)?;
    if is_stopped && !is_test {
        return Err(ComposeError::Gone);
    }
    let locale = blank.locale;
    let text = texts.in_language(locale).ok_or(ComposeError::Gone)?;
    let subject = match is_test {
        true => locale.text("mail-letter-test").word("subject", &text.subject).to_string(),
        false => text.subject.clone(),
    };
    let paragraphs = text.words.split("\n\n").map(str::trim).filter(|words| !words.is_empty());
    let mut facts = vec![(locale.text("mail-fact-program"), on_one_line(&title))];
    if let Some(((starts_at, venue), time_zone)) = starts_at.zip(venue).zip(time_zone) {
        facts.push((locale.text("mail-fact-when"), in_full(starts_at, zone(&time_zone), locale)));
        facts.push((locale.text("mail-fact-venue"), on_one_line(&venue)));
    }
    Ok(Content {
        subject: on_one_line(&subject),
        paragraphs: paragraphs
            .map(|words| locale.text("mail-letter-words").word("words", words))
            .collect(),
        facts,
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-moved-action"))),
        notes: vec![locale.text("mail-letter-note")],
        ..blank
    })
}
