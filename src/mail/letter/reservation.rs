//! Letters about a reservation.

use uuid::Uuid;

use super::content::{Content, on_one_line, words};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{self, ReservedEvent, ReservedPlace},
    },
    outbox::Message,
    points::Points,
    text::{
        i18n::{Locale, Phrase},
        times,
    },
};

/// Reservation with its seats and places.
pub(super) struct Reserved {
    event: ReservedEvent,
    places: Vec<ReservedPlace>,
}

/// Reads a reservation.
pub(super) async fn read(db: &Pool, id: Uuid) -> Result<Reserved, ComposeError> {
    let event = store::find_event(db, id).await?.ok_or(ComposeError::Gone)?;
    Ok(Reserved { event, places: store::list_places(db, id).await? })
}

/// Writes the letter of a `message` about the payment of a reservation, or the end of a hold.
pub(super) fn tell(
    blank: Content,
    reserved: &Reserved,
    message: &Message,
) -> Result<Content, ComposeError> {
    Ok(match message {
        Message::ReservationPaid { .. } => paid(blank, reserved),
        Message::TicketsExchanged { tickets, worth, .. } => {
            exchanged(blank, reserved, (*tickets, *worth))
        }
        Message::ReturnGone { .. } => gone(blank, reserved),
        _ => return Err(ComposeError::UnknownMessage),
    })
}

fn paid(blank: Content, reserved: &Reserved) -> Content {
    let (locale, event) = (blank.locale, &reserved.event);
    let subject = locale.text("mail-paid-subject").word("title", &event.title);
    let total = (locale.text("mail-fact-total"), blank.price(event.total));
    Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", &event.name),
        paragraphs: vec![locale.text("mail-paid-lede")],
        facts: facts(locale, reserved)
            .into_iter()
            .chain(discount(&blank, event))
            .chain([total])
            .collect(),
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-paid-action"))),
        notes: vec![locale.text("mail-paid-note")],
        ..blank
    }
}

/// Tells the offer of a waiting list, and its end; `None` once the offer is accepted or over.
pub(super) fn offered(blank: Content, reserved: &Reserved, id: Uuid) -> Option<Content> {
    let (locale, event) = (blank.locale, &reserved.event);
    if !event.is_live_hold {
        return None;
    }
    let subject = locale.text("mail-offered-subject").word("title", &event.title);
    let until = times::in_full(event.expires_at, times::zone(&event.time_zone), locale);
    let terms = [
        (locale.text("mail-fact-total"), blank.price(event.total)),
        (locale.text("mail-fact-until"), until),
    ];
    Some(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", &event.name),
        paragraphs: vec![locale.text("mail-offered-lede")],
        facts: facts(locale, reserved).into_iter().chain(terms).collect(),
        action: Some((
            format!("{}/reservations/{id}", blank.site),
            locale.text("mail-offered-action"),
        )),
        notes: vec![locale.text("mail-offered-note")],
        ..blank
    })
}

/// Tells what tickets were worth that paid for a reservation.
fn exchanged(blank: Content, reserved: &Reserved, (tickets, worth): (usize, Points)) -> Content {
    let (locale, event) = (blank.locale, &reserved.event);
    let subject = locale.text("mail-exchanged-subject").word("title", &event.title);
    let worth = (locale.text("mail-fact-worth"), blank.price(worth));
    let total = (locale.text("mail-fact-total"), blank.price(event.total));
    Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", &event.name),
        paragraphs: vec![locale.text("mail-exchanged-lede").number("count", tickets)],
        facts: facts(locale, reserved).into_iter().chain([total, worth]).collect(),
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-paid-action"))),
        ..blank
    }
}

/// Tells that a hold has ended because a ticket on return is on sale no more.
fn gone(blank: Content, reserved: &Reserved) -> Content {
    let (locale, event) = (blank.locale, &reserved.event);
    let subject = locale.text("mail-return-gone-subject").word("title", &event.title);
    Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", &event.name),
        paragraphs: vec![locale.text("mail-return-gone-lede")],
        facts: facts(locale, reserved),
        action: Some((
            format!("{}/reservations", blank.site),
            locale.text("mail-return-gone-action"),
        )),
        ..blank
    }
}

