//! Forms of a performance.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::{
        pages::{WordsForm, parse_text, parse_version},
        questions::KeptTime,
        schedules::ZoneNotice,
    },
    app::App,
    catalog::{ScheduleEdition, VenueId, ZoneDetails, find_venue},
    points::Points,
    reservation::SeatPick,
    text::{times, translated::Translated},
    web::form::{
        Field, Mistakes,
        local_time::{Reading, TypedTime, carried},
    },
};

/// Bound on characters of a zone's, a section's or a row's name.
pub(super) const NAME_CHARS_MAX: usize = 40;
/// Highest price of a seat or a place, in points.
const PRICE_MAX: i64 = 1_000_000_000;
/// Bound on places of one zone.
const CAPACITY_MAX: i32 = 1_000_000;

/// Form of a new performance.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NewScheduleForm {
    /// Id of the venue.
    pub venue_id: Field,
    /// Local time of the venue, or RFC 3339.
    pub starts_at: Field,
    starts_at_offset: Field,
    /// What stays of the sale's opening and closing where the first venue has another clock than the office, on
    /// which they were typed: `hour` or `moment`. A page asks; without it the moment stays for a program.
    kept: Field,
    /// Whether the page is to ask that.
    #[serde(skip)]
    pub asks_opening: bool,
    /// Time zone of the venue; empty until one is found.
    #[serde(skip)]
    time_zone: Field,
    #[serde(skip)]
    shown: Field,
}

impl NewScheduleForm {
    /// Parses the form; the start is read in the venue's time zone, so the venue is looked up.
    pub(crate) async fn parse(
        &mut self,
        app: &App,
    ) -> Result<Result<(VenueId, DateTime<Utc>), Mistakes>, sqlx::Error> {
        let mut mistakes = Mistakes::default();
        let venue = match self.venue_id.parse().map(VenueId) {
            Some(id) => find_venue(&app.db, id).await?,
            None => None,
        };
        let venue = mistakes.note("venue_id", "admin-refusal-venue", venue);
        let moment = match &venue {
            Some(venue) => {
                self.time_zone = Field::of(&venue.details.time_zone);
                let usual = times::zone(&venue.details.time_zone);
                self.starts().parse(&mut mistakes, usual, None)
            }
            None => None,
        };
        Ok(mistakes.or(venue.map(|venue| venue.id).zip(moment)))
    }

    /// Returns what stays of the opening: as the form says, or else of programs the moment, and of people
    /// nothing, because they are asked.
    pub(crate) fn kept(&self, is_for_program: bool) -> Option<KeptTime> {
        self.kept.parse().or(is_for_program.then_some(KeptTime::Moment))
    }

    fn starts(&self) -> TypedTime<'_> {
        TypedTime {
            name: "starts_at",
            text: &self.starts_at,
            zone: &self.time_zone,
            shown: &self.shown,
            offset: &self.starts_at_offset,
        }
    }

    /// Returns the readings of a start that the venue's clock shows twice.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        self.starts().readings(times::zone(self.time_zone.text()))
    }

    /// Returns whether a start was typed.
    pub(crate) fn is_typed(&self) -> bool {
        !self.starts_at.is_empty()
    }

    pub(crate) fn is_venue(&self, id: &VenueId) -> bool {
        self.venue_id.parse().as_ref() == Some(&id.0)
    }
}

/// Form that moves a performance.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MomentForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Time zone, as IANA names it.
    pub time_zone: Field,
    /// Local time of the venue, or RFC 3339.
    pub starts_at: Field,
    pub starts_at_shown: Field,
    starts_at_offset: Field,
    /// Words to the people whom the move concerns.
    #[serde(flatten)]
    pub words: WordsForm,
}

/// What a form asks for that moves a performance.
#[derive(Clone, Debug)]
pub(crate) struct WantedMove {
    pub starts_at: DateTime<Utc>,
    /// Words to people; none: without.
    pub words: Translated<String>,
}

impl MomentForm {
    /// Returns the form of the current start.
    pub(crate) fn of(edition: &ScheduleEdition) -> Self {
        let zone = times::zone(&edition.time_zone);
        Self {
            version: Field::of(edition.version),
            time_zone: Field::of(zone.name()),
            starts_at: Field::of(times::typed(edition.starts_at, zone)),
            starts_at_shown: Field::of(carried(edition.starts_at)),
            starts_at_offset: Field::default(),
            words: WordsForm::default(),
        }
    }

    pub(crate) fn parse(&self, edition: &ScheduleEdition) -> Result<(i64, WantedMove), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let usual = times::zone(&edition.time_zone);
        let moment = self.starts().parse(&mut mistakes, usual, Some(edition.starts_at));
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        let wanted = moment.zip(words).map(|(starts_at, words)| WantedMove { starts_at, words });
        mistakes.or(version.zip(wanted))
    }

    fn starts(&self) -> TypedTime<'_> {
        TypedTime {
            name: "starts_at",
            text: &self.starts_at,
            zone: &self.time_zone,
            shown: &self.starts_at_shown,
            offset: &self.starts_at_offset,
        }
    }

    /// Returns the readings of a start that the clock shows twice.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        self.starts().readings(times::zone(self.time_zone.text()))
    }
}

