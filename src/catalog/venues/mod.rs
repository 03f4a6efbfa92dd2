//! Venues.

pub(crate) mod plan;
pub(crate) mod store;
