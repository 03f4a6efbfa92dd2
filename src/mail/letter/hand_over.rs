//! Letters about a ticket that one account hands over to another.
//!
//! Names stand among the facts and in no subject: senders type their own.

use uuid::Uuid;

use super::{
    content::{Content, on_one_line, words},
    reservation::place_name,
};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{self, HandOverTold, TicketTold},
    },
    outbox::Message,
    text::{
        i18n::{Locale, Phrase},
        times,
    },
    tickets::HandOverStatus,
};

/// Hand-over with its ticket.
struct HandedTicket {
    hand_over: HandOverTold,
    ticket: TicketTold,
}

/// Writes the letter of a `message` about a hand-over; `None` where it is out of date.
pub(super) async fn tell(
    blank: Content,
    db: &Pool,
    id: Uuid,
    message: &Message,
) -> Result<Content, ComposeError> {
    let handed = read(db, id).await?;
    let told = match message {
        Message::HandOverOffered { .. } => Some(offered(blank, &handed, id)),
        Message::HandOverWaiting { .. } => waiting(blank, &handed),
        Message::HandOverEnded { .. } => ended(blank, &handed, id),
        Message::HandOverWithdrawn { .. } => Some(withdrawn(blank, &handed)),
        _ => return Err(ComposeError::UnknownMessage),
    };
    told.ok_or(ComposeError::Gone)
}

/// Reads a hand-over.
async fn read(db: &Pool, id: Uuid) -> Result<HandedTicket, ComposeError> {
    let hand_over = store::find_hand_over(db, id).await?.ok_or(ComposeError::Gone)?;
    let ticket = store::find_ticket(db, hand_over.ticket_id).await?.ok_or(ComposeError::Gone)?;
    Ok(HandedTicket { hand_over, ticket })
}

/// Tells the recipient of an offer.
fn offered(blank: Content, handed: &HandedTicket, id: Uuid) -> Content {
    let (locale, hand_over) = (blank.locale, &handed.hand_over);
    let zone = times::zone(&handed.ticket.time_zone);
    let from = (locale.text("mail-fact-from"), on_one_line(&hand_over.from));
    let until = times::in_full(hand_over.expires_at, zone, locale);
    let until = (locale.text("mail-fact-until"), until);
    Content {
        subject: locale.text("mail-handed-subject").to_string(),
        greeting: greeting(locale, hand_over.to.as_deref()),
        paragraphs: vec![locale.text("mail-handed-lede")],
        facts: [from].into_iter().chain(facts(locale, &handed.ticket)).chain([until]).collect(),
        action: Some((format!("{}/hand-overs/{id}", blank.site), locale.text("mail-offer-action"))),
        notes: vec![locale.text("mail-handed-note")],
        ..blank
    }
}

/// Tells an address without an account that a ticket waits for one; `None` if the offer is not pending
/// any more. Nothing that the sender typed is in it.
fn waiting(blank: Content, handed: &HandedTicket) -> Option<Content> {
    let (locale, hand_over) = (blank.locale, &handed.hand_over);
    let until = times::in_full(hand_over.expires_at, times::zone(&handed.ticket.time_zone), locale);
    let until = (locale.text("mail-fact-until"), until);
    let action =
        (format!("{}/signup?next=/tickets", blank.site), locale.text("mail-waiting-action"));
    (hand_over.status == HandOverStatus::Pending).then(|| Content {
        subject: locale.text("mail-handed-subject").to_string(),
        paragraphs: vec![blank.naming("mail-handed-waiting-lede")],
        facts: facts(locale, &handed.ticket).into_iter().chain([until]).collect(),
        action: Some(action),
        notes: vec![locale.text("mail-handed-note")],
        ..blank
    })
}

/// Tells the sender how a hand-over ended; `None` if it is pending, or ended by the sender.
fn ended(blank: Content, handed: &HandedTicket, id: Uuid) -> Option<Content> {
    let locale = blank.locale;
    let (subject, lede) = match handed.hand_over.status {
        HandOverStatus::Accepted => ("mail-hand-accepted-subject", "mail-hand-accepted-lede"),
        HandOverStatus::Declined => ("mail-hand-declined-subject", "mail-hand-declined-lede"),
        HandOverStatus::Expired => ("mail-hand-expired-subject", "mail-hand-expired-lede"),
        HandOverStatus::Voided => ("mail-hand-voided-subject", "mail-hand-voided-lede"),
        HandOverStatus::Pending | HandOverStatus::Cancelled | HandOverStatus::Admitted => {
            return None;
        }
    };
    // Only a recipient who accepted is named: a refusal would reveal who has the address.
    let to = handed.hand_over.to.as_deref();
    let to = to.filter(|_| handed.hand_over.status == HandOverStatus::Accepted);
    let to = to.map(|to| (locale.text("mail-fact-to"), on_one_line(to)));
    Some(Content {
        subject: locale.text(subject).to_string(),
        greeting: greeting(locale, Some(&handed.hand_over.from)),
        paragraphs: vec![locale.text(lede)],
        facts: facts(locale, &handed.ticket).into_iter().chain(to).collect(),
        action: Some((format!("{}/hand-overs/{id}", blank.site), locale.text("mail-hand-action"))),
        ..blank
    })
}

/// Tells the recipient of an offer that the ticket is not to be had any more.
fn withdrawn(blank: Content, handed: &HandedTicket) -> Content {
    let locale = blank.locale;
    let lede = match handed.hand_over.status {
        HandOverStatus::Admitted => "mail-hand-admitted-lede",
        _ => "mail-hand-voided-lede",
    };
    Content {
        subject: locale.text("mail-hand-withdrawn-subject").to_string(),
        greeting: match handed.hand_over.to.as_deref() {
            Some(name) => greeting(locale, Some(name)),
            None => blank.greeting,
        },
        paragraphs: vec![locale.text(lede)],
        facts: facts(locale, &handed.ticket),
        ..blank
    }
}

/// Tells the holder of a ticket who did not pay for it that it is void.
pub(super) async fn voided(blank: Content, db: &Pool, id: Uuid) -> Result<Content, ComposeError> {
    let ticket = store::find_ticket(db, id).await?.ok_or(ComposeError::Gone)?;
    let locale = blank.locale;
    Ok(Content {
        subject: locale.text("mail-ticket-voided-subject").to_string(),
        greeting: greeting(locale, Some(&ticket.holder)),
        paragraphs: vec![locale.text("mail-ticket-voided-lede")],
        facts: facts(locale, &ticket)
            .into_iter()
            .chain(words(locale, ticket.cancel_texts.as_deref()))
            .collect(),
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-paid-action"))),
        ..blank
    })
}

pub(super) fn greeting(locale: Locale, name: Option<&str>) -> Phrase {
    locale.text("mail-greeting").word("name", on_one_line(name.unwrap_or_default()))
}

/// Returns the facts about the ticket: the program, when, where and which seat.
pub(super) fn facts(locale: Locale, ticket: &TicketTold) -> Vec<(Phrase, String)> {
    let starts_at = times::in_full(ticket.starts_at, times::zone(&ticket.time_zone), locale);
    vec![
        (locale.text("mail-fact-program"), on_one_line(&ticket.title)),
        (locale.text("mail-fact-when"), starts_at),
        (locale.text("mail-fact-venue"), on_one_line(&ticket.venue)),
        (locale.text("mail-fact-seats"), place_name(locale, &ticket.place)),
    ]
}
