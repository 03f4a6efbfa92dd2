//! Letters that list the tickets that their reader holds for a performance: the reminder of it, and the tickets once
//! more.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::content::{Content, on_one_line};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{office_letters, performances},
    },
    outbox::{Message, StoredMail},
    text::{
        i18n::Locale,
        times::{in_full, zone},
    },
    tickets::{Ticket, list_valid},
};

/// Writes the letter of `message` to the holder of its tickets. It is gone where the account holds no valid ticket any
/// more, and a reminder also where its start has passed or is another now, or where staff stopped it.
pub(super) async fn tell(
    blank: Content,
    db: &Pool,
    mail: &StoredMail,
    message: &Message,
) -> Result<Content, ComposeError> {
    let (schedule_id, keys) = match message {
        Message::Reminder { letter_id, schedule_id, starts_at } => {
            require_near(db, *letter_id, (*schedule_id, *starts_at)).await?;
            (*schedule_id, ["mail-reminder-subject", "mail-reminder-lede", "mail-reminder-note"])
        }
        Message::TicketsAgain { schedule_id } => {
            (*schedule_id, ["mail-tickets-subject", "mail-tickets-lede", "mail-tickets-note"])
        }
        _ => return Err(ComposeError::UnknownMessage),
    };
    let tickets = list_valid(db, (&mail.recipient, schedule_id)).await?;
    letter(blank, &tickets, keys).ok_or(ComposeError::Gone)
}

async fn require_near(
    db: &Pool,
    letter_id: Uuid,
    start: (Uuid, DateTime<Utc>),
) -> Result<(), ComposeError> {
    let letter = office_letters::find(db, letter_id).await?.ok_or(ComposeError::Gone)?;
    match !letter.is_stopped && performances::is_ahead(db, start).await? {
        true => Ok(()),
        false => Err(ComposeError::Gone),
    }
}

/// Returns the name of a seat, or of places of one zone with their number; `None` without a ticket.
fn names_of(alike: &[Ticket], locale: Locale) -> Option<String> {
    let first = alike.first()?;
    Some(match (&first.zone, i64::try_from(alike.len())) {
        (Some(zone), Ok(count)) => {
            locale.text("mail-places").word("zone", zone).number("count", count).to_string()
        }
        _ => first.place(locale),
    })
}

/// Fills the letter about `tickets` of one performance with the texts of these keys; `None` without a ticket.
fn letter(
    blank: Content,
    tickets: &[Ticket],
    [subject, lede, note]: [&'static str; 3],
) -> Option<Content> {
    let first = tickets.first()?;
    let locale = blank.locale;
    let on_clock = |moment| in_full(moment, zone(&first.time_zone), locale);
    let seats: Vec<String> = tickets
        .chunk_by(|left, right| left.zone.is_some() && left.zone == right.zone)
        .filter_map(|alike| names_of(alike, locale))
        .collect();
    let address = on_one_line(&first.address);
    let facts = [
        Some(("mail-fact-program", on_one_line(&first.title))),
        Some(("mail-fact-when", on_clock(first.starts_at))),
        first.doors_open().map(|doors| ("mail-fact-doors", doors)),
        Some(("mail-fact-venue", on_one_line(&first.venue))),
        Some(("mail-fact-address", address)).filter(|(_, address)| !address.is_empty()),
        Some(("mail-fact-seats", seats.join(" / "))),
    ];
    let subject = locale.text(subject).word("title", &first.title);
    Some(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", &first.holder),
        paragraphs: vec![locale.text(lede)],
        facts: facts
            .into_iter()
            .flatten()
            .map(|(name, value)| (locale.text(name), value))
            .collect(),
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-paid-action"))),
        notes: vec![locale.text(note)],
        ..blank
    })
}
