//! Program of the demo data.

/// Program as the demo publishes it.
#[derive(Debug)]
pub(crate) struct Announcement {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) hall: &'static str,
    /// Minutes from now until the sale opens; negative in the past.
    pub(crate) opens_in_mins: i32,
    pub(crate) queue_capacity: Option<i32>,
    pub(crate) queue_rate_per_second: Option<i32>,
    /// Days from today with a performance at 19:30.
    pub(crate) days: &'static [i32],
    /// Price of the front rows; other seats cost less by their row.
    pub(crate) price_from_front: i64,
    pub(crate) zones: &'static [(&'static str, i64, i32)],
    pub(crate) is_sold_out: bool,
}
