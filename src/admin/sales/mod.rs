//! Sales of a program by day, performance and section: a page and a CSV file. Read only.

pub mod pages;
pub mod store;
