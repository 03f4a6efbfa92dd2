//! Seats of a plan that have one price.

/// Seats that have one price: the seats of a category, or the seats of a section that have no
/// category. Each seat is in one group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PriceGroup {
    /// Seats of the price category, in any section.
    Category(String),
    /// Seats of the section without a price category.
    Section(String),
}

impl PriceGroup {
    /// Returns the category; `None` for seats that have none.
    pub fn category(&self) -> Option<&str> {
        match self {
            Self::Category(name) => Some(name),
            Self::Section(_) => None,
        }
    }

    /// Returns the section of seats without a category; `None` for a category, which has seats of
    /// any section.
    pub fn section(&self) -> Option<&str> {
        match self {
            Self::Category(_) => None,
            Self::Section(name) => Some(name),
        }
    }
}
