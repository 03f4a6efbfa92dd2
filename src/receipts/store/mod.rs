//! SQL of receipts.

pub(super) mod booked;
pub(super) mod due;
pub mod receipts;
pub(super) mod written;
