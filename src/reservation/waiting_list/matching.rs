//! Assignment of free places to wishes. Pure: all rows were read before.
//!
//! Wishes are served in their order, each with the best fitting places that earlier wishes left.

use std::collections::HashMap;

use serde::Deserialize;

use crate::{
    accounts::AccountId,
    catalog::{ScheduleSeatId, ZoneId},
    points::Points,
    reservation::{hold::seat_groups::ranked, seat_map::seat::MapSeat},
};

use super::model::WishOrder;

/// Zone with places left.
#[derive(Clone, Debug)]
pub(crate) struct FreeZone {
    pub id: ZoneId,
    pub price: Points,
    pub remaining: i32,
    /// Remaining places that are on return, the cheapest first; they are sold last.
    pub returned: Vec<ReturnedPlace>,
}

/// Place of a zone that is on return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ReturnedPlace {
    pub price: Points,
    pub seller_id: AccountId,
}

impl FreeZone {
    /// Returns the number of remaining places that are not on return.
    fn n_of_house(&self) -> i32 {
        self.remaining - i32::try_from(self.returned.len()).unwrap_or(i32::MAX)
    }

    /// Returns the highest price among the next `places` for `buyer`, who is not given the own
    /// places on return; `None` if fewer are left.
    fn price_of(&self, places: i32, buyer: AccountId) -> Option<Points> {
        let of_house = self.n_of_house();
        let Some(n) = usize::try_from(places - of_house).ok().filter(|n| *n > 0) else {
            return Some(self.price);
        };
        let mut of_others = self.returned.iter().filter(|place| place.seller_id != buyer);
        let dearest = of_others.nth(n - 1)?.price;
        Some(if of_house > 0 { dearest.max(self.price) } else { dearest })
    }

    fn take(&mut self, places: i32, buyer: AccountId) {
        let mut n = places - self.n_of_house();
        self.returned.retain(|place| {
            let is_taken = n > 0 && place.seller_id != buyer;
            n -= i32::from(is_taken);
            !is_taken
        });
        self.remaining -= places;
    }
}

/// Free seats and zones of one performance that can be offered.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreePlaces {
    /// Least number of places of an order, unless all of them are on return.
    pub places_min: i32,
    /// Free seats in map order, without kept places.
    pub seats: Vec<MapSeat>,
    /// Sellers of the seats that are on return.
    pub sellers: HashMap<ScheduleSeatId, AccountId>,
    /// Zones, the cheapest first.
    pub zones: Vec<FreeZone>,
}

/// Places that one wish gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Picked {
    /// Seats.
    Seats(Vec<ScheduleSeatId>),
    /// All of its places, in one zone.
    Places(ZoneId),
}

impl WishOrder {
    fn wants_seat(&self, seat: &MapSeat) -> bool {
        self.section.as_deref().is_none_or(|wanted| wanted == seat.section) && self.pays(seat.price)
    }

    fn wants_zone(&self, zone: &FreeZone, buyer: AccountId) -> bool {
        let is_meant = self.section.is_none() || self.zone_id == Some(zone.id);
        is_meant && zone.price_of(self.places, buyer).is_some_and(|price| self.pays(price))
    }

    fn pays(&self, price: Points) -> bool {
        self.price_max.is_none_or(|most| price <= most)
    }
}

impl FreePlaces {
    /// Returns the number of places of the largest order that could fit.
    pub(crate) fn places_max(&self) -> i32 {
        let seats = i32::try_from(self.seats.len()).unwrap_or(i32::MAX);
        self.zones.iter().map(|zone| zone.remaining).fold(seats, i32::max)
    }

    /// Takes places that fit `order`; `None`, with nothing taken, if none fit.
    pub(crate) fn take(&mut self, account_id: AccountId, order: &WishOrder) -> Option<Picked> {
        let picked = self.find(account_id, order)?;
        match &picked {
            Picked::Seats(ids) => self.seats.retain(|seat| !ids.contains(&seat.id)),
            Picked::Places(id) => {
                let zone = self.zones.iter_mut().find(|zone| zone.id == *id)?;
                zone.take(order.places, account_id);
            }
        }
        Some(picked)
    }

