//! Calendar entry (RFC 5545) of a ticket, or of all tickets of a reservation.

use std::num::NonZeroU32;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::model::{Ticket, TicketStatus};
use crate::{app::App, text::i18n::Locale};

/// Maximum length of a line in octets, without its end (section 3.1).
const LINE_OCTETS_MAX: usize = 75;

/// Entry of a calendar. It does not contain a ticket's code, because calendars are shared.
#[derive(Clone, Debug)]
pub(super) struct CalendarEntry {
    id: Uuid,
    starts_at: DateTime<Utc>,
    /// End; `None` if it is not known.
    ends_at: Option<DateTime<Utc>>,
    title: String,
    location: String,
    seats: String,
    url: String,
    is_cancelled: bool,
    alarm_before_mins: NonZeroU32,
}

impl CalendarEntry {
    /// Returns the entry of one ticket.
    pub(super) fn of_ticket(app: &App, ticket: &Ticket, locale: Locale) -> Self {
        let address = ticket.address.trim();
        let location = match address.is_empty() {
            true => ticket.venue.clone(),
            false => format!("{}, {address}", ticket.venue),
        };
        let site = app.config.site_url();
        Self {
            id: ticket.id.0,
            starts_at: ticket.starts_at,
            ends_at: ticket
                .running_mins
                .map(|minutes| ticket.starts_at + TimeDelta::minutes(minutes.into())),
            title: ticket.title.clone(),
            location,
            seats: ticket.place(locale),
            // Only its owner can open a reservation.
            url: match ticket.is_handed_over() {
                true => format!("{site}/tickets"),
                false => format!("{site}/reservations/{}", ticket.reservation_id),
            },
            is_cancelled: ticket.status == TicketStatus::Void,
            alarm_before_mins: app.config.door_opens_before_mins,
        }
    }

    /// Returns the entry of a reservation with `tickets`; `None` without one.
    pub(super) fn of_reservation(app: &App, tickets: &[Ticket], locale: Locale) -> Option<Self> {
        let first = tickets.first()?;
        let seats: Vec<String> = tickets.iter().map(|ticket| ticket.place(locale)).collect();
        let entry = Self::of_ticket(app, first, locale);
        Some(Self { id: first.reservation_id.0, seats: seats.join("\n"), ..entry })
    }

    /// Returns the file. `now` is its time stamp; the alarm rings when the door opens.
    pub(super) fn file(&self, now: DateTime<Utc>) -> String {
        let moment = |moment: DateTime<Utc>| moment.format("%Y%m%dT%H%M%SZ").to_string();
        let status = if self.is_cancelled { "CANCELLED" } else { "CONFIRMED" };
        let end = self.ends_at.map(|ends_at| format!("DTEND:{}", moment(ends_at)));
        let head = [
            "BEGIN:VCALENDAR".to_owned(),
            "VERSION:2.0".to_owned(),
            "PRODID:-//Stagedoor//Tickets//EN".to_owned(),
            "METHOD:PUBLISH".to_owned(),
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}@stagedoor", self.id),
            format!("DTSTAMP:{}", moment(now)),
            format!("DTSTART:{}", moment(self.starts_at)),
        ];
        let body = [
            format!("SUMMARY:{}", escaped(&self.title)),
            format!("LOCATION:{}", escaped(&self.location)),
            format!("DESCRIPTION:{}", escaped(&self.seats)),
            format!("URL:{}", self.url),
            format!("STATUS:{status}"),
            "BEGIN:VALARM".to_owned(),
            "ACTION:DISPLAY".to_owned(),
            format!("DESCRIPTION:{}", escaped(&self.title)),
            format!("TRIGGER:-PT{}M", self.alarm_before_mins),
            "END:VALARM".to_owned(),
            "END:VEVENT".to_owned(),
            "END:VCALENDAR".to_owned(),
        ];
        head.iter().chain(&end).chain(&body).map(|line| folded(line)).collect()
    }
}

/// Escapes text (section 3.3.11).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | ';' | ',' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            letter if letter.is_control() => (),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Folds a line after at most `LINE_OCTETS_MAX` octets, never inside a character (section 3.1).
fn folded(line: &str) -> String {
    let mut folded = String::with_capacity(line.len() + 2);
    let mut octets = 0;
    for letter in line.chars() {
        if octets + letter.len_utf8() > LINE_OCTETS_MAX {
            folded.push_str("\r\n ");
            octets = 1;
        }
        folded.push(letter);
        octets += letter.len_utf8();
    }
    folded.push_str("\r\n");
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_title_breaks_out_of_its_line() {
        assert_eq!(escaped("a;b,c\\d\nBEGIN:VEVENT\r"), "a\\;b\\,c\\\\d\\nBEGIN:VEVENT");
    }

    #[test]
    fn long_lines_are_folded_between_letters() {
        let line = format!("SUMMARY:{}", "가".repeat(60));
        let folded = folded(&line);
        for piece in folded.trim_end().split("\r\n") {
            assert!(piece.len() <= LINE_OCTETS_MAX, "{piece}");
        }
        assert_eq!(folded.replace("\r\n ", ""), format!("{line}\r\n"));
    }
}
