//! Prices of a drawing, each with the class and the categories of its seats.

use std::collections::BTreeMap;

use crate::{
    points::Points,
    reservation::seat_map::{
        listing::{categories_of, class_of},
        seat::MapSeat,
    },
};

/// Price with the class and the categories of its seats.
#[derive(Debug)]
pub struct PriceMark {
    pub price: Points,
    /// Price class, from 1 (most expensive).
    pub class: usize,
    /// Names of the price categories of its seats; empty if none has one.
    pub categories: String,
}

impl PriceMark {
    /// Returns the marks of the prices of `seats`, most expensive first.
    pub(super) fn list(seats: &[MapSeat], scale: &[Points]) -> Vec<Self> {
        let mut prices: BTreeMap<Points, Vec<&MapSeat>> = BTreeMap::new();
        for seat in seats {
            prices.entry(seat.price).or_default().push(seat);
        }
        let marks = prices.into_iter().rev().map(|(price, seats)| {
            let categories = categories_of(seats.into_iter());
            Self { price, class: class_of(scale, price), categories }
        });
        marks.collect()
    }
}
