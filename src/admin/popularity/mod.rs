//! Popularity with its figures, for administrators. Read only.

pub mod pages;
