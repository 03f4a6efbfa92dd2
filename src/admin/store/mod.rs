//! The SQL of the desk: the audit log, and what the other features' tables say together.

pub(crate) mod audit;
pub(crate) mod door;
pub(crate) mod lines;
pub(crate) mod overview;
pub(crate) mod people;
pub(crate) mod reservations;
pub(crate) mod sales;
pub(crate) mod wind_down;
