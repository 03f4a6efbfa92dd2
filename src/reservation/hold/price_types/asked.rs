//! Price types that a request names.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalog::{PriceTypeId, ScheduleSeatId};

/// Price types that a request names, by the ids of the terms that it was shown. Places without a
/// type have the ordinary price.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TypesAsked {
    /// Types of seats.
    pub(crate) by_seat: BTreeMap<ScheduleSeatId, PriceTypeId>,
    /// Number of places of each type, in a zone or among the best seats.
    pub counts: BTreeMap<PriceTypeId, i32>,
}

impl TypesAsked {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_seat.is_empty() && self.counts.is_empty()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = PriceTypeId> {
        self.by_seat.values().chain(self.counts.keys()).copied()
    }

    /// Returns the types of seats as a form names them.
    pub(crate) fn fields(&self) -> Vec<String> {
        self.by_seat.iter().map(|(seat, id)| format!("{seat}:{id}")).collect()
    }

    /// Returns the number of places that have a type.
    pub(crate) fn n_counted(&self) -> i32 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }
}
