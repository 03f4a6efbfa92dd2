//! Pages of all accounts' reservations: the list, one reservation, its refund.
//!
//! A **booking** is a reservation as these pages list it. One field finds it by its people, its number, the code of a ticket
//! or a seat. Refunds are carried out by `people`.

pub mod exchange;
pub mod pages;
mod sought_seat;
pub mod store;