    /// Returns places that fit `order`. Seats side by side come before scattered ones, and seats
    /// before places of zones.
    pub(crate) fn find(&self, account_id: AccountId, order: &WishOrder) -> Option<Picked> {
        let n_seats = usize::try_from(order.places).ok()?;
        // A seller is not offered the own seat, but may take it back.
        let is_own = |seat: &MapSeat| self.sellers.get(&seat.id) == Some(&account_id);
        let is_small = order.places < self.places_min;
        let is_enough = |seat: &MapSeat| !is_small || seat.is_on_return;
        let fits = |seat: &&MapSeat| order.wants_seat(seat) && is_enough(seat) && !is_own(seat);
        let fitting: Vec<&MapSeat> = self.seats.iter().filter(fits).collect();
        let best = ranked(&self.seats, &fitting, n_seats, account_id).into_iter().next();
        let together = best.map(|group| group.seats.iter().map(|seat| seat.id).collect());
        let scattered = || {
            let first = fitting.get(..n_seats).filter(|_| !order.is_together);
            first.map(|seats| seats.iter().map(|seat| seat.id).collect())
        };
        let seats: Option<Vec<ScheduleSeatId>> = together.or_else(scattered);
        if let Some(mut ids) = seats {
            ids.sort();
            return Some(Picked::Seats(ids));
        }
        // Places of the house go first, so places on return are held alone once no others are left.
        let is_enough = |zone: &FreeZone| !is_small || zone.n_of_house() <= 0;
        let mut zones = self.zones.iter().filter(|zone| is_enough(zone));
        let zone = zones.find(|zone| order.wants_zone(zone, account_id));
        zone.map(|zone| Picked::Places(zone.id))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{catalog::SeatKind, reservation::model::SeatStatus};

    /// Returns a free seat of row A, `number` seat widths from the left.
    fn seat(section: &str, number: u8, price: i64) -> MapSeat {
        MapSeat {
            id: ScheduleSeatId(i64::from(number)),
            section: section.to_owned(),
            row_label: "A".to_owned(),
            number: i32::from(number),
            x: f32::from(number),
            y: 0.0,
            price: Points::new(price).unwrap(),
            status: SeatStatus::Available,
            kind: SeatKind::Standard,
            companion_of: None,
            category: None,
            is_on_return: false,
        }
    }

    fn zone(price: i64, remaining: i32) -> FreeZone {
        let (id, price) = (ZoneId(Uuid::now_v7()), Points::new(price).unwrap());
        FreeZone { id, price, remaining, returned: Vec::new() }
    }

    fn order(places: i32) -> WishOrder {
        WishOrder { places, section: None, zone_id: None, price_max: None, is_together: false }
    }

    fn ids(picked: Option<Picked>) -> Vec<i64> {
        match picked {
            Some(Picked::Seats(ids)) => ids.into_iter().map(|id| id.0).collect(),
            other => panic!("no seats but {other:?}"),
        }
    }

    const ADA: AccountId = AccountId(Uuid::nil());
    const BOB: AccountId = AccountId(Uuid::max());

    fn returned(price: i64, seller_id: AccountId) -> ReturnedPlace {
        ReturnedPlace { price: Points::new(price).unwrap(), seller_id }
    }

    #[test]
    fn seats_side_by_side_come_first_and_scattered_ones_only_to_whom_takes_them() {
        let seats = || [1, 3, 4, 6].map(|number| seat("Stalls", number, 10)).to_vec();
        let mut free = FreePlaces { seats: seats(), ..FreePlaces::default() };
        assert_eq!(free.places_max(), 4);
        assert_eq!(ids(free.take(ADA, &order(2))), [3, 4]);
        let together = WishOrder { is_together: true, ..order(2) };
        assert_eq!(free.take(ADA, &together), None);
        assert_eq!(ids(free.take(ADA, &order(2))), [1, 6]);
        assert_eq!(free.take(ADA, &order(1)), None);
    }

    #[test]
    fn a_wish_gets_no_other_section_and_no_higher_price() {
        let seats = vec![seat("Circle", 1, 10), seat("Stalls", 2, 30)];
        let zones = vec![zone(20, 2)];
        let mut free = FreePlaces { seats, zones, ..FreePlaces::default() };
        let circle = WishOrder { section: Some("Circle".to_owned()), ..order(2) };
        assert_eq!(free.take(ADA, &circle), None);
        let cheap = WishOrder { price_max: Points::new(19), ..order(1) };
        assert_eq!(ids(free.take(ADA, &cheap)), [1]);
        assert_eq!(free.take(ADA, &cheap), None);
        let pit = WishOrder { price_max: Points::new(20), ..order(2) };
        assert_eq!(free.take(ADA, &pit), Some(Picked::Places(free.zones[0].id)));
        assert_eq!((free.zones[0].remaining, free.places_max()), (0, 1));
    }

    #[test]
    fn a_wish_for_a_zone_gets_the_zone_that_its_name_meant() {
        let zones = vec![zone(10, 2), zone(10, 2)];
        let free = FreePlaces { zones, ..FreePlaces::default() };
        let named = WishOrder { section: Some("Pit".to_owned()), ..order(1) };
        assert_eq!(free.find(ADA, &named), None, "it means no zone");
        let pit = WishOrder { zone_id: Some(free.zones[1].id), ..named };
        assert_eq!(free.find(ADA, &pit), Some(Picked::Places(free.zones[1].id)));
    }

    #[test]
    fn places_on_return_go_last_and_at_their_own_prices() {
        let pit = FreeZone { returned: vec![returned(15, BOB), returned(25, BOB)], ..zone(20, 3) };
        let mut free = FreePlaces { zones: vec![pit], ..FreePlaces::default() };
        let at_most = |places, price| WishOrder { price_max: Points::new(price), ..order(places) };
        assert_eq!(free.find(ADA, &at_most(2, 19)), None, "one of two is at the zone's price");
        assert!(free.find(ADA, &at_most(2, 20)).is_some());
        assert_eq!(free.find(ADA, &at_most(3, 24)), None, "the third is at 25");
        assert!(free.take(ADA, &at_most(1, 20)).is_some());
        assert!(free.take(ADA, &at_most(1, 15)).is_some(), "the cheapest that is on return");
        assert_eq!(free.take(ADA, &at_most(1, 24)), None);
        assert!(free.take(ADA, &at_most(1, 25)).is_some());
        assert_eq!((free.zones[0].remaining, free.zones[0].returned.len()), (0, 0));
    }

    #[test]
    fn nobody_is_offered_the_own_place_that_is_on_return() {
        let pit = FreeZone { returned: vec![returned(15, ADA), returned(25, BOB)], ..zone(20, 2) };
        let sellers = HashMap::from([(ScheduleSeatId(1), ADA), (ScheduleSeatId(2), BOB)]);
        let seats = vec![seat("Stalls", 1, 10), seat("Stalls", 2, 10)];
        let mut free = FreePlaces { places_min: 1, seats, sellers, zones: vec![pit] };
        assert_eq!(ids(free.take(ADA, &order(1))), [2]);
        let pit = free.zones[0].id;
        assert_eq!(free.find(ADA, &order(2)), None);
        assert_eq!(free.take(ADA, &order(1)), Some(Picked::Places(pit)));
        assert_eq!(free.zones[0].returned, [returned(15, ADA)], "the other one was taken");
        assert_eq!(free.find(ADA, &order(1)), None);
        assert_eq!(ids(free.take(BOB, &order(1))), [1]);
    }

    #[test]
    fn less_than_the_least_number_is_had_of_what_is_on_return() {
        let back = MapSeat { is_on_return: true, ..seat("Stalls", 4, 10) };
        let seats = vec![seat("Stalls", 1, 10), seat("Stalls", 2, 10), back];
        let mixed = FreeZone { returned: vec![returned(20, BOB)], ..zone(20, 2) };
        let alone = FreeZone { returned: vec![returned(20, BOB)], ..zone(20, 1) };
        let zones = vec![mixed, alone];
        let mut free = FreePlaces { places_min: 2, seats, zones, ..FreePlaces::default() };
        assert_eq!(ids(free.take(ADA, &order(1))), [4]);
        assert_eq!(free.take(ADA, &order(1)), Some(Picked::Places(free.zones[1].id)));
        assert_eq!(free.take(ADA, &order(1)), None);
        assert_eq!(ids(free.take(ADA, &order(2))), [1, 2]);
        assert_eq!(free.take(ADA, &order(2)), Some(Picked::Places(free.zones[0].id)));
    }

    #[test]
    fn places_of_a_wish_are_in_one_zone() {
        let zones = vec![zone(10, 2), zone(10, 3)];
        let mut free = FreePlaces { zones, ..FreePlaces::default() };
        assert_eq!(free.places_max(), 3);
        assert_eq!(free.take(ADA, &order(5)), None);
        assert_eq!(free.take(ADA, &order(3)), Some(Picked::Places(free.zones[1].id)));
    }
}
