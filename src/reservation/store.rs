//! SQL of reservations, seats and zones.

mod changes;
mod expiry;
mod hold;
mod map;
mod settle;
pub(super) mod stock;

pub(super) use changes::*;
pub(super) use expiry::*;
pub(super) use hold::*;
pub(super) use map::*;
pub(super) use settle::*;
