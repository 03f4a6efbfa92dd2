//! Price types in words, for pages.

use super::model::{Company, Cost, PriceType};
use crate::web::page::View;

/// Returns the cost of a type, in words.
pub fn cost_words(v: &View, price_type: &PriceType) -> String {
    match price_type.details.cost {
        Cost::Percent(0) => v.t("price-type-free").to_string(),
        Cost::Percent(percent) => v.t("price-type-percent").word("percent", percent).to_string(),
        Cost::Price(price) => v.price(price.get()),
    }
}

/// Returns the seats and sections of a type, and its limits, as sentences.
pub fn limit_words(v: &View, price_type: &PriceType) -> String {
    let details = &price_type.details;
    let sections = details
        .sections
        .as_ref()
        .map(|names| v.t("price-type-only-in").word("places", names.join(", ")).to_string());
    let kinds = details.kinds.as_ref().map(|kinds| {
        let names = kinds.iter().map(|kind| match kind.text_key() {
            Some(key) => v.text(key).to_string(),
            None => v.t("price-type-standard-seats").to_string(),
        });
        let names: Vec<String> = names.collect();
        v.t("price-type-only-in").word("places", names.join(", ")).to_string()
    });
    let most =
        details.per_order_max.map(|max| v.t("price-type-at-most").number("count", max).to_string());
    let beside = details.beside.map(|beside| {
        let text = match beside {
            Company::Ordinary => "price-type-beside-ordinary",
            Company::Wheelchair => "price-type-beside-wheelchair",
        };
        v.t(text).number("count", details.per_beside_max.unwrap_or_default()).to_string()
    });
    let sentences: Vec<String> = [sections, kinds, most, beside].into_iter().flatten().collect();
    sentences.join(" ")
}

/// Methods that templates call.
impl PriceType {
    /// Returns its cost, in words.
    pub fn cost_words(&self, v: &View) -> String {
        cost_words(v, self)
    }

    /// Returns its seats, sections and limits, as sentences.
    pub fn limit_words(&self, v: &View) -> String {
        limit_words(v, self)
    }

    /// Returns its percentage of the ordinary price; `None` for a fixed price.
    pub fn percent(&self) -> Option<i32> {
        match self.details.cost {
            Cost::Percent(percent) => Some(percent),
            Cost::Price(_) => None,
        }
    }

    /// Returns its fixed price; `None` for a percentage.
    pub fn fixed(&self) -> Option<i64> {
        match self.details.cost {
            Cost::Percent(_) => None,
            Cost::Price(price) => Some(price.get()),
        }
    }
}
