//! Table of a performance's prices: a row for each price group, with its price to edit.

use crate::{
    catalog::{CategoryInventory, SectionInventory},
    points::Points,
};

/// Rows of the table, the categories before the sections.
pub(super) struct PriceTable {
    pub(super) has_categories: bool,
    pub(super) rows: Vec<PriceRow>,
}

/// Seats that get one price.
pub(super) struct PriceRow {
    /// Names of the form's fields of the group's name and of its price.
    pub(super) fields: (&'static str, &'static str),
    pub(super) name: String,
    pub(super) sold: i64,
    pub(super) held: i64,
    pub(super) free: i64,
    pub(super) blocked: i64,
    price_min: Option<Points>,
    price_max: Option<Points>,
}

impl PriceTable {
    /// Returns the table of `categories`, and of `sections` with only their seats that have none.
    pub(super) fn of(categories: &[CategoryInventory], sections: &[SectionInventory]) -> Self {
        let of_category = |category: &CategoryInventory| PriceRow {
            fields: ("category", "category_price"),
            name: category.category.clone(),
            sold: category.sold,
            held: category.held,
            free: category.free,
            blocked: category.blocked,
            price_min: category.price_min,
            price_max: category.price_max,
        };
        let of_section = |section: &SectionInventory| PriceRow {
            fields: ("section", "price"),
            name: section.section.clone(),
            sold: section.sold,
            held: section.held,
            free: section.free,
            blocked: section.blocked,
            price_min: section.price_min,
            price_max: section.price_max,
        };
        let sections = sections.iter().map(of_section);
        Self {
            has_categories: !categories.is_empty(),
            rows: categories.iter().map(of_category).chain(sections).collect(),
        }
    }
}

impl PriceRow {
    /// Returns the price common to all priced seats; `None` if they differ or have none.
    pub(super) fn price(&self) -> Option<Points> {
        self.price_min.filter(|_| self.price_min == self.price_max)
    }

    /// Returns the lowest and highest price as a range; empty where they do not differ.
    pub(super) fn price_range(&self) -> String {
        match (self.price_min, self.price_max) {
            (Some(min), Some(max)) if min != max => format!("{min}\u{2013}{max}"),
            _ => String::new(),
        }
    }
}
