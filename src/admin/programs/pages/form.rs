//! Program form.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{parse_limit, parse_text, parse_version},
    catalog::{ProgramDetails, ProgramEdition},
    text::times,
    web::{
        form::{Field, Mistakes},
        local_time::{TypedTime, carried},
    },
};

/// Bounds on characters of a title, a description and a slug.
const TITLE_CHARS_MAX: usize = 120;
const DESCRIPTION_CHARS_MAX: usize = 5_000;
const SLUG_CHARS_MAX: usize = 80;
/// Bound on the places that an account may have in a program.
const PLACES_MAX: i32 = 1_000;
/// Ranges of the lengths of a stay and a hold, in seconds.
const STAY_SECS: RangeInclusive<i32> = 10..=86_400;
const HOLD_SECS: RangeInclusive<i32> = 1..=3_600;
/// Usual and longest length of an offer of a waiting list, in minutes.
const OFFER_MINS_USUAL: i32 = 15;
const OFFER_MINS_MAX: i32 = 1_440;

/// Longest performance, in minutes, and highest age from which on people may come.
const RUNNING_MINS_MAX: i32 = 1_440;
const AGE_MAX: i32 = 99;

/// Form of a program, new or existing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ProgramForm {
    /// Version that was shown; another one is refused.
    pub(crate) version: Field,
    /// Name in addresses; empty: made of the title.
    pub(crate) slug: Field,
    /// Title.
    pub(crate) title: Field,
    /// Description.
    pub(crate) description: Field,
    /// Time zone in which both times were shown.
    pub(crate) time_zone: Field,
    /// Beginning of the sale: local time, or RFC 3339.
    pub(crate) on_sale_at: Field,
    pub(crate) on_sale_at_shown: Field,
    pub(crate) on_sale_at_offset: Field,
    /// End of the sale, likewise.
    pub(crate) off_sale_at: Field,
    pub(crate) off_sale_at_shown: Field,
    pub(crate) off_sale_at_offset: Field,
    /// People inside at once.
    pub(crate) queue_capacity: Field,
    /// Admissions a second.
    pub(crate) queue_rate_per_second: Field,
    /// How long people are inside.
    pub(crate) stay_minutes: Field,
    /// How long a hold lasts.
    pub(crate) hold_minutes: Field,
    /// Places of one account.
    pub(crate) places_per_account_max: Field,
    /// Empty: 1.
    pub(crate) places_per_order_min: Field,
    /// Checkbox.
    pub(crate) no_single_seats: Field,
    /// Empty: 15.
    pub(crate) offer_minutes: Field,
    /// Hours before the beginning until which refunds are given.
    pub(crate) refund_until_hours: Field,
    /// Percentage that is refunded.
    pub(crate) refund_percent: Field,
    /// Empty: 0.
    pub(crate) return_fee_percent: Field,
    /// Empty: not said.
    pub(crate) running_mins: Field,
    /// Empty: not said.
    pub(crate) age_min: Field,
}

impl ProgramForm {
    /// Returns the form of a new program, with common values.
    pub(crate) fn usual() -> Self {
        Self {
            time_zone: Field::of(times::home().name()),
            stay_minutes: Field::of(10),
            hold_minutes: Field::of(5),
            places_per_account_max: Field::of(8),
            places_per_order_min: Field::of(1),
            offer_minutes: Field::of(OFFER_MINS_USUAL),
            refund_until_hours: Field::of(24),
            refund_percent: Field::of(100),
            return_fee_percent: Field::of(0),
            ..Self::default()
        }
    }

