//! HTTP pages of seats and reservations.

pub(crate) use crate::reservation::{
    hold::pages::create_hold,
    lifecycle::pages::{
        list::list_reservations, reservation_page, show_reservation, update_renewal,
    },
    seat_map::pages::{changes::show_changes, show_seat_map},
};
