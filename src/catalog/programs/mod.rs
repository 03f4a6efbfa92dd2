//! Programs.

pub(crate) mod store;
