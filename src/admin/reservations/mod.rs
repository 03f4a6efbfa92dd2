//! Pages of all accounts' reservations: the list, one reservation, its refund.
//!
//! A **booking** is a reservation as these pages list it. Refunds are carried out by `people`.

pub mod pages;
pub mod store;
