//! Calendar entry (RFC 5545) of a ticket.

use chrono::{DateTime, Utc};

use super::model::{Ticket, TicketStatus};

/// Maximum length of a line in octets, without its end (section 3.1).
const LINE_OCTETS_MAX: usize = 75;

/// Returns the file for one ticket. `place` is its seat in words; `now` is the time stamp. The file
/// does not contain the code, because calendars are shared.
pub(crate) fn calendar(ticket: &Ticket, place: &str, now: DateTime<Utc>) -> String {
    let moment = |moment: DateTime<Utc>| moment.format("%Y%m%dT%H%M%SZ").to_string();
    let status = match ticket.status {
        TicketStatus::Void => "CANCELLED",
        TicketStatus::Valid | TicketStatus::Used => "CONFIRMED",
    };
    let lines = [
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Stagedoor//Tickets//EN".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}@stagedoor", ticket.id.0),
        format!("DTSTAMP:{}", moment(now)),
        format!("DTSTART:{}", moment(ticket.starts_at)),
        format!("SUMMARY:{}", escaped(&ticket.title)),
        format!("LOCATION:{}", escaped(&ticket.venue)),
        format!("DESCRIPTION:{}", escaped(place)),
        format!("STATUS:{status}"),
        "END:VEVENT".to_owned(),
        "END:VCALENDAR".to_owned(),
    ];
    lines.iter().map(|line| folded(line)).collect()
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
