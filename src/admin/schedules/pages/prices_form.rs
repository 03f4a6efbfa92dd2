//! Form of a performance's prices.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::forms::{NAME_CHARS_MAX, price};
use crate::{
    admin::pages::{parse_text, parse_version},
    catalog::PriceGroup,
    points::Points,
    web::form::{Field, Fields, Mistakes},
};

/// Prices of categories and of sections as parallel lists; an empty price leaves its category or
/// section unchanged.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PricesForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Names of price categories.
    category: Fields,
    /// Points, one for each category.
    category_price: Fields,
    /// Names of sections; the price of a section is the price of its seats without a category.
    section: Fields,
    /// Points, one for each section.
    price: Fields,
}

impl PricesForm {
    pub(super) fn parse(&self) -> Result<(i64, Vec<(PriceGroup, Points)>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let categories = pairs(&self.category, &self.category_price, PriceGroup::Category);
        let categories = mistakes.note("category_price", "admin-refusal-price", categories);
        let sections = pairs(&self.section, &self.price, PriceGroup::Section);
        let sections = mistakes.note("price", "admin-refusal-price", sections);
        let prices = categories.zip(sections).and_then(|(categories, sections)| {
            let prices: Vec<_> = categories.into_iter().chain(sections).collect();
            let mistake = match find_twice(&prices) {
                Some(PriceGroup::Category(_)) => ("category", "admin-refusal-category-twice"),
                Some(PriceGroup::Section(_)) => ("section", "admin-refusal-section-twice"),
                None if prices.is_empty() => ("price", "admin-refusal-price"),
                None => return Some(prices),
            };
            mistakes.note(mistake.0, mistake.1, None)
        });
        mistakes.or(version.zip(prices))
    }
}

/// Returns the groups that have a price, with it. `None` if the lists differ in length, or if a name or
/// a price cannot be.
fn pairs(
    names: &Fields,
    prices: &Fields,
    group: fn(String) -> PriceGroup,
) -> Option<Vec<(PriceGroup, Points)>> {
    let pairs = names.0.iter().zip(&prices.0).filter(|(_, price)| !price.is_empty());
    let pairs = pairs
        .map(|(name, field)| Some((group(parse_text(name, 1, NAME_CHARS_MAX)?), price(field)?)));
    let pairs: Option<Vec<_>> = pairs.collect();
    pairs.filter(|_| names.0.len() == prices.0.len())
}

/// Returns a group that has two prices.
fn find_twice(prices: &[(PriceGroup, Points)]) -> Option<&PriceGroup> {
    let mut seen = HashSet::new();
    prices.iter().map(|(group, _)| group).find(|group| !seen.insert(*group))
}
