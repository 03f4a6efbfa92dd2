//! Letters to accounts with unpaid places or wishes: the performance was cancelled, has other
//! prices, or a section of it is hidden.

use uuid::Uuid;

use super::content::{Content, on_one_line, words};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{
            cancelled::find_show,
            performances::{self, PerformanceTold},
        },
    },
    outbox::NewPrice,
    text::{
        i18n::{Locale, Phrase},
        times::{in_full, zone},
    },
};

/// Tells that a program, or one performance of it, was cancelled, and what that ends.
pub(super) async fn cancelled(
    blank: Content,
    db: &Pool,
    (program_id, schedule_id): (Uuid, Option<Uuid>),
    is_waiting: bool,
) -> Result<Content, ComposeError> {
    let show = find_show(db, program_id, schedule_id).await?.ok_or(ComposeError::Gone)?;
    let performance = match schedule_id {
        Some(id) => Some(performances::find(db, id).await?.ok_or(ComposeError::Gone)?),
        None => None,
    };
    let locale = blank.locale;
    let lede = match is_waiting {
        true => "mail-cancelled-lede-waiting",
        false => "mail-cancelled-lede-held",
    };
    let subject = match performance {
        Some(_) => "mail-cancelled-date-subject",
        None => "mail-queue-cancelled-subject",
    };
    let subject = locale.text(subject).word("title", &show.title);
    let program = (locale.text("mail-fact-program"), on_one_line(&show.title));
    let mut facts = vec![program];
    if let Some(performance) = performance {
        let when = in_full(performance.starts_at, zone(&performance.time_zone), locale);
        facts.push((locale.text("mail-fact-when"), when));
        facts.push((locale.text("mail-fact-venue"), on_one_line(&performance.venue)));
    }
    facts.extend(words(locale, show.cancel_texts.as_deref()));
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text(lede)],
        facts,
        action: Some((
            format!("{}/programs/{}", blank.site, show.slug),
            locale.text("mail-queue-cancelled-action"),
        )),
        ..blank
    })
}

/// Tells which places of a performance have other prices: `prices`, and `n_more` beside them.
pub(super) async fn repriced(
    blank: Content,
    db: &Pool,
    schedule_id: Uuid,
    (prices, n_more): (&[NewPrice], usize),
) -> Result<Content, ComposeError> {
    let performance = performances::find(db, schedule_id).await?.ok_or(ComposeError::Gone)?;
    let locale = blank.locale;
    let price = |new: &NewPrice| {
        let now = blank.price(new.now);
        let value = match new.was {
            Some(was) => {
                let told = locale.text("mail-told-value").word("now", now);
                told.word("was", blank.price(was)).to_string()
            }
            None => now,
        };
        (locale.text("mail-fact-price-of").word("of", on_one_line(&new.of)), value)
    };
    let more: Option<Phrase> =
        (n_more > 0).then(|| locale.text("mail-repriced-more").number("count", n_more));
    let subject = locale.text("mail-repriced-subject").word("title", &performance.title);
    let facts = facts_of(&performance, locale).into_iter();
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text("mail-repriced-lede")],
        facts: facts.chain(prices.iter().map(price)).collect(),
        action: Some(to_list(&blank, schedule_id)),
        notes: more.into_iter().chain([locale.text("mail-told-note-waiting")]).collect(),
        ..blank
    })
}

/// Tells that a section of a performance is hidden, or shown again.
pub(super) async fn hidden(
    blank: Content,
    db: &Pool,
    schedule_id: Uuid,
    (section, is_hidden): (&str, bool),
) -> Result<Content, ComposeError> {
    let found = performances::find(db, schedule_id).await?;
    let performance = found.filter(|found| !found.is_cancelled).ok_or(ComposeError::Gone)?;
    let locale = blank.locale;
    let (lede, note) = match is_hidden {
        true => ("mail-hidden-lede", "mail-hidden-note"),
        false => ("mail-shown-lede", "mail-shown-note"),
    };
    let subject = locale.text("mail-hidden-subject").word("title", &performance.title);
    let facts = facts_of(&performance, locale).into_iter();
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text(lede)],
        facts: facts.chain([(locale.text("mail-fact-part"), on_one_line(section))]).collect(),
        action: Some(to_list(&blank, schedule_id)),
        notes: vec![locale.text(note)],
        ..blank
    })
}

/// Returns the show and the start of a performance.
fn facts_of(performance: &PerformanceTold, locale: Locale) -> [(Phrase, String); 2] {
    let starts_at = in_full(performance.starts_at, zone(&performance.time_zone), locale);
    [
        (locale.text("mail-fact-program"), on_one_line(&performance.title)),
        (locale.text("mail-fact-when"), starts_at),
    ]
}

/// Returns the way to the page of a waiting list.
fn to_list(blank: &Content, schedule_id: Uuid) -> (String, Phrase) {
    let path = format!("{}/schedules/{schedule_id}/waiting-list", blank.site);
    (path, blank.locale.text("mail-moved-action-waiting"))
}
