//! Charges of a day at the payment provider, as a CSV file to be compared with the provider's own
//! report. Read only.

pub(crate) mod pages;
pub(crate) mod store;
