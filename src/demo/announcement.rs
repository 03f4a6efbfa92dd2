//! Program of the demo data.

use crate::catalog::ProgramDetails;

/// Price type of a demo program.
#[derive(Debug)]
pub(crate) struct Discount {
    pub(crate) name: &'static str,
    pub(crate) note: &'static str,
    /// Percent of the ordinary price.
    pub(crate) percent: i32,
    /// Places that must be in the same order; `None`: nothing.
    pub(crate) beside: Option<&'static str>,
    /// Places for each place of `beside`, and in one order.
    pub(crate) per_beside_max: Option<i32>,
    pub(crate) per_order_max: Option<i32>,
}

/// Program as the demo publishes it.
#[derive(Debug)]
pub(crate) struct Announcement {
    /// Fields of its form, without its times.
    pub(crate) details: fn() -> ProgramDetails,
    pub(crate) hall: &'static str,
    /// Minutes from now until the sale opens; negative in the past.
    pub(crate) opens_in_mins: i64,
    /// Days from today with a performance at 19:30.
    pub(crate) days: &'static [i32],
    /// Price of the front rows; other seats cost less by their row.
    pub(crate) price_from_front: i64,
    pub(crate) zones: &'static [(&'static str, i64, i32)],
    /// Price types of each performance.
    pub(crate) price_types: &'static [Discount],
    pub(crate) is_sold_out: bool,
}