    /// Returns the form of an edition.
    pub(crate) fn of(edition: &ProgramEdition) -> Self {
        let zone = times::zone(&edition.time_zone);
        let details = &edition.details;
        let or_empty = |number: Option<i32>| number.map_or_else(Field::default, Field::of);
        Self {
            version: Field::of(edition.version),
            slug: Field::of(&details.slug),
            title: Field::of(&details.title),
            description: Field::of(&details.description),
            time_zone: Field::of(zone.name()),
            on_sale_at: Field::of(times::typed(details.on_sale_at, zone)),
            on_sale_at_shown: Field::of(carried(details.on_sale_at)),
            on_sale_at_offset: Field::default(),
            off_sale_at: Field::of(times::typed(details.off_sale_at, zone)),
            off_sale_at_shown: Field::of(carried(details.off_sale_at)),
            off_sale_at_offset: Field::default(),
            queue_capacity: or_empty(details.queue_capacity),
            queue_rate_per_second: or_empty(details.queue_rate_per_second),
            stay_minutes: Field::of(times::typed_minutes(details.stay_secs)),
            hold_minutes: Field::of(times::typed_minutes(details.hold_ttl_secs)),
            places_per_account_max: Field::of(details.places_per_account_max),
            places_per_order_min: Field::of(details.places_per_order_min),
            no_single_seats: Field::of(details.no_single_seats),
            offer_minutes: Field::of(details.offer_mins),
            refund_until_hours: Field::of(details.refund_until_hours),
            refund_percent: Field::of(details.refund_percent),
            return_fee_percent: Field::of(details.return_fee_percent),
            running_mins: or_empty(details.running_mins),
            age_min: or_empty(details.age_min),
        }
    }

    /// Returns the form as typed, as an edit of edition `version`.
    pub(crate) fn on(self, version: i64) -> Self {
        Self { version: Field::of(version), ..self }
    }

