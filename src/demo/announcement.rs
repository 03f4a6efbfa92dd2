//! Program of the demo data.

use crate::catalog::ProgramDetails;

/// Price type of a demo program.
#[derive(Debug)]
pub(crate) struct Discount {
    pub name: &'static str,
    pub note: &'static str,
    /// Percent of the ordinary price.
    pub percent: i32,
    /// Places that must be in the same order; `None`: nothing.
    pub beside: Option<&'static str>,
    /// Places for each place of `beside`, and in one order.
    pub per_beside_max: Option<i32>,
    pub per_order_max: Option<i32>,
}

/// Program as the demo publishes it.
#[derive(Debug)]
pub(crate) struct Announcement {
    /// Fields of its form, without its times.
    pub details: fn() -> ProgramDetails,
    pub hall: &'static str,
    /// Minutes from now until the sale opens; negative in the past.
    pub(crate) opens_in_mins: i64,
    /// Days from today with a performance at 19:30.
    pub days: &'static [i32],
    /// Price of the front rows; other seats cost less by their row.
    pub(crate) price_from_front: i64,
    pub zones: &'static [(&'static str, i64, i32)],
    /// Price types of each performance.
    pub price_types: &'static [Discount],
    pub(crate) is_sold_out: bool,
}
