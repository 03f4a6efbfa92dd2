//! Charge form, as it is sent and as it is shown.

pub mod form;
