//! Tickets as a PDF file, one page a ticket, or four on a page.
//!
//! A **sheet** is the print of one ticket: the texts of its page on the site, with the code in
//! letters and as the same QR code. The **paper** holds one of them, or four to be cut apart.
//! **Typesetting** breaks the texts into lines, takes each character from the first **typeface**
//! that has it, and draws a box for characters that no typeface has.
//!
//! # Invariants
//!
//! * Only valid tickets have a page.
//! * No text drops a ticket or leaves its field: long ones shrink, wrap and end with an ellipsis.
//! * Letters are text with their Unicode values, in subsets of the embedded fonts.
//! * The same tickets give the same bytes: a file contains no time of its making.
//!
//! # Concurrency
//!
//! Rendering a file keeps one processor busy, on a blocking thread: at most [`FILES_AT_ONCE`] files
//! at a time in a process. A caller that waits longer than [`WAIT_MAX`] for a permit is refused.

mod line;
mod paper;
pub(crate) mod pen;
mod sheet;
mod typeface;
pub(crate) mod typesetting;

use std::time::Duration;

use krilla::{Document, metadata::Metadata};
use tokio::sync::Semaphore;

pub(crate) use self::paper::Paper;
use self::{
    sheet::{Fact, Sheet},
    typesetting::Faces,
};
use super::{
    error::PdfError,
    model::{Ticket, TicketCode, TicketStatus},
};
use crate::{
    reservation::ReservationNumber,
    text::{
        i18n::Locale,
        prices::PriceUnit,
        times::{in_full, zone},
    },
};

/// Name of the file.
pub(crate) const FILE_NAME: &str = "tickets.pdf";
/// Number of files rendered at the same time in a process.
const FILES_AT_ONCE: usize = 2;
/// Longest wait for a permit to render a file.
const WAIT_MAX: Duration = Duration::from_secs(1);

static TURNS: Semaphore = Semaphore::const_new(FILES_AT_ONCE);

/// What a file says of its office, and how.
#[derive(Clone, Copy)]
pub(crate) struct Issuer<'a> {
    /// Name of the office.
    pub(crate) office: &'a str,
    /// Language of the file.
    pub(crate) locale: Locale,
    /// Unit of prices, points or money.
    pub(crate) prices: PriceUnit,
}

/// Returns a file of the valid tickets among `tickets`, which belong to one reservation and are in
/// the order of issue, or only of the ticket with `code`; `None` if there is no such ticket.
pub(crate) async fn make(
    tickets: &[Ticket],
    code: Option<&TicketCode>,
    paper: Paper,
    issuer: Issuer<'_>,
) -> Result<Option<Vec<u8>>, PdfError> {
    let locale = issuer.locale;
    let sheets: Vec<Sheet> = tickets
        .iter()
        .enumerate()
        .filter(|(_, ticket)| ticket.status == TicketStatus::Valid)
        .filter(|(_, ticket)| code.is_none_or(|code| *code == ticket.code))
        .map(|(idx, ticket)| sheet_of(ticket, issuer, (idx + 1, tickets.len())))
        .collect();
    if sheets.is_empty() {
        return Ok(None);
    }
    rendered(move || render(&sheets, paper, locale)).await.map(Some)
}

/// Returns the file that `render` makes on a blocking thread, of which a few run at a time.
pub(crate) async fn rendered(
    render: impl FnOnce() -> Option<Vec<u8>> + Send + 'static,
) -> Result<Vec<u8>, PdfError> {
    let Ok(Ok(turn)) = tokio::time::timeout(WAIT_MAX, TURNS.acquire()).await else {
        return Err(PdfError::Busy);
    };
    let made = tokio::task::spawn_blocking(move || {
        // The permit is kept until the work ends, even if the request was cancelled meanwhile.
        let _turn = turn;
        render()
    });
    made.await.ok().flatten().ok_or(PdfError::Failed)
}