/// Writes the letter of a `message` about a refund; `to_card` is the money of it that goes back to the card.
pub(super) fn given_back(
    blank: Content,
    reserved: &Reserved,
    message: &Message,
    to_card: Option<String>,
) -> Result<Content, ComposeError> {
    match message {
        Message::ReservationRefunded { refunded, .. } => {
            Ok(self::refunded(blank, reserved, *refunded, to_card))
        }
        Message::ProgramCancelled { refunded, .. } => {
            Ok(cancelled(blank, reserved, *refunded, to_card))
        }
        _ => Err(ComposeError::UnknownMessage),
    }
}

/// Tells the points that a refund returned, and the money of them that goes back to the card; `None` without.
fn refunded(
    blank: Content,
    reserved: &Reserved,
    refunded: Points,
    to_card: Option<String>,
) -> Content {
    let (locale, event) = (blank.locale, &reserved.event);
    let subject = locale.text("mail-refunded-subject").word("title", &event.title);
    let refunded = (locale.text("mail-fact-refunded"), blank.price(refunded));
    let lede = match to_card {
        Some(_) => "mail-refunded-card-lede",
        None => "mail-refunded-lede",
    };
    let to_card = to_card.map(|money| (locale.text("mail-fact-to-card"), money));
    Content {
        subject: on_one_line(&subject.to_string()),
        greeting: locale.text("mail-greeting").word("name", &event.name),
        paragraphs: vec![locale.text(lede)],
        facts: facts(locale, reserved).into_iter().chain([refunded]).chain(to_card).collect(),
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    }
}

/// Tells that the program, or the performance alone, was cancelled; also to people who were checked
/// in already.
fn cancelled(
    blank: Content,
    reserved: &Reserved,
    refunded: Points,
    to_card: Option<String>,
) -> Content {
    let (locale, event) = (blank.locale, &reserved.event);
    let subject = match event.is_one_date {
        true => "mail-cancelled-date-subject",
        false => "mail-cancelled-subject",
    };
    let ledes = match (&to_card, event.is_one_date) {
        (None, true) => vec!["mail-cancelled-date-lede"],
        (None, false) => vec!["mail-cancelled-lede"],
        (Some(_), true) => vec!["mail-cancelled-date-card-lede", "mail-cancelled-card-note"],
        (Some(_), false) => vec!["mail-cancelled-card-lede", "mail-cancelled-card-note"],
    };
    let subject = locale.text(subject).word("title", &event.title);
    let refunded = self::refunded(blank, reserved, refunded, to_card);
    let words = words(locale, event.cancel_texts.as_deref());
    Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: ledes.into_iter().map(|lede| locale.text(lede)).collect(),
        facts: refunded.facts.into_iter().chain(words).collect(),
        notes: vec![locale.text("mail-cancelled-note")],
        ..refunded
    }
}

/// Returns the facts about a reservation: the program, when, where and which seats.
fn facts(locale: Locale, reserved: &Reserved) -> Vec<(Phrase, String)> {
    let event = &reserved.event;
    let in_full = |moment| times::in_full(moment, times::zone(&event.time_zone), locale);
    let was = event.moved_from.map(|was| (locale.text("mail-fact-was"), in_full(was)));
    let names: Vec<String> =
        reserved.places.iter().map(|place| place_name(locale, place)).collect();
    let when = [
        (locale.text("mail-fact-program"), on_one_line(&event.title)),
        (locale.text("mail-fact-when"), in_full(event.starts_at)),
    ];
    let place = [
        (locale.text("mail-fact-venue"), on_one_line(&event.venue)),
        (locale.text("mail-fact-seats"), names.join(" / ")),
    ];
    when.into_iter().chain(was).chain(place).collect()
}

/// Returns the discount of the code; `None` without one.
fn discount(blank: &Content, event: &ReservedEvent) -> Option<(Phrase, String)> {
    let code = event.code.as_ref()?;
    let name = blank.locale.text("reservation-code").word("code", code);
    Some((name, format!("−{}", blank.price(event.discount))))
}

/// Returns the name of a seat, or of a zone with its number of places, with the price type.
pub(super) fn place_name(locale: Locale, place: &ReservedPlace) -> String {
    let name = match (&place.section, &place.row_label, place.number) {
        (Some(section), Some(row), Some(number)) => locale
            .text("seat-name-full")
            .word("section", section)
            .word("row", row)
            .word("number", number),
        _ => locale
            .text("mail-places")
            .word("zone", place.zone.as_deref().unwrap_or_default())
            .number("count", place.quantity),
    };
    match &place.price_type {
        Some(price_type) => format!("{name} ({})", on_one_line(price_type)),
        None => name.to_string(),
    }
}
