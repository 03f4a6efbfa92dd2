//! Types of tickets and their codes.

use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{SeatKind, ToldNote},
    infra::ids::ids,
    points::Points,
    reservation::{ReservationId, ReservationItemId},
    text::{
        i18n::Locale,
        times::{self, time_of_day, zone},
    },
};

ids! {
    /// Id of a ticket, for internal use; holders see the code instead.
    pub TicketId(Uuid),
}

/// Code of a ticket: 128 random bits in base32 (RFC 4648, section 6) without padding. Upper-case
/// letters and digits make the smallest QR code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct TicketCode(String);

/// Error for text that is not a ticket code.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("this is no ticket code")]
pub struct NoTicketCode;

impl TicketCode {
    const BITS_PER_LETTER: u32 = 5;
    const LETTERS: usize = 26;

    /// Whether each of `codes` is named once.
    pub fn are_distinct(codes: &[Self]) -> bool {
        let mut texts: Vec<&str> = codes.iter().map(Self::as_str).collect();
        texts.sort_unstable();
        texts.windows(2).all(|pair| matches!(pair, [left, right] if left != right))
    }

    /// Generates a random code that cannot be guessed.
    pub fn generate() -> Self {
        Self::of(rand::random())
    }

    fn of(bits: u128) -> Self {
        // 26 letters hold 130 bits, so that the last letter ends in two zero bits.
        let first_shift = u128::BITS - Self::BITS_PER_LETTER;
        let letters = (0..u128::BITS).step_by(5).map(|taken| {
            let five = match first_shift.checked_sub(taken) {
                Some(shift) => bits >> shift,
                None => bits << (taken - first_shift),
            };
            match u8::try_from(five & 31).unwrap_or_default() {
                letter @ 0..26 => char::from(b'A' + letter),
                digit => char::from(b'2' + (digit - 26)),
            }
        });
        Self(letters.collect())
    }

    /// Returns the code as the database and the QR code contain it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the code in groups of four letters.
    pub fn grouped(&self) -> String {
        const GROUP: usize = 4;
        let letters: Vec<char> = self.0.chars().collect();
        let groups: Vec<String> =
            letters.chunks(GROUP).map(|group| group.iter().collect()).collect();
        groups.join(" ")
    }
}

impl fmt::Display for TicketCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TicketCode {
    type Err = NoTicketCode;

    /// Parses a typed code, in any case and with white space.
    fn from_str(text: &str) -> Result<Self, NoTicketCode> {
        let letters = text.chars().filter(|letter| !letter.is_whitespace());
        let code: String = letters.map(|letter| letter.to_ascii_uppercase()).collect();
        let is_code = code.len() == Self::LETTERS
            && code.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
        if is_code { Ok(Self(code)) } else { Err(NoTicketCode) }
    }
}

/// State of a ticket; its name is lower case in stylesheets.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    JsonSchema,
)]
#[strum(serialize_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TicketStatus {
    /// Not used; admits its holder.
    Valid,
    /// Used at a check-in.
    Used,
    /// Refunded, resold, or held by a deleted account; does not admit.
    Void,
}

impl TicketStatus {
    /// Returns the locale key of its name.
    pub fn text_key(self) -> String {
        format!("ticket-status-{}", self.as_ref())
    }
}

/// Ticket to be written.
#[derive(Clone, Debug)]
pub struct Issued {
    /// Item of the reservation that the ticket belongs to.
    pub item_id: ReservationItemId,
    /// Account that the ticket is issued to.
    pub account_id: AccountId,
    /// Number of the ticket within its item, from 1.
    pub number: i32,
    /// Number of tickets of the item.
    pub quantity: i32,
    /// Code of the ticket.
    pub code: TicketCode,
}

