//! Form of a wish, as sent.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    accounts::AccountId,
    catalog::ScheduleId,
    infra::idempotency::RequestKey,
    points::Points,
    reservation::waiting_list::model::{PLACES_MAX, WishOrder},
    web::{
        form::{Field, Mistakes},
        request_key,
    },
};

/// Maximum length of a section's name, in characters: `wishes_section_length`.
const SECTION_CHARS_MAX: usize = 100;

/// Fields of a wish, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["places"]))]
pub struct WishForm {
    /// Number of places.
    pub places: Field,
    /// Section or zone; empty for any.
    pub section: Field,
    /// Highest price of one place; empty for any.
    pub price_max: Field,
    /// Checkbox: seats side by side.
    pub together: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl WishForm {
    pub(crate) fn parse(
        &self,
        account_id: AccountId,
        schedule_id: ScheduleId,
    ) -> Result<(WishOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let places = self.places.parse().filter(|places| (1..=PLACES_MAX).contains(places));
        let places = mistakes.note("places", "waiting-list-refusal-places", places);
        let section = self.section.text();
        let is_name = section.chars().count() <= SECTION_CHARS_MAX;
        mistakes.note("section", "waiting-list-refusal-section", is_name.then_some(()));
        let price_max = if self.price_max.is_empty() {
            None
        } else {
            let price = self.price_max.parse().and_then(Points::new);
            mistakes.note("price_max", "waiting-list-refusal-price", price)
        };
        let is_together = self.together.flag();
        let is_together = mistakes.note("together", "admin-refusal-flag", is_together);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = places.zip(is_together).map(|(places, is_together)| {
            let section = (!section.is_empty()).then(|| section.to_owned());
            let zone_id = None;
            let order = WishOrder { places, section, zone_id, price_max, is_together };
            let key = key.map(|key| {
                let route = format!("POST /schedules/{schedule_id}/waiting-list");
                RequestKey::new(account_id.0, key, &route, &order)
            });
            (order, key)
        });
        mistakes.or(order)
    }

    /// Returns the number of places of the form; `None` if it is no number.
    pub(crate) fn places(&self) -> Option<i32> {
        self.places.parse()
    }

    /// Whether the form asks for seats side by side.
    pub(crate) fn is_together(&self) -> bool {
        self.together.flag() == Some(true)
    }
}
