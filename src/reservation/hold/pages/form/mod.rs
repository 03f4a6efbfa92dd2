//! Form of a hold, as typed.

mod again;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::types;
use crate::{
    catalog::{PriceTypeId, ScheduleSeatId, ZoneId},
    points::Points,
    reservation::{
        codes::model::{AskedCode, CodeWord},
        hold::{price_types::asked::TypesAsked, request::ShownPrice},
        model::{Choice, Wish},
    },
    web::{
        form::{Field, Fields, Mistakes},
        request_key,
    },
};

/// Number of best seats preselected in the form.
pub(crate) const BEST_USUAL: u32 = 2;

/// Values of a valid form.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub choice: Choice,
    /// Price types of its places.
    pub types: TypesAsked,
    /// Price that was shown; `None` if the form has none.
    pub shown: Option<ShownPrice>,
    pub code: Option<AskedCode>,
    /// Whether the account confirmed that a guest of the order needs a kept place.
    pub is_needed: bool,
    pub request_key: Option<Uuid>,
}

/// Fields of a hold request, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HoldForm {
    /// Ids of seats.
    seat_ids: Fields,
    /// Price types of seats, as `seat:type`.
    seat_types: Fields,
    /// Numbers of places by price type, as `type:count`.
    quantities: Fields,
    /// Id of a zone.
    zone_id: Field,
    /// Number of places in the zone.
    quantity: Field,
    /// Number of best available seats, side by side.
    best: Field,
    /// Section of the best seats.
    section: Field,
    /// Price of each of the best seats.
    price: Field,
    /// Whether best seats must be step-free.
    step_free: Field,
    /// Whether kept places are needed.
    needed: Field,
    /// Total, as shown.
    total: Field,
    /// Price of one place, as shown.
    unit_price: Field,
    /// Version of the prices, as the map states it.
    price_version: Field,
    /// Word of a code.
    code: Field,
    /// Id of the code whose terms were shown.
    code_id: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl HoldForm {
    /// Parses the fields; has every mistake otherwise.
    pub fn parse(&self) -> Result<Parsed, Mistakes> {
        let mut mistakes = Mistakes::default();
        let request_key = request_key::parse(&mut mistakes, &self.request_key);
        let is_needed = self.needed.flag();
        let is_needed = mistakes.note("needed", "reservation-refusal-flag", is_needed);
        let choice = if !self.zone_id.is_empty() {
            self.places(&mut mistakes)
        } else if !self.best.is_empty() || self.seat_ids.0.is_empty() && self.has_quantities() {
            self.best(&mut mistakes)
        } else {
            let seats = mistakes.note("seat_ids", "reservation-refusal-seats", self.seats());
            seats.map(Choice::Seats)
        };
        let types = choice.as_ref().and_then(|choice| {
            types::asked(&mut mistakes, (&self.seat_types, &self.quantities), choice)
        });
        let code = self.asked_code(&mut mistakes);
        let parsed = choice.zip(types).zip(is_needed);
        let parsed = parsed.map(|((choice, types), is_needed)| {
            let shown = self.shown(&mut mistakes, &choice, &types);
            Parsed { choice, types, shown, code, is_needed, request_key }
        });
        mistakes.or(parsed)
    }

    fn has_quantities(&self) -> bool {
        types::filled(&self.quantities).next().is_some()
    }

    /// Returns the code; `None` if the field is empty.
    fn asked_code(&self, mistakes: &mut Mistakes) -> Option<AskedCode> {
        if self.code.is_empty() {
            return None;
        }
        let word = mistakes.note("code", "reservation-refusal-code", self.word());
        word.map(|word| AskedCode { word, shown: self.code_id.parse(), found: None })
    }

    /// Returns the typed word of a code; `None` if it is empty or malformed.
    pub fn word(&self) -> Option<CodeWord> {
        self.code.parse()
    }

    /// Returns the shown price; an exact price is preferred to the price version.
    fn shown(
        &self,
        mistakes: &mut Mistakes,
        choice: &Choice,
        types: &TypesAsked,
    ) -> Option<ShownPrice> {
        let is_places = matches!(choice, Choice::Places { .. });
        let mut points = |name, field: &Field| {
            let points = field.parse().and_then(Points::new);
            mistakes.note(name, "reservation-refusal-total", points)
        };
        if !self.total.is_empty() {
            points("total", &self.total).map(ShownPrice::Total)
        } else if is_places && !self.unit_price.is_empty() {
            let unit_price = points("unit_price", &self.unit_price)?;
            if !types.is_empty() {
                return Some(ShownPrice::UnitPrice(unit_price));
            }
            let total = unit_price.checked_mul(choice.quantity());
            let total = mistakes.note("unit_price", "reservation-refusal-total", total);
            total.map(if self.has_code() { ShownPrice::Sum } else { ShownPrice::Total })
        } else if !is_places && !self.price_version.is_empty() {
            let version = self.price_version.parse().filter(|version| *version >= 0);
            let version = mistakes.note("price_version", "reservation-refusal-total", version);
            version.map(ShownPrice::PriceVersion)
        } else {
            None
        }
    }

    /// Returns places of a zone; the number may be in `best` or in `quantity`.
    fn places(&self, mistakes: &mut Mistakes) -> Option<Choice> {
        let zone_id = self.zone_id.parse::<ZoneId>();
        let zone_id = mistakes.note("zone_id", "reservation-refusal-zone", zone_id);
        let (name, quantity) = match self.quantity.is_empty() && !self.best.is_empty() {
            true => ("best", &self.best),
            false => ("quantity", &self.quantity),
        };
        let quantity = types::quantity(&self.quantities, quantity);
        let quantity = mistakes.note(name, "reservation-refusal-quantity", quantity);
        zone_id.zip(quantity).map(|(zone_id, quantity)| Choice::Places { zone_id, quantity })
    }

    fn best(&self, mistakes: &mut Mistakes) -> Option<Choice> {
        let n_seats = match self.has_quantities() {
            true => types::quantity(&self.quantities, &self.best)
                .and_then(|n_seats| usize::try_from(n_seats).ok()),
            false => self.best.parse().filter(|n_seats: &usize| *n_seats > 0),
        };
        let n_seats = mistakes.note("best", "reservation-refusal-quantity", n_seats);
        let price = if self.price.is_empty() {
            None
        } else {
            let price = self.price.parse().and_then(Points::new);
            Some(mistakes.note("price", "reservation-refusal-price", price)?)
        };
        let is_step_free = self.step_free.flag();
        let is_step_free = mistakes.note("step_free", "reservation-refusal-flag", is_step_free)?;
        let section = self.section();
        n_seats.map(|n_seats| Choice::Best(Wish { n_seats, section, price, is_step_free }))
    }

    /// Returns the section; `None` if the field is empty.
    pub fn section(&self) -> Option<String> {
        Some(self.section.text().to_owned()).filter(|section| !section.is_empty())
    }

    /// Returns the seats, sorted; `None` when empty, malformed or containing duplicates.
    pub fn seats(&self) -> Option<Vec<ScheduleSeatId>> {
        let ids: Option<BTreeSet<ScheduleSeatId>> =
            self.seat_ids.0.iter().map(Field::parse).collect();
        ids.filter(|ids| !ids.is_empty() && ids.len() == self.seat_ids.0.len())
            .map(|ids| ids.into_iter().collect())
    }
}

