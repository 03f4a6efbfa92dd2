//! Receipts of all people: a list, their files, and a CSV file. Read only.

pub mod pages;
