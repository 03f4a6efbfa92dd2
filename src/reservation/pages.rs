//! HTTP pages of seats and reservations.

pub use crate::reservation::{
    codes::pages::{create_redemption, show_terms},
    hold::pages::create_hold,
    lifecycle::pages::{
        list::list_reservations,
        payment::{refused_payment_page, show_payment},
        reservation_page, show_reservation, update_renewal,
    },
    seat_map::pages::{changes::show_changes, price_types::show_price_types, show_seat_map},
};
