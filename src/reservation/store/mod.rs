//! SQL of reservations, seats and zones.

mod changes;
mod expiry;
mod hold;
mod map;
mod settle;
pub(crate) mod stock;

pub(crate) use changes::*;
pub(crate) use expiry::*;
pub(crate) use hold::*;
pub(crate) use map::*;
pub(crate) use settle::*;
