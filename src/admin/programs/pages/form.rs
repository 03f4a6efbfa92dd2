//! Program form.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;

use super::refund_terms::TypedTerms;
use crate::{
    admin::{
        pages::{LIMITS, NUMBER, WordsForm, number, parse_optional, parse_text, parse_version},
        programs::ProgramNotice,
    },
    catalog::{Program, ProgramDetails},
    text::times,
    web::form::{
        Field, Fields, Mistakes,
        local_time::{TypedTime, carried},
    },
};

/// Bound on characters of the name of an artist who does not take part.
const ACT_CHARS_MAX: usize = 200;
/// Bound on characters of a slug.
const SLUG_CHARS_MAX: usize = 80;
/// Bound on the places that an account may have in a program.
const PLACES_MAX: i32 = 1_000;

/// Bound on the fee of an exchange, in points.
const EXCHANGE_FEE_MAX: i32 = 1_000_000_000;

/// Locale key of the refusal of a limit of the queue.
const LIMIT: &str = "admin-refusal-positive";

fn or_empty(number: Option<i32>) -> Field {
    number.map_or_else(Field::default, Field::of)
}

/// Parses a number whose empty field means the `usual` one.
fn number_or(field: &Field, range: &RangeInclusive<i32>, usual: i32) -> Option<i32> {
    parse_optional(field, range).map(|number| number.unwrap_or(usual))
}

fn shown_minutes(secs: i32) -> Field {
    Field::of(times::typed_minutes(secs))
}

/// Parses minutes to seconds in `range`.
fn minutes(field: &Field, range: &RangeInclusive<i32>) -> Option<i32> {
    times::parse_minutes(field.text()).filter(|secs| range.contains(secs))
}