fn sheet_of(
    ticket: &Ticket,
    Issuer { office, locale, prices }: Issuer<'_>,
    (index, total): (usize, usize),
) -> Sheet {
    let text = |key: &'static str| locale.text(key).to_string();
    let price = prices.say(locale, ticket.price);
    // The type stands before the price: the door compares it with the person.
    let price = match ticket.price_names(locale) {
        names if names.is_empty() => price,
        names => format!("{names} \u{b7} {price}"),
    };
    let position = locale.text("ticket-of").number("index", index).number("total", total);
    let reservation = locale
        .text("reservation-number")
        .word("number", ReservationNumber::from(ticket.reservation_id));
    Sheet {
        office: office.to_owned(),
        title: ticket.title.clone(),
        when: when_of(ticket, locale),
        moved: ticket.notes(locale).join(" "),
        venue: ticket.venue.clone(),
        address: ticket.address.trim().to_owned(),
        seat: Fact { name: text("ticket-seat"), value: ticket.place(locale) },
        holder: Fact { name: text("ticket-holder"), value: ticket.holder.clone() },
        price: Fact { name: text("ticket-price"), value: price },
        what_to_bring: ticket.what_to_bring().unwrap_or_default().to_owned(),
        position: position.to_string(),
        note: text("ticket-pdf-note"),
        reservation: reservation.to_string(),
        code: ticket.code.to_string(),
        grouped_code: ticket.code.grouped(),
    }
}

/// Returns when the performance begins, and when its doors open, if that is said.
fn when_of(ticket: &Ticket, locale: Locale) -> String {
    let when = in_full(ticket.starts_at, zone(&ticket.time_zone), locale);
    match ticket.doors_open() {
        Some(doors) => {
            locale.text("ticket-when-doors").word("when", when).word("doors", doors).to_string()
        }
        None => when,
    }
}

/// Draws the pages; `None` if a page or its code cannot be drawn.
fn render(sheets: &[Sheet], paper: Paper, locale: Locale) -> Option<Vec<u8>> {
    let faces = Faces::embedded()?;
    let mut document = Document::new();
    paper.draw(&mut document, faces, sheets)?;
    let title = sheets.first().map(|sheet| sheet.title.clone()).unwrap_or_default();
    finished(document, title, locale)
}

/// Returns the bytes of a document with its title and language.
pub(crate) fn finished(mut document: Document, title: String, locale: Locale) -> Option<Vec<u8>> {
    let metadata = Metadata::new().title(title).language(locale.tag().to_owned());
    document.set_metadata(metadata.creator("Stagedoor".to_owned()));
    document.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(text: &str) -> Sheet {
        let fact = || Fact { name: text.to_owned(), value: text.to_owned() };
        Sheet {
            office: text.to_owned(),
            title: text.to_owned(),
            when: "Sat 1 Jan 2033, 19:30 KST".to_owned(),
            moved: String::new(),
            venue: text.to_owned(),
            address: text.to_owned(),
            seat: fact(),
            holder: fact(),
            price: fact(),
            what_to_bring: text.to_owned(),
            position: "Ticket 1 of 2".to_owned(),
            note: "Show this code at the door".to_owned(),
            reservation: "Reservation 0123456789ab".to_owned(),
            code: "AAAABBBBCCCCDDDDEEEEFFFFGG".to_owned(),
            grouped_code: "AAAA BBBB CCCC DDDD EEEE FFFF GG".to_owned(),
        }
    }

    #[test]
    fn the_same_tickets_give_the_same_bytes() {
        let sheets = [sheet("겨울밤의 소나타"), sheet("冬の夜 Sonatas 🎻")];
        let first = render(&sheets, Paper::OneTicket, Locale::default()).unwrap();
        assert_eq!(first, render(&sheets, Paper::OneTicket, Locale::default()).unwrap());
        assert!(first.starts_with(b"%PDF-"));
    }

    #[test]
    fn no_text_keeps_a_page_from_being_drawn() {
        let odd = ["", " ", "\r\n\0", "🎻", "\u{202e}\u{5d0}\u{5d1}", "e\u{301}\u{301}\u{301}"];
        for text in odd.map(str::to_owned).into_iter().chain(["가".repeat(2_000), "i ".repeat(900)])
        {
            for paper in [Paper::OneTicket, Paper::FourTickets] {
                let drawn = render(&[sheet(&text)], paper, Locale::default());
                assert!(drawn.is_some(), "{text:?}");
            }
        }
    }
}
