//! Places that may leave an order.

use uuid::Uuid;

use super::*;

const WHEELCHAIR: SeatId = SeatId(7);

fn item(places: i32) -> LiveItem {
    LiveItem {
        id: ReservationItemId(Uuid::now_v7()),
        is_own: true,
        places,
        kept: places,
        kind: SeatKind::Standard,
        seat_id: None,
        wheelchair_seat_id: None,
        price_type: None,
    }
}

fn typed(places: i32, beside: Option<Company>, per_beside_max: Option<i32>) -> LiveItem {
    let terms = TypeTerms {
        id: PriceTypeId(Uuid::nil()),
        name: "Child".to_owned(),
        beside,
        per_beside_max,
    };
    LiveItem { price_type: Some(terms), ..item(places) }
}

fn wheelchair() -> LiveItem {
    LiveItem { kind: SeatKind::Wheelchair, seat_id: Some(WHEELCHAIR), ..item(1) }
}

fn companion() -> LiveItem {
    let kind = SeatKind::Companion;
    LiveItem { kind, wheelchair_seat_id: Some(WHEELCHAIR), ..item(1) }
}

fn order(places_min: Option<i32>, items: Vec<LiveItem>) -> LiveOrder {
    LiveOrder { reservation_id: ReservationId(Uuid::nil()), places_min, items }
}

/// Puts places of the `nth` item on return until a rule refuses it; returns their number, and the
/// rule.
fn returned(order: &mut LiveOrder, nth: usize) -> (i32, Option<BrokenRule>) {
    let mut count = 0;
    while order.items[nth].kept > 0 {
        let broken = order.broken_by_return(order.items[nth].id);
        if broken.is_some() {
            return (count, broken);
        }
        order.items[nth].kept -= 1;
        count += 1;
    }
    (count, None)
}

#[test]
fn whatever_a_child_needs_beside_it_stays() {
    let alone = |beside| Some(BrokenRule::alone("Child".to_owned(), beside));
    for (n_adults, n_children, per_adult, n_leave) in
        [(3, 2, Some(1), 1), (3, 3, Some(1), 0), (3, 4, Some(2), 1), (3, 9, None, 2)]
    {
        let child = typed(n_children, Some(Company::Ordinary), per_adult);
        let mut order = order(None, vec![item(n_adults), child]);
        let left = returned(&mut order, 0);
        assert_eq!(left, (n_leave, alone(Company::Ordinary)), "{n_adults} and {n_children}");
        assert_eq!(returned(&mut order, 1), (n_children, None), "a child may go");
    }
    let companions = typed(2, Some(Company::Wheelchair), Some(1));
    let mut order = order(None, vec![wheelchair(), wheelchair(), companions, item(1)]);
    assert_eq!(returned(&mut order, 0), (0, alone(Company::Wheelchair)));
    assert_eq!(returned(&mut order, 3), (1, None));
    assert_eq!(returned(&mut order, 2), (2, None));
    // It is not known which of the returns is sold first.
    assert_eq!(returned(&mut order, 0), (0, alone(Company::Wheelchair)));
    order.items[2].places = 0;
    assert_eq!(returned(&mut order, 0), (1, None));
}

#[test]
fn types_without_company_hold_nothing_up() {
    let mut order = order(None, vec![item(1), typed(3, None, None)]);
    assert_eq!(returned(&mut order, 0), (1, None));
}

#[test]
fn a_wheelchair_place_stays_as_long_as_its_companions() {
    let alone = Some(BrokenRule::CompanionAlone);
    let mut one = order(None, vec![wheelchair(), companion()]);
    assert_eq!(returned(&mut one, 0), (0, alone.clone()));
    assert_eq!(one.broken_by_refund(), None, "both go");
    assert_eq!(returned(&mut one, 1), (1, None));
    assert_eq!(returned(&mut one, 0), (0, alone.clone()), "the companion's may stay yet");
    one.items[1].places = 0;
    assert_eq!(returned(&mut one, 0), (1, None));

    // The companion's place is in another order of the account.
    let elsewhere = LiveItem { is_own: false, ..companion() };
    let two = order(None, vec![wheelchair(), elsewhere]);
    assert_eq!(two.broken_by_return(two.items[0].id), alone);
    assert_eq!(two.broken_by_refund(), alone);
    // A place that was alone before does not prevent a return.
    let lone = order(None, vec![item(2), companion()]);
    assert_eq!(lone.broken_by_return(lone.items[0].id), None);
    assert_eq!(lone.broken_by_refund(), None);
}

#[test]
fn the_least_number_stays_however_many_returns_are_open() {
    for (places, places_min, n_leave) in
        [(4, Some(2), 2), (2, Some(2), 0), (1, Some(1), 1), (3, Some(1), 3), (3, None, 3)]
    {
        let mut order = order(places_min, vec![item(places), item(0)]);
        let (count, broken) = returned(&mut order, 0);
        assert_eq!(count, n_leave, "{places} of at least {places_min:?}");
        assert_eq!(broken.is_some(), n_leave < places);
    }
    let other = LiveItem { is_own: false, ..companion() };
    let order = order(Some(2), vec![item(2), other]);
    assert!(
        order.broken_by_return(order.items[0].id).is_some(),
        "another order counts for nothing"
    );
}

#[test]
fn a_sale_is_judged_by_what_is_sold_in_it() {
    let child = typed(1, Some(Company::Ordinary), Some(1));
    let mut live = order(Some(2), vec![item(2), child]);
    // Both adults are on return, from before the rule was checked.
    live.items[0].kept = 0;
    let [adult, child] = [live.items[0].id, live.items[1].id];
    assert_eq!(live.broken_by_sale(&[adult]), None);
    assert!(matches!(
        live.broken_by_sale(&[adult, adult]),
        Some(BrokenRule::WithoutOrdinary { .. })
    ));
    assert_eq!(live.broken_by_sale(&[adult, adult, child]), None, "nothing is left");
    assert_eq!(live.broken_by_sale(&[adult, child]), Some(BrokenRule::TooFew { places_min: 2 }));
    assert_eq!(live.broken_by_sale(&[ReservationItemId(Uuid::nil())]), None);
    let pair = order(None, vec![wheelchair(), companion()]);
    let [place, beside] = [pair.items[0].id, pair.items[1].id];
    assert_eq!(pair.broken_by_sale(&[place]), Some(BrokenRule::CompanionAlone));
    assert_eq!(pair.broken_by_sale(&[place, beside]), None);
}