/// Values typed before, for the forms of the map.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
impl HoldForm {
    /// Whether `n_seats` is the number of best seats in the form; `BEST_USUAL` if it has none.
    pub fn is_best(&self, n_seats: &u32) -> bool {
        self.best.parse().unwrap_or(BEST_USUAL) == *n_seats
    }

    /// Whether the form asks for the best seats.
    pub fn asks_for_best(&self) -> bool {
        let has_other = !self.zone_id.is_empty() || !self.seat_ids.0.is_empty();
        !self.best.is_empty() || self.has_quantities() && !has_other
    }

    /// Whether this section was chosen.
    pub fn is_section(&self, name: &str) -> bool {
        self.section.text() == name
    }

    /// Whether this price was chosen.
    pub fn is_price(&self, price: &Points) -> bool {
        self.price.parse() == Some(price.get())
    }

    /// Whether best seats must be step-free.
    pub fn is_step_free(&self) -> bool {
        self.step_free.flag() == Some(true)
    }

    /// Whether kept places are needed.
    pub fn is_needed(&self) -> bool {
        self.needed.flag() == Some(true)
    }

    /// Whether the form asks for seats or places.
    pub(crate) fn has_choice(&self) -> bool {
        !self.zone_id.is_empty() || !self.best.is_empty() || !self.seat_ids.0.is_empty()
    }

    /// Whether a code was typed.
    pub fn has_code(&self) -> bool {
        !self.code.is_empty()
    }

    /// Returns the code as it was typed.
    pub fn code(&self) -> &str {
        self.code.text()
    }

    /// Whether this seat was chosen.
    pub fn has_seat(&self, id: &ScheduleSeatId) -> bool {
        self.seat_ids.0.iter().any(|field| field.parse().as_ref() == Some(id))
    }

    /// Whether `price_type` is the type of a seat in the form.
    pub(crate) fn is_type(&self, id: &ScheduleSeatId, price_type: &PriceTypeId) -> bool {
        let named = format!("{id}:{price_type}");
        self.seat_types.0.iter().any(|field| field.text() == named)
    }

    /// Returns the number of places of `price_type` that the form asks for in a zone, or among the
    /// best seats; `None` if the form is for another zone, or has no quantities.
    pub(crate) fn count_in(&self, zone_id: Option<&ZoneId>, price_type: &str) -> Option<u32> {
        let is_other = self.zone_id.parse::<ZoneId>().as_ref() != zone_id;
        if is_other || !self.has_quantities() {
            return None;
        }
        let counts = types::filled(&self.quantities).filter_map(|field| {
            let (named, count) = field.text().split_once(':')?;
            if named == price_type { count.parse().ok() } else { None }
        });
        Some(counts.fold(0, u32::saturating_add))
    }

    /// Whether the form asks for places of a zone.
    pub fn asks_for_places(&self) -> bool {
        !self.zone_id.is_empty()
    }

    /// Whether this number of places of the zone was chosen.
    pub fn has_places(&self, zone_id: &ZoneId, quantity: &u32) -> bool {
        self.zone_id.parse().as_ref() == Some(zone_id) && self.quantity.parse() == Some(*quantity)
    }
}
