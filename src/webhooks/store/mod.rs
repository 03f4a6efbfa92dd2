//! SQL of endpoints and of their deliveries.

pub(crate) mod claims;
pub(crate) mod deliveries;
pub(crate) mod endpoints;
pub(crate) mod replays;
