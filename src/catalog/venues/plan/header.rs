//! Names of the columns of a CSV.

/// Columns that a CSV must have.
pub(super) const NEEDED: [&str; 3] = ["section", "row", "number"];
/// Optional columns: where a seat stands.
pub(super) const OF_PLACE: [&str; 2] = ["x", "y"];
/// Optional columns: what a seat is.
pub(super) const OF_KIND: [&str; 2] = ["kind", "companion_of"];
/// Optional column: the price category.
pub(super) const OF_CATEGORY: &str = "category";
/// Optional column that is the writer's own, and not kept.
pub(super) const OF_NOTE: &str = "note";
