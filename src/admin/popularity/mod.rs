//! Popularity with its figures, for administrators. Read only.

pub(crate) mod pages;
