//! SQL of endpoints and of their deliveries.

pub mod claims;
pub mod deliveries;
pub mod endpoints;
pub mod replays;
