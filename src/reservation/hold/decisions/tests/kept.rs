//! Requests for kept places.

use super::*;

/// Makes seat 1 a wheelchair place, and seat 2 the place of its companion.
fn with_pair(house: &mut House) {
    for (id, kind, wheelchair_seat_id) in
        [(1, SeatKind::Wheelchair, None), (2, SeatKind::Companion, Some(SeatId(101)))]
    {
        let seat = house.decisions.seats.get_mut(&ScheduleSeatId(id)).unwrap();
        (seat.kind, seat.wheelchair_seat_id) = (kind, wheelchair_seat_id);
    }
}

#[test]
fn a_companion_comes_with_the_wheelchair_or_after_it() {
    let [ada, bob] = people();
    let mut house = House::with(&[ada, bob], WhenHeld::Skip);
    with_pair(&mut house);
    let needed = |house: &House, account_id, ids: &[i64]| {
        let mut chosen = house.seats(account_id, ids);
        chosen.request.is_needed = true;
        chosen
    };
    let alone = needed(&house, bob, &[2, 3]);
    let refused = house.decide(&alone).unwrap_err();
    let ReservationError::CompanionAlone { seat_ids } = refused else { panic!("{refused}") };
    assert_eq!(seat_ids, [ScheduleSeatId(2)]);
    let refused = house.decide(&house.seats(ada, &[1, 2])).unwrap_err();
    let ReservationError::PlacesKept { seat_ids, .. } = refused else { panic!("{refused}") };
    assert_eq!(seat_ids, [1, 2].map(ScheduleSeatId));
    // An earlier hold of the account counts, and only for that account.
    assert!(house.decide(&needed(&house, ada, &[1])).unwrap().is_some());
    assert!(house.decide(&needed(&house, bob, &[2])).is_err());
    let kinds: Vec<_> = house.decide(&needed(&house, ada, &[2])).unwrap().unwrap().items;
    assert_eq!(kinds[0].kind, SeatKind::Companion);
}

#[test]
fn from_the_general_sale_on_the_places_are_ordinary() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    with_pair(&mut house);
    house.decisions.terms.get_mut(&ada).unwrap().kept_until = now();
    assert!(house.decide(&house.seats(ada, &[2])).unwrap().is_some());
}