    /// Parses the form as an edit of `edition`. A time left as shown stays unchanged, including
    /// the fraction of a second that no field shows.
    pub(crate) fn parse_edit(
        &self,
        edition: &ProgramEdition,
    ) -> Result<(i64, ProgramDetails), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let details = self.read(&mut mistakes, &edition.time_zone, Some(&edition.details));
        mistakes.or(version.zip(details))
    }

    /// Parses the form; times are in `zone` where the form names none. A slug that is left out is
    /// empty.
    pub(crate) fn parse(&self, zone: &str) -> Result<ProgramDetails, Mistakes> {
        let mut mistakes = Mistakes::default();
        let details = self.read(&mut mistakes, zone, None);
        mistakes.or(details)
    }

    /// Whether orders that leave a single seat are to be refused, as typed.
    pub(crate) fn wants_no_single_seats(&self) -> bool {
        self.no_single_seats.flag() == Some(true)
    }

    /// Returns the opening of the sale as typed.
    pub(crate) fn opens(&self) -> TypedTime<'_> {
        TypedTime {
            name: "on_sale_at",
            text: &self.on_sale_at,
            zone: &self.time_zone,
            shown: &self.on_sale_at_shown,
            offset: &self.on_sale_at_offset,
        }
    }

    /// Returns the closing of the sale as typed.
    pub(crate) fn closes(&self) -> TypedTime<'_> {
        TypedTime {
            name: "off_sale_at",
            text: &self.off_sale_at,
            zone: &self.time_zone,
            shown: &self.off_sale_at_shown,
            offset: &self.off_sale_at_offset,
        }
    }

    /// Returns the title, the description, and the running time and the age if they are said.
    fn read_about(
        &self,
        mistakes: &mut Mistakes,
    ) -> Option<(String, String, Option<i32>, Option<i32>)> {
        let title = parse_text(&self.title, 1, TITLE_CHARS_MAX);
        let title = mistakes.note("title", "admin-refusal-title", title);
        let description = parse_text(&self.description, 0, DESCRIPTION_CHARS_MAX);
        let description = mistakes.note("description", "admin-refusal-description", description);
        let mut number = |name, field: &Field, max: i32| {
            let number = field.parse().filter(|number| (1..=max).contains(number));
            let number = Some(number).filter(|number| number.is_some() || field.is_empty());
            mistakes.note(name, "admin-refusal-number", number)
        };
        let running_mins = number("running_mins", &self.running_mins, RUNNING_MINS_MAX);
        let age_min = number("age_min", &self.age_min, AGE_MAX);
        Some((title?, description?, running_mins?, age_min?))
    }

    /// Returns the name in addresses as typed; if it is left out the stored one, or nothing.
    fn read_slug(
        &self,
        mistakes: &mut Mistakes,
        stored: Option<&ProgramDetails>,
    ) -> Option<String> {
        let slug = match (self.slug.is_empty(), stored) {
            (true, None) => Some(String::new()),
            (true, Some(stored)) => Some(stored.slug.clone()),
            (false, _) => Some(self.slug.text().to_owned()).filter(|slug| is_slug(slug)),
        };
        mistakes.note("slug", "admin-refusal-slug", slug)
    }

    fn read(
        &self,
        mistakes: &mut Mistakes,
        zone: &str,
        stored: Option<&ProgramDetails>,
    ) -> Option<ProgramDetails> {
        let zone = times::zone(zone);
        let slug = self.read_slug(mistakes, stored);
        let about = self.read_about(mistakes);
        let on_sale_at = self.opens().parse(mistakes, zone, stored.map(|stored| stored.on_sale_at));
        let off_sale_at =
            self.closes().parse(mistakes, zone, stored.map(|stored| stored.off_sale_at));
        let (on_sale_at, off_sale_at) = in_order(mistakes, on_sale_at, off_sale_at)?;
        let queue_capacity = parse_limit(mistakes, "queue_capacity", &self.queue_capacity);
        let queue_rate_per_second =
            parse_limit(mistakes, "queue_rate_per_second", &self.queue_rate_per_second);
        let mut number = |name, field: &Field, min: i32, max: i32| {
            let number = field.parse().filter(|number| (min..=max).contains(number));
            mistakes.note(name, "admin-refusal-number", number)
        };
        let places_per_account_max =
            number("places_per_account_max", &self.places_per_account_max, 1, PLACES_MAX);
        let at_least = if self.places_per_order_min.is_empty() {
            Some(1)
        } else {
            let max = places_per_account_max.unwrap_or(PLACES_MAX);
            number("places_per_order_min", &self.places_per_order_min, 1, max)
        };
        let offer_mins = if self.offer_minutes.is_empty() {
            Some(OFFER_MINS_USUAL)
        } else {
            number("offer_minutes", &self.offer_minutes, 1, OFFER_MINS_MAX)
        };
        let refund_until_hours = number("refund_until_hours", &self.refund_until_hours, 0, 8_760);
        let refund_percent = number("refund_percent", &self.refund_percent, 0, 100);
        let return_fee_percent = match self.return_fee_percent.is_empty() {
            true => Some(0),
            false => number("return_fee_percent", &self.return_fee_percent, 0, 100),
        };
        let no_single_seats = self.no_single_seats.flag();
        let no_single_seats =
            mistakes.note("no_single_seats", "admin-refusal-flag", no_single_seats);
        let mut minutes = |name, field: &Field, range: RangeInclusive<i32>| {
            let secs = times::parse_minutes(field.text()).filter(|secs| range.contains(secs));
            mistakes.note(name, "admin-refusal-number", secs)
        };
        let stay_secs = minutes("stay_minutes", &self.stay_minutes, STAY_SECS);
        let hold_ttl_secs = minutes("hold_minutes", &self.hold_minutes, HOLD_SECS);
        let (title, description, running_mins, age_min) = about?;
        Some(ProgramDetails {
            stay_secs: stay_secs?,
            hold_ttl_secs: hold_ttl_secs?,
            places_per_account_max: places_per_account_max?,
            places_per_order_min: at_least?,
            no_single_seats: no_single_seats?,
            offer_mins: offer_mins?,
            refund_until_hours: refund_until_hours?,
            refund_percent: refund_percent?,
            return_fee_percent: return_fee_percent?,
            running_mins,
            age_min,
            slug: slug?,
            title,
            description,
            on_sale_at,
            off_sale_at,
            queue_capacity: queue_capacity?,
            queue_rate_per_second: queue_rate_per_second?,
        })
    }
}

/// Returns both times if the sale closes after it opens; notes a mistake otherwise.
fn in_order(
    mistakes: &mut Mistakes,
    opens: Option<DateTime<Utc>>,
    closes: Option<DateTime<Utc>>,
) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let both = opens.zip(closes)?;
    let in_order = Some(both).filter(|(opens, closes)| opens < closes);
    mistakes.note("off_sale_at", "admin-refusal-closes-first", in_order)
}

fn is_slug(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    text.len() <= SLUG_CHARS_MAX && text.split('-').all(is_word)
}