/// Ticket with everything that is printed on it.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub id: TicketId,
    /// Holder of the ticket: the account that paid for it, or the recipient of its last hand-over.
    pub account_id: AccountId,
    pub code: TicketCode,
    pub status: TicketStatus,
    pub used_at: Option<DateTime<Utc>>,
    pub reservation_id: ReservationId,
    /// Account that owns the reservation.
    pub owner_id: AccountId,
    /// Name of the holder's account.
    pub holder: String,
    /// Whether a hand-over of the ticket is pending.
    pub is_offered: bool,
    /// Whether the ticket is on sale again, and not sold yet.
    pub is_on_return: bool,
    pub slug: String,
    pub title: String,
    /// Number of the program in order of making.
    pub poster_number: i32,
    /// Length of the performance, in minutes; `None`: not known.
    pub running_mins: Option<i32>,
    /// Time before the start at which the doors open, in minutes; `None`: not said.
    pub doors_before_mins: Option<i32>,
    pub starts_at: DateTime<Utc>,
    /// Start that was agreed at the reservation, where the performance begins at another time now.
    pub moved_from: Option<DateTime<Utc>>,
    /// What else was agreed at the reservation and is called otherwise now.
    pub changes: Json<Vec<ToldNote>>,
    /// Whether the program or the performance was cancelled.
    pub is_cancelled: bool,
    /// Number that rises with every change of what the tickets of its order say, and of whose they are.
    pub revision: i64,
    /// Time of the last of these changes, of a cancellation too.
    pub changed_at: DateTime<Utc>,
    pub venue: String,
    /// Address of the venue; empty if it is not known.
    pub address: String,
    pub time_zone: String,
    /// Section, row and number of a seat, or the zone.
    pub section: Option<String>,
    pub row_label: Option<String>,
    pub number: Option<i32>,
    /// Kind of the seat; `None` for an ordinary one, and for a place of a zone.
    pub kind: Option<SeatKind>,
    pub zone: Option<String>,
    /// Price category of the seat; `None` for a seat without one, and for a place of a zone.
    pub category: Option<String>,
    pub price: Points,
    /// Name of its price type, and its note about what to bring, which may be empty; `None` at the
    /// ordinary price.
    pub price_type: Option<String>,
    pub price_type_note: Option<String>,
}

impl Ticket {
    /// Returns the sentences about what was agreed at the reservation and is otherwise now.
    pub fn notes(&self, locale: Locale) -> Vec<String> {
        let zone = zone(&self.time_zone);
        let moved = self.moved_from.map(|was| {
            let when = times::in_full(was, zone, locale);
            locale.text("moved-from").word("when", when).to_string()
        });
        let changed = self.changes.iter().map(|note| note.sentence(locale).to_string());
        moved.into_iter().chain(changed).collect()
    }

    /// Returns the name of the seat, with its kind, or of the zone.
    pub fn place(&self, locale: Locale) -> String {
        let name = match (&self.section, &self.row_label, self.number) {
            (Some(section), Some(row), Some(number)) => locale
                .text("seat-name-full")
                .word("section", section)
                .word("row", row)
                .word("number", number),
            _ => locale
                .text("reservation-standing")
                .word("zone", self.zone.as_deref().unwrap_or_default()),
        };
        self.kind.unwrap_or_default().with_name(name, locale)
    }

    /// Returns when the doors open, on the clock of the venue; `None`: not said.
    pub fn doors_open(&self) -> Option<String> {
        let before = TimeDelta::minutes(self.doors_before_mins?.into());
        Some(time_of_day(self.starts_at - before, zone(&self.time_zone)))
    }

    /// Returns the names of its price category and its price type; empty if it has neither.
    pub(crate) fn price_names(&self, locale: Locale) -> String {
        let category = self.category.as_deref();
        let category =
            category.map(|name| locale.text("seat-category").word("name", name).to_string());
        let named = [category, self.price_type.clone()];
        named.into_iter().flatten().collect::<Vec<_>>().join(" \u{b7} ")
    }

    /// Returns what to bring for the price type; `None` without one, or if its note is empty.
    pub fn what_to_bring(&self) -> Option<&str> {
        self.price_type_note.as_deref().filter(|note| !note.is_empty())
    }

