//! Errors of inventory changes.

use crate::{
    catalog::CatalogError,
    web::error::{KitError, problems},
};

problems! {
    /// Reason why the inventory was not changed.
    pub enum InventoryError {
        NoSuchSeats = 404 "no-such-seats",
        /// Some of the seats are held or sold. `seats` are their names, at most
        /// [`NAMED_MAX`](super::NAMED_MAX).
        SeatsInUse { seats: Vec<String> } => CatalogError::SeatsInUse { seats: seats.clone() },
        /// More places of the zone are held or sold than the new capacity allows.
        PlacesInUse = 409 "places-in-use",
        /// The zone changed between its lock and its write.
        Stale => KitError::ChangedMeanwhile,
    }
    wraps { Database(#[from] sqlx::Error) }
}
