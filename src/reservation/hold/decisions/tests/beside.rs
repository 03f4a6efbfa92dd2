//! Requests under the rule that no order leaves a single seat.

use super::*;
use crate::reservation::{hold::single_seats::blocks_of, seat_map::seat::MapSeat};

/// Returns the request for `ids` of a row with the seats 1 to 12.
fn in_row(house: &House, account_id: AccountId, ids: &[i64]) -> ChosenRequest {
    let seat = |number: i16| MapSeat {
        id: ScheduleSeatId(i64::from(number)),
        section: "Stalls".to_owned(),
        row_label: "A".to_owned(),
        number: i32::from(number),
        x: f32::from(number),
        y: 0.0,
        price: Points::new(PRICE).unwrap(),
        status: SeatStatus::Available,
        kind: SeatKind::Standard,
        companion_of: None,
        category: None,
        is_on_return: false,
    };
    let row: Vec<MapSeat> = (1..=12).map(seat).collect();
    let mut chosen = house.seats(account_id, ids);
    let Choice::Seats(ids) = &chosen.request.choice else { panic!("{:?}", chosen.request) };
    chosen.request.blocks = Some(blocks_of(&row, ids));
    chosen
}

fn left_single(refused: ReservationError) -> Vec<i64> {
    let ReservationError::LeavesSingle { seat_ids } = refused else { panic!("{refused:?}") };
    seat_ids.into_iter().map(|id| id.0).collect()
}

#[test]
fn an_order_leaves_no_free_seat_single_that_others_could_take() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    let order = in_row(&house, ada, &[2, 3]);
    assert_eq!(left_single(house.decide(&order).unwrap_err()), [1]);
    let first = ScheduleSeatId(1);
    // A kept place does not count as one that others could take, until the general sale.
    house.decisions.seats.get_mut(&first).unwrap().kind = SeatKind::Wheelchair;
    house.decisions.terms.get_mut(&ada).unwrap().kept_until = now();
    assert_eq!(left_single(house.decide(&order).unwrap_err()), [1]);
    house.decisions.terms.get_mut(&ada).unwrap().kept_until = later();
    assert!(house.decide(&order).unwrap().is_some());
}

#[test]
fn the_rule_is_that_of_the_locked_terms_whatever_was_read_before() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    let mut order = in_row(&house, ada, &[2, 3]);
    let blocks = order.request.blocks.take();
    let refused = house.decide(&order).unwrap_err();
    assert!(matches!(refused, ReservationError::RulesChanged), "{refused:?}");
    order.request.blocks = blocks;
    house.decisions.terms.get_mut(&ada).unwrap().no_single_seats = false;
    assert!(house.decide(&order).unwrap().is_some());
}

#[test]
fn a_seat_that_is_taken_is_not_left_single() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    house.decisions.seats.get_mut(&ScheduleSeatId(1)).unwrap().status = SeatStatus::Held;
    assert!(house.decide(&in_row(&house, ada, &[2, 3])).unwrap().is_some());
}

#[test]
fn whoever_needs_a_kept_place_may_leave_a_seat_single() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    house.decisions.seats.get_mut(&ScheduleSeatId(2)).unwrap().kind = SeatKind::Wheelchair;
    let mut order = in_row(&house, ada, &[2]);
    order.request.is_needed = true;
    assert!(house.decide(&order).unwrap().is_some());
}

#[test]
fn an_order_beside_seats_that_others_hold_is_left_out_or_waits_for_them() {
    let [ada, bob] = people();
    // Seat 10, which decides whether seat 9 is left single, is not locked.
    let mut house = House::with(&[ada, bob], WhenHeld::Skip);
    assert!(house.decide(&in_row(&house, ada, &[8])).unwrap().is_none());
    assert!(house.decide(&in_row(&house, bob, &[7])).unwrap().is_some());
    let mut house = House::with(&[ada], WhenHeld::Wait);
    let refused = house.decide(&in_row(&house, ada, &[8])).unwrap_err();
    assert_eq!(left_single(refused), [9]);
}