/// Makes the form of a table of columns. A row has the field and the column, how it is shown, how it is
/// parsed (given the usual value), and why it is refused; the name in addresses and the times are beside it.
macro_rules! program_form {
    ($( $(#[$doc:meta])* $field:ident => $column:ident: $show:expr, $parse:expr, $reason:expr; )*) => {
        /// Form of a program, new or existing.
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct ProgramForm {
            /// Version that was shown; another one is refused.
            pub version: Field,
            /// Name in addresses; empty: made of the title.
            pub slug: Field,
            /// Time zone in which both times were shown.
            pub time_zone: Field,
            /// Beginning of the sale: local time, or RFC 3339.
            pub on_sale_at: Field,
            pub on_sale_at_shown: Field,
            pub(crate) on_sale_at_offset: Field,
            /// End of the sale, likewise.
            pub off_sale_at: Field,
            pub off_sale_at_shown: Field,
            pub(crate) off_sale_at_offset: Field,
            /// Name of an artist who does not take part any more, told like another title; empty: none.
            pub cancelled_act: Field,
            /// Artist of whom people were told so and who takes part after all; empty: none.
            pub returned_act: Field,
            /// Checkbox: the change gives people the right to a full refund.
            pub refundable: Field,
            /// Words to the people whom another title or length concerns.
            #[serde(flatten)]
            pub words: WordsForm,
            /// Hours before the beginning until which refunds are given, where no steps are sent.
            pub refund_until_hours: Field,
            /// Percentage that is refunded until then.
            pub refund_percent: Field,
            /// Refund terms in steps.
            pub refund_terms: Option<TypedTerms>,
            /// Name of terms that many halls have, instead of steps: `korean`, `day-before` or `none`.
            pub refund_preset: Field,
            /// Percentages of the rows of a form, one for each step.
            pub refund_step_percent: Fields,
            /// Fees of the rows, in points.
            pub refund_step_fee: Fields,
            /// Days or hours of the rows.
            pub refund_step_count: Fields,
            /// `days` or `hours` for each row.
            pub refund_step_unit: Fields,
            /// Times of day of the rows; empty: that of the beginning.
            pub refund_step_time: Fields,
            /// Hours after the payment in which everything is given back.
            pub refund_free_hours: Field,
            /// Days before the beginning at which that ends.
            pub refund_free_days: Field,
            $( $(#[$doc])* pub $field: Field, )*
        }

        impl ProgramForm {
            /// Returns the form of the columns in the table.
            fn of_columns(details: ProgramDetails) -> Self {
                Self { $( $field: $show(details.$column), )* ..Self::default() }
            }

            /// Reads the columns in the table; one that is refused keeps its usual value.
            fn read_columns(&self, mistakes: &mut Mistakes) -> ProgramDetails {
                let usual = ProgramDetails::default();
                ProgramDetails {
                    $( $column: read(
                        mistakes, stringify!($field), $reason, &self.$field, usual.$column, $parse,
                    ), )*
                    ..usual
                }
            }
        }
    };
}

/// Parses a field, or notes the mistake and returns the usual value.
fn read<T: Clone>(
    mistakes: &mut Mistakes,
    name: &'static str,
    reason: &'static str,
    field: &Field,
    usual: T,
    parse: impl Fn(&Field, T) -> Option<T>,
) -> T {
    mistakes.note(name, reason, parse(field, usual.clone())).unwrap_or(usual)
}

program_form! {
    /// Title.
    title => title: Field::of, |field, _| parse_text(field, 1, 120), "admin-refusal-title";
    /// Description.
    description => description:
        Field::of, |field, _| parse_text(field, 0, 5_000), "admin-refusal-description";
    /// Empty: not said.
    running_mins => running_mins: or_empty, |field, _| parse_optional(field, &(1..=1_440)), NUMBER;
    /// Minutes before the start at which the doors open. Empty: not said.
    doors_before_mins => doors_before_mins:
        or_empty, |field, _| parse_optional(field, &(1..=480)), NUMBER;
    /// Empty: not said.
    age_min => age_min: or_empty, |field, _| parse_optional(field, &(1..=99)), NUMBER;
    /// People inside at once.
    queue_capacity => queue_capacity: or_empty, |field, _| parse_optional(field, &LIMITS), LIMIT;
    /// Admissions a second.
    queue_rate_per_second => queue_rate_per_second:
        or_empty, |field, _| parse_optional(field, &LIMITS), LIMIT;
    /// Places of one account.
    places_per_account_max => places_per_account_max:
        Field::of, |field, _| number(field, &(1..=PLACES_MAX)), NUMBER;
    /// Empty: 1.
    places_per_order_min => places_per_order_min:
        Field::of, |field, usual| number_or(field, &(1..=PLACES_MAX), usual), NUMBER;
    /// Empty: 15.
    offer_minutes => offer_mins: Field::of, |field, usual| number_or(field, &(1..=1_440), usual), NUMBER;
    /// Empty: 0.
    return_fee_percent => return_fee_percent:
        Field::of, |field, usual| number_or(field, &(0..=100), usual), NUMBER;
    /// Points that a ticket is worth less in an exchange. Empty: staff alone exchange tickets.
    exchange_fee => exchange_fee: or_empty, |field, _| parse_optional(field, &(0..=EXCHANGE_FEE_MAX)), NUMBER;
    /// Hours before the beginning until which tickets are exchanged. Empty: 24.
    exchange_until_hours => exchange_until_hours:
        Field::of, |field, usual| number_or(field, &(0..=8_760), usual), NUMBER;
    /// Checkbox.
    no_single_seats => no_single_seats: Field::of, |field, _| field.flag(), "admin-refusal-flag";
    /// How long people are inside, a minute or longer, as a stopped clock gives time each half of one.
    stay_minutes => stay_secs: shown_minutes, |field, _| minutes(field, &(60..=86_400)), NUMBER;
    /// How long a hold lasts, likewise.
    hold_minutes => hold_ttl_secs: shown_minutes, |field, _| minutes(field, &(60..=3_600)), NUMBER;
}

impl ProgramForm {
    /// Returns the form of a new program, with common values.
    pub(crate) fn usual() -> Self {
        Self {
            time_zone: Field::of(times::home().name()),
            ..Self::of_columns(ProgramDetails::default()).with_refund(&ProgramDetails::default())
        }
    }

    /// Returns the form of an edition.
    pub(crate) fn of(edition: &Program) -> Self {
        let zone = times::zone(&edition.time_zone);
        Self {
            version: Field::of(edition.version),
            slug: Field::of(&edition.slug),
            time_zone: Field::of(zone.name()),
            on_sale_at: Field::of(times::typed(edition.on_sale_at, zone)),
            on_sale_at_shown: Field::of(carried(edition.on_sale_at)),
            off_sale_at: Field::of(times::typed(edition.off_sale_at, zone)),
            off_sale_at_shown: Field::of(carried(edition.off_sale_at)),
            ..Self::of_columns(edition.details.clone()).with_refund(&edition.details)
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
        edition: &Program,
    ) -> Result<(i64, ProgramDetails, ProgramNotice), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let details = self.read(&mut mistakes, &edition.time_zone, Some(edition));
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        let act = parse_text(&self.cancelled_act, 0, ACT_CHARS_MAX);
        let act = mistakes.note("cancelled_act", "admin-refusal-title", act);
        let back = parse_text(&self.returned_act, 0, ACT_CHARS_MAX);
        let back = mistakes.note("returned_act", "admin-refusal-act-back", back);
        let flag = mistakes.note("refundable", "admin-refusal-flag", self.refundable.flag());
        let notice = act.zip(back).zip(flag.zip(words));
        let notice = notice.map(|((cancelled_act, returned_act), (is_refundable, words))| {
            ProgramNotice { cancelled_act, returned_act, is_refundable, words }
        });
        let edit = version.zip(details).zip(notice);
        mistakes.or(edit.map(|((version, details), notice)| (version, details, notice)))
    }

    /// Whether everything is to be given back on demand, as typed.
    pub(crate) fn is_refundable(&self) -> bool {
        self.refundable.flag() == Some(true)
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

    /// Reads the form; `None` where a mistake was noted.
    fn read(
        &self,
        mistakes: &mut Mistakes,
        zone: &str,
        stored: Option<&ProgramDetails>,
    ) -> Option<ProgramDetails> {
        let zone = times::zone(zone);
        let slug = self.read_slug(mistakes, stored);
        let details = self.read_columns(mistakes);
        let opens = self.opens().parse(mistakes, zone, stored.map(|stored| stored.on_sale_at));
        let closes = self.closes().parse(mistakes, zone, stored.map(|stored| stored.off_sale_at));
        let times = in_order(mistakes, opens, closes);
        let refund = self.read_refund(mistakes, stored);
        let max_is_known = mistakes.of("places_per_account_max").is_none();
        if max_is_known && details.places_per_order_min > details.places_per_account_max {
            mistakes.note::<()>("places_per_order_min", "admin-refusal-number", None);
        }
        let (on_sale_at, off_sale_at) = times?;
        let (refund_terms, refund_until_hours, refund_percent) = refund?;
        Some(ProgramDetails {
            slug: slug?,
            on_sale_at,
            off_sale_at,
            refund_until_hours,
            refund_percent,
            refund_terms,
            ..details
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
