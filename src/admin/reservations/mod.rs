//! Reservations.

pub(crate) mod pages;
pub(crate) mod store;