/// Form that gives a performance another venue.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["version", "venue_id"]))]
pub struct OtherVenueForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Id of the venue.
    venue_id: Field,
    /// Words to the people whom it concerns.
    #[serde(flatten)]
    words: WordsForm,
}

impl OtherVenueForm {
    pub(crate) fn parse(&self) -> Result<(i64, (VenueId, Translated<String>)), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let venue_id = self.venue_id.parse().map(VenueId);
        let venue_id = mistakes.note("venue_id", "admin-refusal-venue", venue_id);
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        mistakes.or(version.zip(venue_id.zip(words)))
    }
}

/// Form that takes seats off sale or puts them back.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BlockForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Name of a section.
    section: Field,
    /// Label of a row.
    row: Field,
    /// Numbers of seats: `1-4, 7`.
    numbers: Field,
    /// `block` or `unblock`.
    act: Field,
}

impl BlockForm {
    pub(crate) fn parse(&self) -> Result<(i64, (SeatPick, bool)), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let section = parse_text(&self.section, 1, NAME_CHARS_MAX);
        let section = mistakes.note("section", "admin-refusal-section", section);
        let row = Some(self.row.text().to_owned()).filter(|row| !row.is_empty());
        let numbers = numbers(self.numbers.text());
        let numbers = mistakes.note("numbers", "admin-refusal-seats", numbers);
        let is_blocked = match self.act.text() {
            "block" => Some(true),
            "unblock" => Some(false),
            _ => None,
        };
        let is_blocked = mistakes.note("act", "admin-refusal-act", is_blocked);
        let pick =
            section.zip(numbers).map(|(section, numbers)| SeatPick { section, row, numbers });
        mistakes.or(version.zip(pick.zip(is_blocked)))
    }
}

/// Parses seat numbers like `1-4, 7`; an empty text yields none, which stands for all. `None`
/// if malformed or too many.
fn numbers(text: &str) -> Option<Vec<i32>> {
    const NUMBERS_MAX: usize = 1_000;
    let mut numbers = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (i32, i32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        let is_range = 0 < from && from <= to;
        if !is_range || usize::try_from(to - from).ok()? + numbers.len() >= NUMBERS_MAX {
            return None;
        }
        numbers.extend(from..=to);
    }
    Some(numbers)
}

/// Form of a zone, new or existing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ZoneForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Name.
    name: Field,
    /// Points of one place.
    price: Field,
    /// Number of places.
    capacity: Field,
    /// Checkbox: the other name is another place, so who has booked may give everything back.
    elsewhere: Field,
    /// Words to the people whom another name concerns. A new zone has none.
    #[serde(flatten)]
    words: WordsForm,
}

impl ZoneForm {
    /// Parses the form of a zone that exists, with the words to people.
    pub(crate) fn parse_edit(&self) -> Result<(i64, (ZoneDetails, ZoneNotice)), Mistakes> {
        let mut mistakes = Mistakes::default();
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        let flag = mistakes.note("elsewhere", "admin-refusal-flag", self.elsewhere.flag());
        let notice =
            flag.zip(words).map(|(is_elsewhere, words)| ZoneNotice { is_elsewhere, words });
        let parsed = self.read(&mut mistakes).zip(notice);
        mistakes.or(parsed.map(|((version, details), notice)| (version, (details, notice))))
    }

    pub(crate) fn parse(&self) -> Result<(i64, ZoneDetails), Mistakes> {
        let mut mistakes = Mistakes::default();
        let parsed = self.read(&mut mistakes);
        mistakes.or(parsed)
    }

    fn read(&self, mistakes: &mut Mistakes) -> Option<(i64, ZoneDetails)> {
        let version = parse_version(mistakes, &self.version);
        let name = parse_text(&self.name, 1, NAME_CHARS_MAX);
        let name = mistakes.note("name", "admin-refusal-title", name);
        let price = mistakes.note("price", "admin-refusal-price", price(&self.price));
        let capacity =
            self.capacity.parse().filter(|capacity| (1..=CAPACITY_MAX).contains(capacity));
        let capacity = mistakes.note("capacity", "admin-refusal-positive", capacity);
        let details = name.zip(price).zip(capacity).map(|((name, price), capacity)| ZoneDetails {
            name,
            price,
            capacity,
        });
        version.zip(details)
    }
}

/// Parses a price; `None` if it is none, or out of range.
pub(super) fn price(field: &Field) -> Option<Points> {
    field.parse().filter(|price| (0..=PRICE_MAX).contains(price)).and_then(Points::new)
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn seat_numbers_are_written_as_people_write_them() {
        assert_eq!(numbers("1-3, 7").unwrap(), [1, 2, 3, 7]);
        assert!(numbers(" ").unwrap().is_empty());
        for refused in ["a", "3-1", "0", "1-5000", "1--3"] {
            assert!(numbers(refused).is_none(), "{refused}");
        }
    }
}
