//! The SQL of the desk: the audit log, and what the other features' tables say together.

pub(super) mod audit;
pub(super) mod door;
pub(super) mod lines;
pub(super) mod overview;
pub(super) mod people;
pub(super) mod reservations;
pub(super) mod sales;
pub(super) mod wind_down;
