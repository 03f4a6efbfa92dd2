//! SQL of reservations, seats and zones.

mod settle;

pub(super) use settle::*;
