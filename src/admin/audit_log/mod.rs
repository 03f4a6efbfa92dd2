//! The audit log as the management reads it.

pub(crate) mod pages;
