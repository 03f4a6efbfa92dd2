//! Form of a price type.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{parse_optional, parse_text, parse_version},
    catalog::{
        PriceType, SeatKind,
        price_types::{Company, Cost, PriceTypeDetails},
    },
    points::Points,
    web::form::{Field, Fields, Mistakes},
};

/// Bounds on characters: `price_types_name_length`, `price_types_note_length`.
const NAME_CHARS_MAX: usize = 40;
const NOTE_CHARS_MAX: usize = 120;
/// Bound on characters of a section's or a zone's name.
const PLACE_CHARS_MAX: usize = 100;
/// Bound on sections and zones that one type names: `price_types_sections_range`.
const PLACES_MAX: usize = 100;
/// Highest price, in points.
const PRICE_MAX: i64 = 1_000_000_000;
/// Range of limits: `price_types_per_order_max_range`, `price_types_per_beside_max_range`.
const LIMITS: std::ops::RangeInclusive<i32> = 1..=1_000;

/// Form of a price type, new or existing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PriceTypeForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Name.
    pub(super) name: Field,
    /// Note, such as a proof to be shown at the door.
    pub(super) note: Field,
    /// `free`, `percent` or `price`; empty: the one that has a number.
    cost: Field,
    /// Percentage, 1 to 100.
    pub(super) percent: Field,
    /// Points of one place.
    pub(super) price: Field,
    /// Names of the sections it is for; none: all.
    sections: Fields,
    /// Kinds of seats it is for; none: all.
    kinds: Fields,
    /// Places of an order; empty: any number.
    pub(super) per_order_max: Field,
    /// Places that must be bought beside it.
    beside: Field,
    /// Places of the type for each place of `beside`.
    pub(super) per_beside_max: Field,
}

impl PriceTypeForm {
    /// Returns the form of a current type.
    pub(super) fn of(price_type: &PriceType) -> Self {
        let details = &price_type.details;
        let (cost, percent, price) = match details.cost {
            Cost::Percent(0) => ("free", Field::default(), Field::default()),
            Cost::Percent(percent) => ("percent", Field::of(percent), Field::default()),
            Cost::Price(price) => ("price", Field::default(), Field::of(price.get())),
        };
        let limit = |max: Option<i32>| max.map(Field::of).unwrap_or_default();
        let sections = details.sections.iter().flatten().map(Field::of);
        let kinds = details.kinds.iter().flatten().map(|kind| Field::of(kind.as_ref()));
        Self {
            version: Field::default(),
            name: Field::of(&details.name),
            note: Field::of(&details.note),
            cost: Field::of(cost),
            percent,
            price,
            sections: Fields(sections.collect()),
            kinds: Fields(kinds.collect()),
            per_order_max: limit(details.per_order_max),
            beside: details.beside.map(|beside| Field::of(beside.as_ref())).unwrap_or_default(),
            per_beside_max: limit(details.per_beside_max),
        }
    }

    pub(super) fn parse(&self) -> Result<(i64, PriceTypeDetails), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let name = parse_text(&self.name, 1, NAME_CHARS_MAX);
        let name = mistakes.note("name", "admin-refusal-title", name);
        let note = parse_text(&self.note, 0, NOTE_CHARS_MAX);
        let note = mistakes.note("note", "admin-refusal-price-type-note", note);
        let cost = mistakes.note("cost", "admin-refusal-price-type-cost", self.cost());
        let sections = parse_list(&self.sections, |field| parse_text(field, 1, PLACE_CHARS_MAX));
        let sections =
            sections.filter(|names| names.as_ref().is_none_or(|all| all.len() <= PLACES_MAX));
        let sections = mistakes.note("sections", "admin-refusal-price-type-places", sections);
        let kinds = parse_list(&self.kinds, Field::parse::<SeatKind>);
        let kinds = mistakes.note("kinds", "admin-refusal-price-type-places", kinds);
        let per_order_max = parse_optional(&self.per_order_max, &LIMITS);
        let per_order_max = mistakes.note("per_order_max", "admin-refusal-number", per_order_max);
        let beside = match self.beside.is_empty() {
            true => Some(None),
            false => self.beside.parse::<Company>().map(Some),
        };
        let beside = mistakes.note("beside", "admin-refusal-price-type-beside", beside);
        let per_beside_max = parse_optional(&self.per_beside_max, &LIMITS);
        let per_beside_max =
            mistakes.note("per_beside_max", "admin-refusal-number", per_beside_max);
        // A number of places for each place of `beside` is refused where `beside` is empty.
        let company =
            beside.zip(per_beside_max).filter(|(beside, max)| beside.is_some() || max.is_none());
        if beside.is_some() && per_beside_max.is_some() {
            mistakes.note("beside", "admin-refusal-price-type-beside", company);
        }
        let texts = name.zip(note).zip(cost);
        let details = texts.zip(sections).zip(kinds).zip(per_order_max).zip(company);
        let details = details.map(|((((texts, sections), kinds), per_order_max), company)| {
            let ((name, note), cost) = texts;
            let (beside, per_beside_max) = company;
            PriceTypeDetails {
                name,
                note,
                cost,
                sections,
                kinds,
                per_order_max,
                beside,
                per_beside_max,
            }
        });
        mistakes.or(version.zip(details))
    }

    /// Returns the cost; free only where that is said, and never a negative price.
    fn cost(&self) -> Option<Cost> {
        let percent = || self.percent.parse().filter(|percent| (1..=100).contains(percent));
        let price = || self.price.parse().filter(|price| (1..=PRICE_MAX).contains(price));
        match self.cost.text() {
            "free" => Some(Cost::Percent(0)),
            "percent" => percent().map(Cost::Percent),
            "price" => price().and_then(Points::new).map(Cost::Price),
            "" if self.price.is_empty() => percent().map(Cost::Percent),
            "" if self.percent.is_empty() => price().and_then(Points::new).map(Cost::Price),
            _ => None,
        }
    }
}

/// Parses a list whose emptiness means everything; `None` if one of its fields is refused, or one is
/// there twice.
#[expect(clippy::option_option, reason = "nothing typed is an answer, nonsense is none")]
fn parse_list<T: PartialEq>(
    fields: &Fields,
    parse: impl Fn(&Field) -> Option<T>,
) -> Option<Option<Vec<T>>> {
    let mut list = Vec::new();
    for field in fields.0.iter().filter(|field| !field.is_empty()) {
        let parsed = parse(field)?;
        if list.contains(&parsed) {
            return None;
        }
        list.push(parsed);
    }
    Some((!list.is_empty()).then_some(list))
}

/// Values that the template reads from a form.
impl PriceTypeForm {
    pub(super) fn is_cost(&self, cost: &str) -> bool {
        self.cost.text() == cost || self.cost.is_empty() && cost == "percent"
    }

    pub(super) fn has_section(&self, name: &str) -> bool {
        self.sections.0.iter().any(|field| field.text() == name)
    }

    pub(super) fn has_kind(&self, kind: &str) -> bool {
        self.kinds.0.iter().any(|field| field.text() == kind)
    }

    pub(super) fn is_beside(&self, beside: &str) -> bool {
        self.beside.text() == beside
    }
}
