//! Calendar entry (RFC 5545) of a ticket, or of all tickets of a reservation.

use std::num::NonZeroU32;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::model::{Ticket, TicketStatus};
use crate::{config::Config, office::model::OfficeSettings, text::i18n::Locale};

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
    /// Sentences about what was agreed and is otherwise now.
    notes: Vec<String>,
    url: String,
    is_cancelled: bool,
    /// Revision of the entry: of two with one id, the later one has the larger number, or the same.
    sequence: i64,
    changed_at: DateTime<Utc>,
    /// Name and e-mail address of the office; `None` without an address.
    organizer: Option<(String, String)>,
    alarm_before_mins: NonZeroU32,
}

impl CalendarEntry {
    /// Returns the entry of one ticket.
    pub(super) fn of_ticket(
        (config, office): (&Config, &OfficeSettings),
        ticket: &Ticket,
        locale: Locale,
    ) -> Self {
        let address = ticket.address.trim();
        let location = match address.is_empty() {
            true => ticket.venue.clone(),
            false => format!("{}, {address}", ticket.venue),
        };
        let site = config.site_url();
        Self {
            id: ticket.id.0,
            starts_at: ticket.starts_at,
            ends_at: ticket
                .running_mins
                .map(|minutes| ticket.starts_at + TimeDelta::minutes(minutes.into())),
            title: ticket.title.clone(),
            location,
            seats: ticket.place(locale),
            notes: ticket.notes(locale),
            // Only its owner can open a reservation.
            url: match ticket.is_handed_over() {
                true => format!("{site}/tickets"),
                false => format!("{site}/reservations/{}", ticket.reservation_id),
            },
            is_cancelled: ticket.status == TicketStatus::Void || ticket.is_cancelled,
            sequence: ticket.revision,
            changed_at: ticket.changed_at,
            organizer: organizer_of(config, office),
            alarm_before_mins: ticket
                .doors_before_mins
                .and_then(|minutes| u32::try_from(minutes).ok())
                .and_then(NonZeroU32::new)
                .unwrap_or(config.door_opens_before_mins),
        }
    }

    /// Returns the entry of a reservation with `tickets` of one account, without the void ones; a cancelled entry where
    /// all are void, and `None` without tickets.
    pub(super) fn of_reservation(
        of: (&Config, &OfficeSettings),
        tickets: &[Ticket],
        locale: Locale,
    ) -> Option<Self> {
        let is_void = |ticket: &&Ticket| ticket.status == TicketStatus::Void;
        let are_void = tickets.iter().all(|ticket| is_void(&ticket));
        let shown: Vec<&Ticket> =
            tickets.iter().filter(|ticket| are_void || !is_void(ticket)).collect();
        let first = shown.first()?;
        let seats: Vec<String> = shown.iter().map(|ticket| ticket.place(locale)).collect();
        let mut entry = Self::of_ticket(of, first, locale);
        let notes = shown.iter().flat_map(|ticket| ticket.notes(locale));
        entry.notes.clear();
        for note in notes {
            if !entry.notes.contains(&note) {
                entry.notes.push(note);
            }
        }
        Some(Self { id: first.reservation_id.0, seats: seats.join("\n"), ..entry })
    }

    /// Returns the file of this entry, stamped `now`.
    pub(super) fn file(&self, now: DateTime<Utc>) -> String {
        file_of(std::slice::from_ref(self), now)
    }

    /// Returns the seats, and below them what has changed.
    fn description(&self) -> String {
        let seats = std::iter::once(self.seats.as_str());
        let notes = self.notes.iter().map(String::as_str);
        seats.chain(notes).collect::<Vec<_>>().join("\n")
    }

    /// Returns the lines of the entry. `now` is its time stamp; the alarm rings when the door opens.
    fn lines(&self, now: DateTime<Utc>) -> Vec<String> {
        let moment = |moment: DateTime<Utc>| moment.format("%Y%m%dT%H%M%SZ").to_string();
        let status = if self.is_cancelled { "CANCELLED" } else { "CONFIRMED" };
        let end = self.ends_at.map(|ends_at| format!("DTEND:{}", moment(ends_at)));
        let organizer = self.organizer.as_ref().map(|(name, email)| {
            format!("ORGANIZER;CN=\"{}\":mailto:{}", quoted(name), quoted(email))
        });
        let head = [
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}@stagedoor", self.id),
            format!("DTSTAMP:{}", moment(now)),
            format!("LAST-MODIFIED:{}", moment(self.changed_at)),
            format!("SEQUENCE:{}", self.sequence),
            format!("DTSTART:{}", moment(self.starts_at)),
        ];
        let body = [
            format!("SUMMARY:{}", escaped(&self.title)),
            format!("LOCATION:{}", escaped(&self.location)),
            format!("DESCRIPTION:{}", escaped(&self.description())),
            format!("URL:{}", self.url),
            format!("STATUS:{status}"),
            "BEGIN:VALARM".to_owned(),
            "ACTION:DISPLAY".to_owned(),
            format!("DESCRIPTION:{}", escaped(&self.title)),
            format!("TRIGGER:-PT{}M", self.alarm_before_mins),
            "END:VALARM".to_owned(),
            "END:VEVENT".to_owned(),
        ];
        head.into_iter().chain(end).chain(organizer).chain(body).collect()
    }
}

