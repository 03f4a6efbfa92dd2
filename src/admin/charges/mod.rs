//! Charges at the payment provider: the charges of a day, as a CSV file to be compared with the
//! provider's own report, and the money to be returned because it came for accounts that were deleted.
//! Read only.

pub mod pages;
pub mod store;
