//! Requests that name price types.

use super::*;
use crate::catalog::{
    PriceType, PriceTypeId,
    price_types::{Cost, PriceTypeDetails, PriceTypeError, PriceTypeSeriesId},
};
use crate::reservation::model::ReturnId;

/// Adds a price type at half the price to a house, and returns its id.
fn with_student(house: &mut House) -> PriceTypeId {
    let id = PriceTypeId(Uuid::now_v7());
    let details = PriceTypeDetails {
        name: "Student".to_owned(),
        note: String::new(),
        cost: Cost::Percent(50),
        sections: None,
        kinds: None,
        per_order_max: None,
        beside: None,
        per_beside_max: None,
    };
    let series_id = PriceTypeSeriesId(Uuid::now_v7());
    house.decisions.price_types.types =
        vec![PriceType { id, series_id, details, is_withdrawn: false }];
    id
}

/// Returns the number, the price and the type of the items of a hold.
fn items(hold: &Hold) -> Vec<(i32, i64, Option<&str>)> {
    let items = hold.items.iter().map(|each| {
        let name = each.price_type.as_ref().map(|price_type| price_type.name.as_str());
        (each.item.quantity, each.item.unit_price.get(), name)
    });
    items.collect()
}

#[test]
fn each_seat_of_an_order_has_its_own_type() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    let student = with_student(&mut house);
    let mut chosen = house.seats(ada, &[1, 2]);
    chosen.request.types.by_seat.insert(ScheduleSeatId(2), student);
    let hold = house.decide(&chosen).unwrap().unwrap();
    assert_eq!(items(&hold), [(1, 50, None), (1, 25, Some("Student"))]);
    assert_eq!(hold.total.get(), 75);
}

#[test]
fn types_are_had_of_the_places_of_a_zone_that_are_not_on_return() {
    let [ada, bob] = people();
    let mut house = House::with(&[ada, bob], WhenHeld::Skip);
    let student = with_student(&mut house);
    let zone_id = house.zone_id;
    house.decisions.zone.as_mut().unwrap().returned = 3;
    let free = |_| FreeReturn {
        id: ReturnId(Uuid::now_v7()),
        price: Points::new(40).unwrap(),
        seller_id: AccountId(Uuid::now_v7()),
    };
    house.decisions.returned = (0..3).map(free).collect();
    let places = |house: &House, account_id, quantity, n_students| {
        let mut chosen = house.request(account_id, Choice::Places { zone_id, quantity });
        chosen.request.types.counts.insert(student, n_students);
        chosen
    };
    let refused = house.decide(&places(&house, bob, 3, 3)).unwrap_err();
    let is_on_return = matches!(
        &refused,
        ReservationError::PriceType(PriceTypeError::OnReturn { name, .. }) if name == "Student"
    );
    assert!(is_on_return, "{refused:?}");
    let hold = house.decide(&places(&house, ada, 3, 1)).unwrap().unwrap();
    assert_eq!(items(&hold), [(1, 50, None), (1, 40, None), (1, 25, Some("Student"))]);
    assert_eq!(hold.total.get(), 115);
    let left = house.decisions.zone.as_ref().unwrap();
    assert_eq!((left.remaining, left.returned), (2, 2));
}
