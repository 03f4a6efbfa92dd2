//! Places, as the pages of shares show them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    payment::shares::{discount::prices_less, model::Place, store::views::ListedPlace},
    points::Points,
    reservation::seat_map::pages::names::full_seat_name,
    web::page::View,
};

/// JSON form of a place.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlaceDocument {
    /// Value of the place in a form.
    pub(super) place: String,
    pub(super) name: String,
    pub(super) price: Points,
}

impl PlaceDocument {
    pub(super) fn of(v: &View, place: &ListedPlace) -> Self {
        let &ListedPlace { item_id, place_number: number, price, .. } = place;
        let id = Place { item_id, number };
        Self { place: id.to_string(), name: name_of(v, place), price }
    }
}

/// Subtracts a discount from the prices of all places of a reservation, divided as for their
/// shares.
pub(super) fn take_off(discount: Points, places: &mut [ListedPlace]) {
    let mut places: Vec<&mut ListedPlace> = places.iter_mut().collect();
    places.sort_by_key(|place| (place.item_id, place.place_number));
    let prices = places.iter().map(|place| (place.price, place.was_on_return));
    let less = prices_less(prices, discount);
    for (place, less) in places.into_iter().zip(less) {
        place.price = less;
    }
}

/// Returns the name of a seat, or of one place in a zone, with the price type.
pub(super) fn name_of(v: &View, place: &ListedPlace) -> String {
    let name = bare_name_of(v, place);
    match &place.price_type {
        Some(price_type) => format!("{name} · {price_type}"),
        None => name,
    }
}

fn bare_name_of(v: &View, place: &ListedPlace) -> String {
    let (Some(section), Some(row), Some(number)) = (&place.section, &place.row_label, place.number)
    else {
        let zone =
            v.t("reservation-standing").word("zone", place.zone.as_deref().unwrap_or_default());
        let name = v.t("share-place-of-zone").word("zone", zone);
        return name.word("number", place.place_number).to_string();
    };
    full_seat_name(v, (section, row, number), place.kind.unwrap_or_default())
}