    /// Whether the holder is another account than the owner of the reservation.
    pub fn is_handed_over(&self) -> bool {
        self.account_id != self.owner_id
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the ticket of a seat, held by the owner of its reservation.
    pub(in crate::tickets) fn ticket() -> Ticket {
        let owner_id = AccountId(Uuid::from_u128(1));
        Ticket {
            id: TicketId(Uuid::from_u128(2)),
            account_id: owner_id,
            code: TicketCode::of(0),
            status: TicketStatus::Valid,
            used_at: None,
            reservation_id: ReservationId(Uuid::from_u128(3)),
            owner_id,
            holder: "Ada".to_owned(),
            is_offered: false,
            is_on_return: false,
            slug: "gala".to_owned(),
            title: "Gala".to_owned(),
            poster_number: 1,
            running_mins: Some(150),
            doors_before_mins: Some(60),
            starts_at: DateTime::from_timestamp(1_782_900_000, 0).unwrap(),
            moved_from: None,
            changes: Json(Vec::new()),
            is_cancelled: false,
            revision: 3,
            changed_at: DateTime::from_timestamp(1_782_000_000, 0).unwrap(),
            venue: "Opera".to_owned(),
            address: "1 Main Street".to_owned(),
            time_zone: "Asia/Seoul".to_owned(),
            section: Some("Stalls".to_owned()),
            row_label: Some("A".to_owned()),
            number: Some(7),
            kind: None,
            zone: None,
            category: None,
            price: Points::ONE,
            price_type: None,
            price_type_note: None,
        }
    }

    #[test]
    fn a_ticket_names_its_seat_with_its_kind_or_its_zone() {
        let named = |ticket: &Ticket| ticket.place(Locale::default());
        let seat = ticket();
        assert_eq!(named(&seat), "Stalls, row A, seat 7");
        let wheelchair = Ticket { kind: Some(SeatKind::Wheelchair), ..seat.clone() };
        assert_eq!(named(&wheelchair), "Stalls, row A, seat 7 · Wheelchair space");
        let zone = Some("Pit".to_owned());
        let standing = Ticket { section: None, row_label: None, number: None, zone, ..seat };
        assert_eq!(named(&standing), "Pit, standing");
    }

    #[test]
    fn doors_open_on_the_clock_of_the_venue_where_that_is_said() {
        assert_eq!(ticket().doors_open().as_deref(), Some("18:00 KST"));
        assert_eq!(Ticket { doors_before_mins: None, ..ticket() }.doors_open(), None);
    }

    #[test]
    fn a_price_type_may_have_nothing_to_be_brought() {
        for (note, brought) in
            [(None, None), (Some(""), None), (Some("Student card"), Some("Student card"))]
        {
            let price_type_note = note.map(str::to_owned);
            assert_eq!(Ticket { price_type_note, ..ticket() }.what_to_bring(), brought);
        }
    }

    #[test]
    fn a_ticket_is_handed_over_once_somebody_else_has_it() {
        let own = ticket();
        assert!(!own.is_handed_over());
        assert!(Ticket { account_id: AccountId(Uuid::from_u128(9)), ..own }.is_handed_over());
    }

    #[test]
    fn a_code_is_rfc_4648_base32() {
        assert_eq!(TicketCode::of(0).as_str(), "AAAAAAAAAAAAAAAAAAAAAAAAAA");
        assert_eq!(TicketCode::of(u128::MAX).as_str(), "77777777777777777777777774");
        // RFC 4648, section 10: "foobar" encodes to MZXW6YTBOI.
        let foobar = u128::from_be_bytes(*b"foobar\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(TicketCode::of(foobar).as_str(), "MZXW6YTBOIAAAAAAAAAAAAAAAA");
    }

    #[test]
    fn a_typed_code_is_the_code() {
        let code = TicketCode::generate();
        let typed = code.grouped().to_lowercase();
        assert_eq!(typed.parse::<TicketCode>().unwrap(), code);
        assert_eq!(code.to_string(), code.as_str());
        for nonsense in ["", "AAAA", "0AAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(nonsense.parse::<TicketCode>().is_err(), "{nonsense}");
        }
    }
}