/// Returns the name of the office with its own address, or else the one that its mails come from; `None` without both.
fn organizer_of(config: &Config, office: &OfficeSettings) -> Option<(String, String)> {
    let own = Some(office.texts.email.clone()).filter(|email| !email.is_empty());
    let email = own.or_else(|| config.mail_from.as_ref().map(|from| from.email.to_string()))?;
    Some((office.name().to_owned(), email))
}

/// Returns the file of `entries`, stamped `now`.
pub(super) fn file_of(entries: &[CalendarEntry], now: DateTime<Utc>) -> String {
    let begin =
        ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Stagedoor//Tickets//EN", "METHOD:PUBLISH"];
    let begin = begin.iter().map(|line| folded(line));
    let events = entries.iter().flat_map(|entry| entry.lines(now)).map(|line| folded(&line));
    begin.chain(events).chain([folded("END:VCALENDAR")]).collect()
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

/// Returns the value of a quoted parameter, or of an address, without what would end it (section 3.2).
fn quoted(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() && *letter != '"').collect()
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
    use crate::{accounts::AccountId, office::model::OfficeTexts, tickets::model::tests::ticket};

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

    #[test]
    fn a_line_is_as_long_as_it_may_be_with_the_blank_that_continues_it() {
        let lengths = |octets: usize| {
            let folded = folded(&"a".repeat(octets));
            folded.lines().map(str::len).collect::<Vec<_>>()
        };
        assert_eq!(lengths(75), [75]);
        assert_eq!(lengths(76), [75, 2]);
        assert_eq!(lengths(75 + 74 + 1), [75, 75, 2]);
    }

    /// Returns the settings of an office whose name would break out of its quotes.
    fn office() -> OfficeSettings {
        let (name, email) = ("The \"Opera\"\n".to_owned(), "hall@example.com".to_owned());
        let texts = OfficeTexts { name, email, ..OfficeTexts::default() };
        OfficeSettings { texts, ..OfficeSettings::default() }
    }

    /// Returns the lines of the file of an entry, not folded.
    fn lines(entry: &CalendarEntry) -> Vec<String> {
        let file = entry.file(DateTime::UNIX_EPOCH).replace("\r\n ", "");
        file.lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_entry_says_what_is_on_when_and_where_and_leads_to_the_reservation() {
        let (config, ticket) = (Config::of_servers(), ticket());
        let entry = CalendarEntry::of_ticket((&config, &office()), &ticket, Locale::default());
        let lines = lines(&entry);
        for line in [
            &format!("UID:{}@stagedoor", ticket.id),
            "DTSTAMP:19700101T000000Z",
            "DTSTART:20260701T100000Z",
            "LAST-MODIFIED:20260621T000000Z",
            "SEQUENCE:3",
            "ORGANIZER;CN=\"The Opera\":mailto:hall@example.com",
            "DTEND:20260701T123000Z",
            "SUMMARY:Gala",
            "LOCATION:Opera\\, 1 Main Street",
            "DESCRIPTION:Stalls\\, row A\\, seat 7",
            &format!("URL:http://127.0.0.1:8080/reservations/{}", ticket.reservation_id),
            "STATUS:CONFIRMED",
            "TRIGGER:-PT60M",
        ] {
            assert!(lines.iter().any(|each| each == line), "{line} is not in {lines:?}");
        }
    }

    #[test]
    fn an_entry_of_a_void_ticket_cancels_and_a_friends_leads_to_the_tickets() {
        let friend = AccountId(Uuid::from_u128(9));
        let (status, account_id) = (TicketStatus::Void, friend);
        let address = " ".to_owned();
        let ticket = Ticket { status, account_id, address, running_mins: None, ..ticket() };
        let entry = CalendarEntry::of_ticket(
            (&Config::of_servers(), &office()),
            &ticket,
            Locale::default(),
        );
        let lines = lines(&entry);
        for line in ["STATUS:CANCELLED", "URL:http://127.0.0.1:8080/tickets", "LOCATION:Opera"] {
            assert!(lines.iter().any(|each| each == line), "{line} is not in {lines:?}");
        }
        assert!(!lines.iter().any(|line| line.starts_with("DTEND")), "no end is known: {lines:?}");
    }

    #[test]
    fn the_tickets_of_a_reservation_are_one_entry_with_every_seat() {
        let entry = |tickets: &[Ticket]| {
            let of = (&Config::of_servers(), &office());
            CalendarEntry::of_reservation(of, tickets, Locale::default())
        };
        let tickets = [7, 8].map(|number| Ticket { number: Some(number), ..ticket() });
        let lines = lines(&entry(&tickets).unwrap());
        let seats = "DESCRIPTION:Stalls\\, row A\\, seat 7\\nStalls\\, row A\\, seat 8";
        assert!(lines.iter().any(|line| line == seats), "{lines:?}");
        let uid = format!("UID:{}@stagedoor", tickets[0].reservation_id);
        assert!(lines.contains(&uid), "{lines:?}");
        assert!(entry(&[]).is_none());
    }
}
